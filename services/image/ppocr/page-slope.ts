import { computePaper, type GreyImage } from '../grey-image';

/** Pixels darker than this share of the paper's brightness are ink. */
const inkShare = 0.7;
/** More points make the result no better. */
const maxPoints = 40_000;
/** Slopes that are tried, in radians: this far around the estimate, in steps of one pixel in a thousand. */
const search = { reach: 0.015, step: 0.001 };

/**
 * The slope of lines near an estimate, in radians: along it, the ink of the page is in the fewest rows. 0 is returned unless another
 * slope is clearly better.
 */
export function refineSlope({ pixels, width, height }: GreyImage, estimate: number): number {
  const limit = inkShare * computePaper(pixels);
  const dark: number[] = [];
  for (let pixel = 0; pixel < pixels.length; pixel += 1) if ((pixels[pixel] as number) < limit) dark.push(pixel);
  const every = Math.max(1, Math.floor(dark.length / maxPoints));
  const points = Int32Array.from(dark.filter((_, index) => index % every === 0));
  const rows = new Uint32Array(height + width);
  const score = (slope: number) => {
    rows.fill(0);
    const middle = width / 2;
    for (const pixel of points) {
      const row = Math.round(Math.floor(pixel / width) - slope * ((pixel % width) - middle) + middle);
      rows[row] = (rows[row] ?? 0) + 1;
    }
    return rows.reduce((sum, count) => sum + count * count, 0);
  };
  const level = score(0);
  let best = { slope: 0, score: clearlyBetter * level };
  for (let step = -search.reach; step <= search.reach; step += search.step) {
    const candidate = { slope: estimate + step, score: score(estimate + step) };
    if (candidate.score > best.score) best = candidate;
  }
  return best.slope;
}

const clearlyBetter = 1.02;
