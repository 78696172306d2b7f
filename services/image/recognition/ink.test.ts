import type { GreyImage } from '../grey-image';
import { eraseLines } from './erase-lines';
import { findInk, findLetterHeight, mayBeText, whitenPaper } from './ink';
import { computeUnreadShare, findUnreadInk } from './unread-ink';

/** An image in which each `#` is a black pixel and each space has the brightness of paper. */
function getImage(rows: readonly string[], paper = 230): GreyImage {
  const width = Math.max(...rows.map((row) => row.length));
  const pixels = rows.flatMap((row) => Array.from(row.padEnd(width), (sign) => (sign === '#' ? 20 : paper)));
  return { pixels: Uint8Array.from(pixels), width, height: rows.length };
}
const word = (x0: number, x1: number, line = 0) => ({
  text: 'word',
  confidence: 0.9,
  box: { x0, x1, y0: 10, y1: 20 },
  line,
  baseline: 20,
  height: 12,
});
const letters = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => ({ x0: from + 8 * index, x1: from + 8 * index + 6, y0: 10, y1: 20 }));

test('connected ink is one piece, also if its parts meet only below', () => {
  expect(findInk(getImage(['# #  ##', '# #  ##', '###    ', '       ']))).toEqual([
    { x0: 0, y0: 0, x1: 3, y1: 3 },
    { x0: 5, y0: 0, x1: 7, y1: 2 },
  ]);
});

test('the height of letters needs a dozen of them', () => {
  expect(findLetterHeight(letters(0, 11))).toBeUndefined();
  expect(findLetterHeight(letters(0, 12))).toBe(10);
});

test('an image with more pieces of ink than it has room for letters is noise', () => {
  const page = { width: 400, height: 100 };
  expect(mayBeText(letters(0, 40), page)).toBe(true);
  expect(mayBeText(Array.from({ length: 10 }, () => letters(0, 40)).flat(), page)).toBe(false);
  expect(mayBeText(letters(0, 11), page)).toBe(false);
});

test('rulings are erased, letters are not, and paper becomes white', () => {
  const gap = ' '.repeat(40);
  const rows = [gap, '#'.repeat(40), gap, gap, ` ##${' '.repeat(37)}`, ` ##${' '.repeat(37)}`, gap, gap];
  const bare = eraseLines(getImage(rows), 4);
  expect(findInk(bare)).toEqual([{ x0: 1, y0: 4, x1: 3, y1: 6 }]);
  expect(whitenPaper(bare).pixels[0]).toBe(255);
});

test('a thick bar is not a ruling', () => {
  const gap = ' '.repeat(40);
  const rows = [gap, gap, gap, ...Array.from({ length: 6 }, () => '#'.repeat(40)), gap, gap, gap, gap, gap];
  expect(findInk(eraseLines(getImage(rows), 4))).toHaveLength(1);
});

test('ink in line with words that no word covers is unread; a single speck is not', () => {
  const words = [word(0, 60)];
  const ink = [...letters(0, 7), ...letters(100, 4)];
  expect(findUnreadInk(ink, words)).toEqual([{ box: { x0: 100, x1: 130, y0: 10, y1: 20 }, beside: words[0] }]);
  expect(findUnreadInk([...letters(0, 7), ...letters(100, 1)], words)).toEqual([]);
  expect(findUnreadInk(ink, [])).toEqual([]);
  expect(computeUnreadShare([...letters(0, 12), ...letters(100, 4)], [word(0, 100)])).toBe(0.25);
});
