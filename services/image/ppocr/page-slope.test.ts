import type { GreyImage } from '../grey-image';
import { refineSlope } from './page-slope';

/** A page of six lines of short strokes, which fall to the right by `slope`. */
function drawLines(slope: number): GreyImage {
  const [width, height] = [600, 400];
  const pixels = new Uint8Array(width * height).fill(240);
  for (let line = 0; line < 6; line += 1)
    for (let x = 40; x < 560; x += 1)
      for (let y = 0; y < 10; y += 1)
        if (x % 10 < 6) pixels[Math.round(60 + 50 * line + y + slope * (x - width / 2)) * width + x] = 20;
  return { pixels, width, height };
}

test.each([0.02, -0.03, 0.008])('the slope %d is found from an estimate nearby', (slope) => {
  expect(refineSlope(drawLines(slope), slope + 0.006)).toBeCloseTo(slope, 2);
});

test('a level page stays level, whatever the estimate', () => {
  for (const estimate of [0, 0.01, -0.012]) expect(refineSlope(drawLines(0), estimate)).toBe(0);
  expect(refineSlope({ pixels: new Uint8Array(100).fill(255), width: 10, height: 10 }, 0.01)).toBe(0);
});
