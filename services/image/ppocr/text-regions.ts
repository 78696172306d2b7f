import type { PixelBox } from '../../../model/page/ocr';

/** How likely each pixel belongs to the core of a line of text, from 0 to 1, row by row. */
export interface TextMap {
  values: ArrayLike<number>;
  width: number;
  height: number;
}

/** Connected pixels of a text map: the core of a printed line or of a part of it. */
export interface TextRegion {
  /** Pixels from the left and from the top. */
  xs: Uint16Array;
  ys: Uint16Array;
  box: PixelBox;
}

/** Thresholds of the published post-processing of DB (differentiable binarization). */
const minProbability = 0.3;
const minScore = 0.6;
/** A core is smaller than its text: the distance to the edge of the text, as a factor of area by perimeter. */
const growth = 1.6;
/** Regions with fewer pixels in one direction are specks. */
const minSide = 3;
/** A region shows the direction of its line when it is this many times as long as high. */
const minLength = 6;
/** Regions of at least this many times their other side say whether lines run across or down. */
const clearShape = 2;

/** Connected regions of probable text with a good score, from top to bottom. At most `limit`. */
export function findTextRegions({ values, width, height }: TextMap, limit: number): TextRegion[] {
  const isSeen = new Uint8Array(width * height);
  const stack: number[] = [];
  const regions: TextRegion[] = [];
  const visit = (pixel: number) => {
    if (isSeen[pixel] || !((values[pixel] as number) > minProbability)) return;
    isSeen[pixel] = 1;
    stack.push(pixel);
  };
  for (let start = 0; start < width * height && regions.length < limit; start += 1) {
    visit(start);
    if (stack.length === 0) continue;
    const pixels: number[] = [];
    let score = 0;
    for (let pixel = stack.pop(); pixel !== undefined; pixel = stack.pop()) {
      pixels.push(pixel);
      score += values[pixel] as number;
      const [column, row] = [pixel % width, Math.floor(pixel / width)];
      for (let y = Math.max(row - 1, 0); y <= Math.min(row + 1, height - 1); y += 1)
        for (let x = Math.max(column - 1, 0); x <= Math.min(column + 1, width - 1); x += 1) visit(y * width + x);
    }
    if (score < minScore * pixels.length) continue;
    const region = buildRegion(pixels, width);
    if (region.box.x1 - region.box.x0 >= minSide && region.box.y1 - region.box.y0 >= minSide) regions.push(region);
  }
  return regions;
}

function buildRegion(pixels: readonly number[], width: number): TextRegion {
  const xs = Uint16Array.from(pixels, (pixel) => pixel % width);
  const ys = Uint16Array.from(pixels, (pixel) => Math.floor(pixel / width));
  return { xs, ys, box: findBounds(xs, ys) };
}

function findBounds(xs: ArrayLike<number>, ys: ArrayLike<number>): PixelBox {
  const box = { x0: Infinity, y0: Infinity, x1: -Infinity, y1: -Infinity };
  for (let index = 0; index < xs.length; index += 1) {
    const [x, y] = [xs[index] as number, ys[index] as number];
    box.x0 = Math.min(box.x0, x);
    box.y0 = Math.min(box.y0, y);
    box.x1 = Math.max(box.x1, x + 1);
    box.y1 = Math.max(box.y1, y + 1);
  }
  return box;
}

/** True when most text is in regions that are higher than wide: the page lies on its side. */
export function isSideways(regions: readonly TextRegion[]): boolean {
  let [across, down] = [0, 0];
  for (const { xs, box } of regions) {
    const [wide, high] = [box.x1 - box.x0, box.y1 - box.y0];
    if (wide > clearShape * high) across += xs.length;
    else if (high > clearShape * wide) down += xs.length;
  }
  return down > across;
}

/** By how much the lines fall to the right, in radians: the median over all pixels of long regions; 0 without such regions. */
export function measureSlope(regions: readonly TextRegion[]): number {
  const slopes = regions
    .filter(
      ({ box }) => box.x1 - box.x0 >= minLength * minSide && box.x1 - box.x0 > (minLength * (box.y1 - box.y0)) / 2,
    )
    .map((region) => ({ angle: Math.atan(fitSlope(region)), weight: region.xs.length }))
    .toSorted((a, b) => a.angle - b.angle);
  let left = slopes.reduce((sum, { weight }) => sum + weight, 0) / 2;
  return slopes.find(({ weight }) => (left -= weight) <= 0)?.angle ?? 0;
}

/** The slope of the line with the least squares of vertical distances. */
function fitSlope({ xs, ys }: TextRegion): number {
  const meanX = xs.reduce((sum, x) => sum + x, 0) / xs.length;
  const meanY = ys.reduce((sum, y) => sum + y, 0) / ys.length;
  let [together, alone] = [0, 0];
  for (let index = 0; index < xs.length; index += 1) {
    const x = (xs[index] as number) - meanX;
    together += x * ((ys[index] as number) - meanY);
    alone += x * x;
  }
  return alone === 0 ? 0 : together / alone;
}

/**
 * The box around the whole text of a region after the map was rotated by `-angle` around its center, in pixels of the map. It may
 * reach beyond the map.
 */
export function growBox(
  { xs, ys }: TextRegion,
  { width, height }: Pick<TextMap, 'width' | 'height'>,
  angle: number,
): PixelBox {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const [middleX, middleY] = [width / 2, height / 2];
  const turnedXs = new Float64Array(xs.length);
  const turnedYs = new Float64Array(xs.length);
  for (let index = 0; index < xs.length; index += 1) {
    const [x, y] = [(xs[index] as number) + 0.5 - middleX, (ys[index] as number) + 0.5 - middleY];
    turnedXs[index] = middleX + x * cos + y * sin - 0.5;
    turnedYs[index] = middleY - x * sin + y * cos - 0.5;
  }
  const { x0, y0, x1, y1 } = findBounds(turnedXs, turnedYs);
  const distance = (growth * (x1 - x0) * (y1 - y0)) / (2 * (x1 - x0 + (y1 - y0)));
  return { x0: x0 - distance, y0: y0 - distance, x1: x1 + distance, y1: y1 + distance };
}
