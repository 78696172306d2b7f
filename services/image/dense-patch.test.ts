import { findDensestPatch } from './dense-patch';

const paper = (width: number, height: number) => ({ pixels: new Uint8Array(width * height).fill(255), width, height });

test('the part with the most edges is that of the text', () => {
  const page = paper(1_000, 1_400);
  for (let y = 900; y < 1_200; y += 1)
    for (let x = 550; x < 950; x += 1) if (x % 6 < 3) page.pixels[y * page.width + x] = 0;
  const { x0, y0, x1, y1 } = findDensestPatch(page)!;
  expect(x0).toBeGreaterThan(450);
  expect(x1).toBeLessThanOrEqual(1_000);
  expect(y0).toBeGreaterThan(800);
  expect(y1).toBeLessThan(1_300);
});

test('blank and small images have none', () => {
  expect(findDensestPatch(paper(1_000, 1_400))).toBeUndefined();
  expect(findDensestPatch(paper(200, 300))).toBeUndefined();
});
