import { computePaper, type GreyImage } from '../grey-image';
import { findInk, findLetterHeight } from './ink';

/** Lighter pixels than this share of the paper's brightness are paper. */
const lightest = 0.7;
/** Paper is even if this share of its pixels differs from the usual brightness by no more than `step`. */
const even = { share: 0.9, step: 2 };
/** Brightness of drawn paper: white, or the dark background of a screen. A scanner sees paper less white, a camera even less. */
const drawn = { white: 250, dark: 100 };
/** In a photo, one tenth of the page gets less than this share of the light of another tenth. Tiles are in pixels; `dark` ones, below this share of the usual light, are pictures. */
const photo = { light: 0.9, tile: 64, dark: 0.5 };
/** Letters of fewer pixels are coarse. */
const coarseLetters = 11;

/**
 * True for a photo of a page, and for a scan with letters of few pixels; false for other scans and for pages that were drawn, such as
 * pictures of a screen. The image is `scale` times larger than it was stored.
 */
export function isPoorCopy(image: GreyImage, scale = 1): boolean {
  if (isDrawn(image)) return false;
  if (measureEvenness(image) < photo.light) return true;
  const letters = findLetterHeight(findInk(image));
  return letters !== undefined && letters / scale < coarseLetters;
}

function isDrawn({ pixels }: GreyImage): boolean {
  const paper = computePaper(pixels);
  if (paper < drawn.white) return paper < drawn.dark;
  let [light, same] = [0, 0];
  for (const value of pixels) {
    if (value < lightest * paper) continue;
    light += 1;
    if (Math.abs(value - paper) <= even.step) same += 1;
  }
  return same >= even.share * light;
}

/** The brightness of the paper in the dark parts of the page, as a share of that in its light parts. */
function measureEvenness({ pixels, width, height }: GreyImage): number {
  const papers: number[] = [];
  const tile = new Uint8Array(photo.tile ** 2);
  for (let top = 0; top + photo.tile <= height; top += photo.tile)
    for (let left = 0; left + photo.tile <= width; left += photo.tile) {
      for (let y = 0; y < photo.tile; y += 1) {
        const from = (top + y) * width + left;
        tile.set(pixels.subarray(from, from + photo.tile), y * photo.tile);
      }
      papers.push(computePaper(tile));
    }
  papers.sort((a, b) => a - b);
  const usual = papers[Math.floor(0.5 * papers.length)] ?? 1;
  const lit = papers.filter((paper) => paper >= photo.dark * usual);
  const dark = lit[Math.floor(0.1 * lit.length)] ?? 1;
  const light = lit[Math.floor(0.9 * lit.length)] ?? 1;
  return dark / Math.max(1, light);
}
