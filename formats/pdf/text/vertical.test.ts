import type { Glyph, RawPage } from '../geometry/page';
import { readLines } from './upright';
import { markVertical } from './vertical';

const font = { name: 'Mincho', bold: false, italic: false, mono: false };

/** A line from the top, or from the left if `across`, in squares of 10 points. */
function set(text: string, x: number, y: number, { across = false, step = 10 } = {}): Glyph[] {
  return Array.from(text).map((letter, index) => {
    const [l, baseline] = across ? [x + step * index, y] : [x, y - step * index];
    const box = { l, r: l + 10, b: baseline - 2.2, t: baseline + 7.8 };
    return { text: letter, box, baseline, size: 10, font, rotation: 0, invisible: false };
  });
}

const page = (glyphs: Glyph[]): RawPage => ({
  pageNo: 1,
  width: 400,
  height: 300,
  glyphs,
  rules: [],
  fills: [],
  drawings: [],
  images: [],
  links: [],
});

test('lines from top to bottom are read as lines, from right to left, with their places on the page', () => {
  const read = readLines(page([...set('潮位の記録は', 300, 250), ...set('毎日、正午に', 280, 250)]));
  expect(read.lines.map(({ text }) => text)).toEqual(['潮位の記録は', '毎日、正午に']);
  const [first, second] = read.lines.map(({ box }) => box);
  expect(first!.b).toBeGreaterThan(second!.b);
  const place = read.toPage(first!);
  expect(place.l).toBeCloseTo(300, 0);
  expect(place.t).toBeCloseTo(257.8, 0);
  expect(place.b).toBeLessThan(205);
});

test('text from left to right, single characters and cells apart from each other are not vertical lines', () => {
  const across = set('潮位の記録', 50, 250, { across: true });
  const pair = set('毎日', 50, 200);
  const cells = set('男女男女', 200, 200, { step: 18 });
  const latin = set('ABCD', 300, 200);
  for (const glyphs of [across, pair, cells, latin])
    expect(markVertical(glyphs).every(({ rotation }) => rotation === 0)).toBe(true);
});
