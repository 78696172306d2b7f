/** One byte per pixel, 0 is black, row by row. */
export interface GreyImage {
  pixels: Uint8Array;
  width: number;
  height: number;
}

/** The brightness of the paper, because most of a page is paper. */
export function computePaper(pixels: Uint8Array): number {
  const counts = new Uint32Array(256);
  for (const value of pixels) counts[value] = (counts[value] as number) + 1;
  let below = 0;
  return counts.findIndex((count) => (below += count) >= pixels.length / 2);
}
