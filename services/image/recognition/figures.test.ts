import type { PixelBox } from '../../../model/page/ocr';
import {
  addSigns,
  areAmounts,
  findPattern,
  findSignOfPage,
  hasMixedSigns,
  isFigure,
  lacksDecimals,
  placeCommas,
  separateSigns,
  settleFigure,
  useSignOfColumn,
  omitStrays,
} from './figures';

const box = (x0: number, y0: number, x1: number, y1: number): PixelBox => ({ x0, y0, x1, y1 });
const at = (text: string, confidence: number) => ({ text, confidence });

test('amounts and dates are figures; words with a digit are not', () => {
  expect(['12,15', '30.04.', '(9.60)', '12'].map(isFigure)).toEqual([true, true, true, true]);
  expect(['A4', 'Q1', 'Rev12b3ta', '3'].map(isFigure)).toEqual([false, false, false, false]);
});

test('brackets that a ruling leaves beside a figure are removed, those of negative amounts stay', () => {
  expect(['[12,15', '|115,20', '9.60|', '(9.60)', '12}'].map(omitStrays)).toEqual([
    '12,15',
    '115,20',
    '9.60',
    '(9.60)',
    '12',
  ]);
});

test('of two readings the one with the decimal sign counts, and different digits are in doubt', () => {
  expect(settleFigure(at('405', 0.94), at('4,05', 0.8), ',2')).toEqual({
    text: '4,05',
    confidence: 0.7,
    isDoubtful: false,
  });
  expect(settleFigure(at('[12,15', 0.5), at('12,15', 0.9), undefined)).toEqual({
    text: '12,15',
    confidence: 0.9,
    isDoubtful: false,
  });
  expect(settleFigure(at('9.60', 0.9), at('9.00', 0.85), undefined)).toEqual({
    text: '9.60',
    confidence: 0.4,
    isDoubtful: true,
  });
  expect(settleFigure(at('9.60', 0.9), at('3.0', 0.3), undefined)).toMatchObject({ text: '9.60', isDoubtful: false });
  expect(settleFigure(at('9.60', 0.9), undefined, undefined)).toMatchObject({ text: '9.60', isDoubtful: false });
});

test('the pattern of a column is that of most figures above and below', () => {
  const own = { text: '405', box: box(52, 40, 98, 50) };
  const column = [
    { text: '9,60', box: box(50, 0, 98, 10) },
    { text: '12,15', box: box(45, 20, 98, 30) },
    own,
    { text: '1.5', box: box(200, 0, 220, 10) },
  ];
  expect(findPattern(own.box, column)).toBe(',2');
  expect(findPattern(own.box, column.slice(1))).toBeUndefined();
  expect(useSignOfColumn('1,234.50', ',2')).toBe('1.234,50');
  expect(useSignOfColumn('1.234', ',2')).toBe('1.234');
});

test('signs that the ink shows are added, but none where there is no small piece on the baseline', () => {
  const digits = [box(0, 0, 8, 14), box(14, 0, 22, 14), box(24, 0, 32, 14)];
  expect(addSigns('405', [...digits, box(10, 11, 12, 17)])).toBe('4,05');
  expect(addSigns('405', [...digits, box(10, 12, 12, 14)])).toBe('4.05');
  expect(addSigns('405', digits)).toBe('405');
  expect(addSigns('405', [...digits, box(15, 11, 19, 14)])).toBe('405');
  expect(addSigns('405', [...digits, box(10, 1, 12, 4)])).toBe('405');
  const long = [...digits, box(38, 0, 46, 14), box(50, 0, 58, 14), box(62, 0, 70, 14)];
  expect(addSigns('4052.71', [...long, box(10, 12, 12, 14), box(47, 12, 49, 14)])).toBe('4,052.71');
});

test('specks that look like signs are not added where no number has signs', () => {
  const digits = [0, 12, 24, 36, 48, 60].map((x0) => box(x0, 0, x0 + 8, 14));
  const speck = (gap: number) => box(12 * gap - 3, 12, 12 * gap - 1, 14);
  expect(addSigns('866989', [...digits, ...[1, 3, 4, 5].map(speck)])).toBe('866989');
  expect(addSigns('8669.89', [...digits, ...[2, 4].map(speck)])).toBe('8669.89');
  expect(addSigns('866989', [...digits, ...[1, 4].map(speck)])).toBe('8,669.89');
  expect(addSigns('866989', [...digits, speck(0)])).toBe('866989');
});

test('a sign before three digits groups thousands and is written as it is printed', () => {
  const digits = [0, 12, 24, 36].map((x0) => box(x0, 0, x0 + 8, 14));
  expect(addSigns('1234', [...digits, box(9, 11, 11, 17)])).toBe('1,234');
  expect(addSigns('1234', [...digits, box(9, 12, 11, 14)])).toBe('1.234');
});

test('the decimal sign of the page is that of nearly all figures, and lacking decimals are noticed', () => {
  expect(findSignOfPage(['9,60', '4,05', '1.234,50', '12.15'])).toBe(',2');
  expect(findSignOfPage(['9,60', '4.05', '12.15'])).toBeUndefined();
  expect(findSignOfPage(['9,60', '4,05'])).toBeUndefined();
  expect(lacksDecimals('405', ',2')).toBe(true);
  expect(lacksDecimals('12', ',2')).toBe(false);
  expect(lacksDecimals('405', undefined)).toBe(false);
});

test('a comma is where ink is below the digits', () => {
  expect(placeCommas('7.464.44', [5.5 / 8])).toBe('7.464,44');
  expect(placeCommas('7.464.44', [1.4 / 8])).toBe('7,464.44');
  expect(placeCommas('7.464.44', [])).toBe('7.464.44');
  expect(placeCommas('30.04.', [0.4])).toBe('30.04.');
});

test('one sign for thousands and decimals is a mistake, and two amounts are not one figure', () => {
  expect(['5,890,15', '5,890.15', '5890,15', '30.04.'].map(hasMixedSigns)).toEqual([true, false, false, false]);
  const separate = (text: string) => separateSigns(text, [text, '1,250.40', '2.310,00', '86.95']);
  expect(['8.643.31', '1,234,567,89', '8,643.31', '30.04.25', '12.34.56'].map(separate)).toEqual([
    '8,643.31',
    '1.234.567,89',
    '8,643.31',
    '30.04.25',
    '12.34.56',
  ]);
  // Numbers of articles on a receipt.
  const articles = ['702.611.50', '303.456.10', '12,99', '9,99'];
  expect(articles.map((text) => separateSigns(text, articles))).toEqual(articles);
  expect(separateSigns('702.611.50', [...articles, '1,250.40'])).toBe('702.611.50');
  expect([areAmounts('72,87', '8.219,52'), areAmounts('46,', '86')]).toEqual([true, false]);
});
