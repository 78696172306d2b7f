import type { GreyImage } from '../grey-image';
import { cutToLetters, divideLine } from './line-words';

const [height, top, base] = [40, 10, 30];

/** A line whose signs are black bars: their columns. Each is as high as a capital. */
function drawLine(width: number, bars: readonly (readonly [number, number])[]): GreyImage {
  const pixels = new Uint8Array(width * height).fill(255);
  for (const [from, to] of bars) for (let y = top; y < base; y += 1) pixels.fill(20, y * width + from, y * width + to);
  return { pixels, width, height };
}

function divide(image: GreyImage, signs: readonly (readonly [text: string, x: number, space?: number])[]) {
  const box = { x0: 100, y0: 200, x1: 100 + image.width, y1: 240 };
  const read = signs.map(([text, x, space = 0]) => ({ text, confidence: 0.9, at: x / image.width, space }));
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

test('noise of the paper beside a single dash is no ink', () => {
  const image = drawLine(1_200, []);
  for (let index = 0; index < image.pixels.length; index += 1) image.pixels[index] = 230 + ((index * 7_919) % 23);
  for (let y = 18; y < 22; y += 1) image.pixels.fill(20, y * image.width + 600, y * image.width + 620);
  expect(divide(image, [['-', 610]])[0]?.box).toEqual({ x0: 700, x1: 720, y0: 218, y1: 222 });
});

test('a line without signs, or with spaces only, has no words', () => {
  const image = drawLine(100, []);
  expect(divide(image, [])).toEqual([]);
  expect(divide(image, [[' ', 50]])).toEqual([]);
  expect(divide(image, [['A', 50]])).toHaveLength(1);
});

test('pale letters are separated from the paper by their darkest pixels', () => {
  const image = drawLine(200, [
    [10, 20],
    [23, 33],
  ]);
  // Blurred strokes of pale print are lighter than 0.7 of the paper; only their upper ends are darker here.
  for (let at = 0; at < image.pixels.length; at += 1)
    if (image.pixels[at] === 20) image.pixels[at] = at < 200 * (top + 5) ? 130 : 185;
  const words = divide(image, [
    ['A', 15],
    ['B', 28],
  ]);
  expect(words.map(({ text, box }) => [text, box.y0, box.y1])).toEqual([['AB', 210, 230]]);
  expect(cutToLetters(image, { x0: 0, x1: 200, y0: 0, y1: 40 })).toMatchObject({ y0: 6, y1: 34 });
});

test('a space that was nearly read divides words at less white', () => {
  const image = drawLine(200, [
    [10, 20],
    [28, 38],
    [44, 54],
  ]);
  const read = (space: number) =>
    divide(image, [
      ['o', 15],
      [' ', 24],
      ['f', 33],
      ['b', 49, space],
    ]).map(({ text }) => text);
  expect(read(0.1)).toEqual(['o', 'fb']);
  expect(read(0.4)).toEqual(['o', 'f', 'b']);
});

test('a line is cut to its letters and a margin, but keeps its size beside low letters', () => {
  const box = { x0: 100, y0: 200, x1: 300, y1: 240 };
  const cut = (from: number, to: number) => {
    const image = drawLine(200, []);
    for (let y = from; y < to; y += 1) image.pixels.fill(20, y * 200 + 10, y * 200 + 60);
    const { y0, y1 } = cutToLetters(image, box);
    return [y0 - box.y0, y1 - box.y0];
  };
  // 20 rows with a margin of 4 rows.
  expect(cut(10, 30)).toEqual([6, 34]);
  // Small letters alone: 22 of 40 rows, around the letters.
  expect(cut(17, 29)).toEqual([12, 34]);
  // A dash does not show where letters are.
  expect(cut(19, 22)).toEqual([0, 40]);
  expect(cut(0, 40)).toEqual([0, 40]);
});
