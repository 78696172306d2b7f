import type { GreyImage } from '../grey-image';
import { divideLine } from './line-words';

const [height, top, base] = [40, 10, 30];

/** A line whose signs are black bars: their columns. Each is as high as a capital. */
function drawLine(width: number, bars: readonly (readonly [number, number])[]): GreyImage {
  const pixels = new Uint8Array(width * height).fill(255);
  for (const [from, to] of bars) for (let y = top; y < base; y += 1) pixels.fill(20, y * width + from, y * width + to);
  return { pixels, width, height };
}

function divide(image: GreyImage, signs: readonly (readonly [string, number])[]) {
  const box = { x0: 100, y0: 200, x1: 100 + image.width, y1: 240 };
  const read = signs.map(([text, x]) => ({ text, confidence: 0.9, at: x / image.width }));
  return divideLine(read, { image, box, line: 3 });
}

test('words end where a space was read; their edges are those of the ink, in the page', () => {
  const image = drawLine(200, [
    [10, 20],
    [23, 33],
    [45, 55],
  ]);
  const words = divide(image, [
    ['A', 15],
    ['B', 28],
    [' ', 39],
    ['C', 50],
  ]);
  expect(words.map(({ text, box }) => [text, box.x0, box.x1, box.y0, box.y1])).toEqual([
    ['AB', 110, 133, 210, 230],
    ['C', 145, 155, 210, 230],
  ]);
  expect(words.map(({ line, baseline }) => [line, baseline])).toEqual([
    [3, 230],
    [3, 230],
  ]);
});

test('a gap as wide as a space divides words where no space was read, but not the signs of a figure', () => {
  const bars = [
    [10, 20],
    [33, 43],
  ] as const;
  const read = (first: string, second: string) =>
    divide(drawLine(100, bars), [
      [first, 15],
      [second, 38],
    ]).map(({ text }) => text);
  expect(read('A', 'B')).toEqual(['A', 'B']);
  expect(read('1', '1')).toEqual(['11']);
  expect(read('A', '1')).toEqual(['A', '1']);
});

test('a space that was read between two letters without white between them is none', () => {
  const image = drawLine(100, [[10, 40]]);
  const words = divide(image, [
    ['A', 15],
    [' ', 22],
    ['B', 30],
  ]);
  expect(words.map(({ text }) => text)).toEqual(['AB']);
});

test('ink beyond a gap, such as a ruling, does not widen the box of the word', () => {
  const image = drawLine(100, [
    [10, 20],
    [60, 62],
  ]);
  expect(divide(image, [['A', 15]])[0]?.box).toMatchObject({ x0: 110, x1: 120 });
});

test('a line without signs, or with spaces only, has no words', () => {
  const image = drawLine(100, []);
  expect(divide(image, [])).toEqual([]);
  expect(divide(image, [[' ', 50]])).toEqual([]);
  expect(divide(image, [['A', 50]])).toHaveLength(1);
});
