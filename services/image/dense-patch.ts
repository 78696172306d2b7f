import type { PixelBox } from '../../model/page/ocr';
import type { GreyImage } from './grey-image';

/** The side of the patch: a share of the shorter side of the image, with limits in pixels. */
const side = { share: 0.3, min: 240, max: 500 };
/** Steps per side: the patch moves by one step, so that neighbouring places overlap. */
const steps = 4;
/** In smaller images the patch would be nearly the whole image. */
const minRoom = 1.5;
/** Neighbouring pixels that differ by more are an edge. */
const minContrast = 60;
const minEdges = 1 / 60;

/** The square of an image with the most edges between light and dark, which are those of text; undefined in blank or small images. */
export function findDensestPatch({ pixels, width, height }: GreyImage): PixelBox | undefined {
  const shorter = Math.min(width, height);
  const size = Math.round(Math.min(side.max, Math.max(side.min, side.share * shorter)));
  if (shorter < minRoom * size) return undefined;
  const step = Math.round(size / steps);
  const [columns, rows] = [Math.floor(width / step), Math.floor(height / step)];
  const counts = countEdges({ pixels, width, height }, step, columns, rows);
  let best = { count: 0, column: 0, row: 0 };
  for (let row = 0; row + steps <= rows; row += 1) {
    for (let column = 0; column + steps <= columns; column += 1) {
      let count = 0;
      for (let y = row; y < row + steps; y += 1)
        for (let x = column; x < column + steps; x += 1) count += counts[y * columns + x] as number;
      if (count > best.count) best = { count, column, row };
    }
  }
  if (best.count < minEdges * size * size) return undefined;
  const [x0, y0] = [best.column * step, best.row * step];
  return { x0, y0, x1: Math.min(width, x0 + steps * step), y1: Math.min(height, y0 + steps * step) };
}

/** Edges in each square of `step` pixels, row after row; every second line of pixels counts. */
function countEdges({ pixels, width }: GreyImage, step: number, columns: number, rows: number): Uint32Array {
  const counts = new Uint32Array(columns * rows);
  for (let y = 0; y < rows * step; y += 2) {
    const start = Math.floor(y / step) * columns;
    for (let x = 1; x < columns * step; x += 1) {
      const at = y * width + x;
      if (Math.abs((pixels[at] as number) - (pixels[at - 1] as number)) > minContrast) {
        const place = start + Math.floor(x / step);
        counts[place] = (counts[place] as number) + 2;
      }
    }
  }
  return counts;
}
