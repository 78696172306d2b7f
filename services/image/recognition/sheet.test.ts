import { drawSheet } from './sheet';

test('each piece is on its own row, and letters become equally high', () => {
  const pixels = new Uint8Array(100 * 40).fill(250);
  for (let y = 5; y < 15; y += 1) for (let x = 10; x < 20; x += 1) pixels[y * 100 + x] = 0;
  const box = { x0: 5, y0: 0, x1: 25, y1: 20 };
  const { image, rows } = drawSheet({ pixels, width: 100, height: 40 }, [
    { box, height: 10 },
    { box, height: 20 },
  ]);
  expect(rows.map(({ top, bottom }) => bottom - top)).toEqual([60 + 36, 30 + 36]);
  expect(rows[1]?.top).toBe(rows[0]?.bottom);
  // The ink of the first piece, enlarged three times, begins 15 pixels from its corner.
  const row = (rows[0]?.top ?? 0) + 18 + 30;
  const dark = Array.from(image.pixels.subarray(row * image.width, (row + 1) * image.width)).filter((v) => v < 125);
  expect(dark).toHaveLength(30);
});
