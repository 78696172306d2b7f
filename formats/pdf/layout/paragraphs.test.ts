import { sortForReading } from '../blocks/sort-for-reading';
import { joinLines } from '../table/tables';
import type { Line } from '../text/line';
import { joinBlock } from './paragraphs';

const font = { name: 'Serif', bold: false, italic: false, mono: false };
function line(text: string, l: number, baseline: number, mono = false): Line {
  const box = { l, r: l + 6 * text.length, b: baseline - 2, t: baseline + 8 };
  return {
    text,
    words: text.split(' ').map((word) => ({ text: word, box, size: 10, font: { ...font, mono }, raised: false })),
    box,
    baseline,
    size: 10,
    bold: false,
    italic: false,
    mono,
    family: 'serif',
    isAside: false,
    order: 0,
  };
}

describe('lines that a model treats as one block', () => {
  test('are joined from the top, and pieces of one row from the left, or from the right in right-to-left text', () => {
    expect(joinBlock([line('below', 10, 80), line('right', 90, 100), line('left', 10, 100)]).text).toBe(
      'left right below',
    );
    expect(joinBlock([line('تحت', 50, 80), line('يسار', 10, 100), line('يمين', 90, 100)]).text).toBe('يمين يسار تحت');
  });

  test('keep the spaces between pieces of code', () => {
    expect(joinBlock([line('let a', 10, 100, true), line('= 4', 58, 100, true)]).text).toBe('let a   = 4');
  });
});

test('items side by side are read in file order; in right-to-left text the right one comes first', () => {
  const item = (name: string, l: number, b: number, order: number) => ({
    name,
    order,
    box: { l, r: l + 80, b, t: b + 10 },
  });
  const items = [item('left', 10, 100, 0), item('right', 110, 102, 1), item('below', 10, 80, 2)];
  const names = (rtl: boolean) => sortForReading(items, rtl).map(({ name }) => name);
  expect(names(false)).toEqual(['left', 'right', 'below']);
  expect(names(true)).toEqual(['right', 'left', 'below']);
});

test('Chinese and Japanese lines are joined without a space, Korean and English lines with one', () => {
  expect(joinLines(['毎朝潮の表と比べて', '報告する。', '次の日も'])).toBe('毎朝潮の表と比べて報告する。次の日も');
  expect(joinLines(['the level of', 'the 水位', 'is read'])).toBe('the level of the 水位 is read');
  expect(joinLines(['수위를 매일', '기록한다'])).toBe('수위를 매일 기록한다');
});
