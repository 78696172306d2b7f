import { findUnits } from './units';
import { groupInk } from './unread-ink';

const word = (text: string, x0: number, x1: number, confidence = 0.9) => ({
  text,
  confidence,
  box: { x0, x1, y0: 0, y1: 20 },
  line: 0,
  baseline: 20,
  height: 24,
});
/** Digits that are 10 pixels wide, 2 pixels apart. */
const digits = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => ({ x0: from + 12 * index, x1: from + 12 * index + 10, y0: 2, y1: 18 }));

test('parts of a figure without white between them are one unit; words read with confidence are not units', () => {
  const ink = [...digits(0, 4), ...digits(100, 4)];
  const words = [word('46,', 0, 24), word('86', 24, 46), word('tide', 100, 146)];
  expect(findUnits(words, ink, 0.6).map(({ words: own }) => own.map(({ text }) => text))).toEqual([['46,', '86']]);
  const apart = [...digits(0, 2), ...digits(40, 2)];
  expect(findUnits([word('46', 0, 22), word('86', 40, 62)], apart, 0.6)).toHaveLength(2);
});

test('a figure over several pieces of ink is shared by them, and neighbouring amounts stay apart', () => {
  const ink = [...digits(0, 2), ...digits(60, 2)];
  expect(findUnits([word('12|66', 0, 82)], ink, 0.6).map(({ isShared }) => isShared)).toEqual([true, true]);
  const close = findUnits([word('72,87', 0, 34), word('8.219,52', 36, 82)], digits(0, 7), 0.6);
  expect(close.map(({ words }) => words.map(({ text }) => text))).toEqual([['72,87'], ['8.219,52']]);
});

test('specks are grouped by their rows, each compared only with what is near', () => {
  const speck = (column: number, row: number) => ({ x0: 9 * column, x1: 9 * column + 4, y0: 9 * row, y1: 9 * row + 4 });
  const specks = Array.from({ length: 8_000 }, (_, index) => speck(index % 200, Math.floor(index / 200)));
  expect(groupInk(specks, 0.6).length).toBe(8_000);
  const [row, ...others] = groupInk(specks, 1.5);
  expect(row).toEqual({ x0: 0, x1: 9 * 199 + 4, y0: 0, y1: 4, pieces: 200 });
  expect(others.length).toBe(39);
});
