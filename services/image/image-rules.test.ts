import sharp from 'sharp';
import type { PixelRule } from '../../model/page/ocr';
import { findRules } from './image-rules';
import { readGrey } from './images';

/** The drawing on a page of 1,000 by 1,400 pixels. */
async function drawn(content: string): Promise<PixelRule[]> {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="1000" height="1400"><rect width="1000" height="1400" fill="#fff"/>${content}</svg>`;
  return findRules(await readGrey(await sharp(Buffer.from(svg)).png().toBuffer()));
}
const near = (rules: readonly PixelRule[]) =>
  rules
    .map(({ axis, at, from, to }) => [axis, ...[at, from, to].map((value) => Math.round(value / 5) * 5)])
    .toSorted((a, b) => String(a).localeCompare(String(b)));
const line = (x1: number, y1: number, x2: number, y2: number, width = 3) =>
  `<line x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}" stroke="#000" stroke-width="${width}"/>`;

test('horizontal and vertical lines are found, with both ends', async () => {
  expect(near(await drawn(line(100, 200, 900, 200) + line(300, 150, 300, 600)))).toEqual([
    ['h', 200, 100, 900],
    ['v', 300, 150, 600],
  ]);
});

test('a grid is found line by line', async () => {
  const grid = [0, 1, 2].map(
    (index) =>
      line(100, 100 + 50 * index, 500, 100 + 50 * index) + line(100 + 200 * index, 100, 100 + 200 * index, 200),
  );
  expect(near(await drawn(grid.join('')))).toEqual([
    ['h', 100, 100, 500],
    ['h', 150, 100, 500],
    ['h', 200, 100, 500],
    ['v', 100, 100, 200],
    ['v', 300, 100, 200],
    ['v', 500, 100, 200],
  ]);
});

test('a slightly sloping line is one line at its middle', async () => {
  expect(near(await drawn(line(100, 300, 900, 306)))).toEqual([['h', 305, 100, 900]]);
});

test('short, thick and broken strokes, areas and text are not lines', async () => {
  const content = [
    line(100, 100, 118, 100),
    line(100, 200, 900, 200, 20),
    '<rect x="100" y="300" width="300" height="200" fill="#000"/>',
    '<circle cx="700" cy="400" r="40" fill="none" stroke="#000" stroke-width="3"/>',
    '<line x1="100" y1="600" x2="900" y2="600" stroke="#000" stroke-width="3" stroke-dasharray="10 10"/>',
    '<text x="100" y="700" font-size="30">The gauge is read every morning</text>',
    line(100, 900, 300, 1_000),
  ];
  expect(await drawn(content.join(''))).toEqual([]);
});

test('serifs that join to a line are letters, and a row of boxes for letters keeps its rules', async () => {
  const stems = (step: number, width: number) =>
    [0, 1, 2, 3, 4].map((index) => line(102 + index * step, 170, 102 + index * step, 200, width)).join('');
  expect(near(await drawn(line(100, 200, 150, 200) + stems(11, 5)))).toEqual([]);
  const boxes = line(100, 200, 200, 200) + line(100, 170, 200, 170) + stems(24, 2);
  expect(near(await drawn(boxes)).filter(([axis]) => axis === 'h')).toEqual([
    ['h', 170, 100, 200],
    ['h', 200, 100, 200],
  ]);
});

test('an image of hatching has none', async () => {
  const hatching = Array.from({ length: 230 }, (_, index) =>
    Array.from({ length: 12 }, (_value, column) =>
      line(column * 80, 10 + index * 6, column * 80 + 60, 10 + index * 6, 2),
    ).join(''),
  );
  expect(await drawn(hatching.join(''))).toEqual([]);
});
