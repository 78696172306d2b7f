import { cropPixels, createImageTensor, resizePixels, computeTargetSize } from './image-tensor';

/** An image with one row of grey pixels. */
const row = (...values: number[]) => ({
  rgb: Uint8Array.from(values.flatMap((value) => [value, value, value])),
  width: values.length,
  height: 1,
});
const greys = ({ rgb }: { rgb: Uint8Array }) => [...rgb].filter((_, index) => index % 3 === 0);

test.each([
  ['a fixed size', { width: 640, height: 640 }, 640, 640],
  ['the shortest side', { shortest: 800 }, 800, 1600],
  ['the shortest side, as long as the longest fits', { shortest: 800, longest: 1000 }, 500, 1000],
  ['the longest side', { longest: 500 }, 250, 500],
  ['no size', {}, 300, 600],
])('%s decides the size of the page that the model gets', (_name, size, width, height) => {
  expect(computeTargetSize({ width: 300, height: 600 }, size)).toEqual({ width, height });
});

test('an enlarged image is interpolated', () => {
  expect(greys(resizePixels(row(0, 255), { width: 4, height: 1 }, 'bilinear'))).toEqual([0, 64, 191, 255]);
});

test('a reduced image takes all pixels into account, not only the nearest', () => {
  expect(greys(resizePixels(row(0, 0, 255, 255), { width: 2, height: 1 }, 'bilinear'))).toEqual([36, 219]);
  expect(greys(resizePixels(row(0, 255, 0, 255, 0, 255), { width: 1, height: 1 }, 'bilinear'))).toEqual([128]);
  const cubic = greys(resizePixels(row(0, 0, 0, 255, 255, 255), { width: 3, height: 1 }, 'bicubic'));
  expect(cubic[0]).toBe(0);
  expect(Math.abs((cubic[1] ?? NaN) - 127.5)).toBeLessThan(1);
  expect(cubic[2]).toBe(255);
});

test('both directions are resized, and each channel separately', () => {
  const image = { rgb: Uint8Array.from([255, 0, 10, 255, 0, 10, 0, 0, 10, 0, 0, 10]), width: 2, height: 2 };
  expect([...resizePixels(image, { width: 1, height: 1 }, 'bilinear').rgb]).toEqual([128, 0, 10]);
});

test('values are ordered by channel, rescaled and normalized', () => {
  const image = { rgb: Uint8Array.from([255, 0, 51, 0, 255, 102]), width: 2, height: 1 };
  const plain = { size: {}, resample: 'bilinear', rescaleFactor: 1 / 255, normalize: undefined } as const;
  const tensor = createImageTensor(image, plain);
  expect([tensor.width, tensor.height]).toEqual([2, 1]);
  expect([...tensor.data].map((value) => Number(value.toFixed(3)))).toEqual([1, 0, 0, 1, 0.2, 0.4]);
  const normalize = { mean: [0.5, 0.5, 0], std: [0.5, 0.25, 2] } as const;
  const normal = createImageTensor(image, { ...plain, normalize });
  expect([...normal.data].map((value) => Number(value.toFixed(3)))).toEqual([1, -1, -2, 2, 0.1, 0.2]);
  expect([...createImageTensor(image, { ...plain, rescaleFactor: undefined }).data]).toEqual([255, 0, 0, 255, 51, 102]);
});

test('a crop ends at the edges of the image and has at least one pixel', () => {
  const image = row(1, 2, 3, 4);
  expect(greys(cropPixels(image, { x0: 1, y0: -5, x1: 2.6, y1: 9 }))).toEqual([2, 3]);
  expect(greys(cropPixels(image, { x0: 8, y0: 0, x1: 9, y1: 1 }))).toEqual([4]);
});
