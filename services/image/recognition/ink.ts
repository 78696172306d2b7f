import type { PixelBox } from '../../../model/page/ocr';
import { computePaper, type GreyImage } from '../grey-image';

/** Pixels darker than this share of the paper's brightness are ink; faint ink includes blurred signs. */
const inkShare = 0.7;
export const faintInk = 0.87;
/** Images with more pieces of ink are photographs or patterns. */
const maxPieces = 60_000;

/** A run of ink in one row of pixels; `piece` is its number in the list of pieces. */
interface Run {
  from: number;
  to: number;
  piece: number;
}

/** The boxes of connected ink, from top to bottom: mostly one for each letter. None if there are too many. */
export function findInk({ pixels, width, height }: GreyImage, share = inkShare): PixelBox[] {
  const darkest = share * computePaper(pixels);
  const boxes: PixelBox[] = [];
  const joined: number[] = [];
  const findRoot = (piece: number): number => {
    let root = piece;
    while (joined[root] !== root) root = joined[root] as number;
    return root;
  };
  let above: Run[] = [];
  for (let y = 0; y < height; y += 1) {
    const row: Run[] = [];
    let first = 0;
    for (let x = 0; x < width; x += 1) {
      if ((pixels[y * width + x] as number) >= darkest) continue;
      const from = x;
      while (x < width && (pixels[y * width + x] as number) < darkest) x += 1;
      while ((above[first]?.to ?? from) < from) first += 1;
      let piece = -1;
      for (let at = first; at < above.length && (above[at] as Run).from <= x; at += 1) {
        const other = findRoot((above[at] as Run).piece);
        if (piece >= 0 && other !== piece) extendBox(boxes[piece] as PixelBox, boxes[other] as PixelBox);
        if (piece < 0) piece = other;
        else joined[other] = piece;
      }
      const region = { x0: from, y0: y, x1: x, y1: y + 1 };
      if (piece < 0) {
        if (boxes.length > maxPieces) return [];
        piece = boxes.push(region) - 1;
        joined.push(piece);
      } else extendBox(boxes[piece] as PixelBox, region);
      row.push({ from, to: x, piece });
    }
    above = row;
  }
  return boxes.filter((_, piece) => joined[piece] === piece);
}

/** The usual height of letters in pixels, small letters included; undefined when there are too few. */
export function findLetterHeight(ink: readonly PixelBox[]): number | undefined {
  const heights = ink
    .map(({ x0, y0, x1, y1 }) => ({ wide: x1 - x0, high: y1 - y0 }))
    .filter(({ wide, high }) => high >= 5 && wide >= 2 && wide <= 3 * high && high <= 8 * wide)
    .map(({ high }) => high)
    .toSorted((a, b) => a - b);
  return heights.length < minLetters ? undefined : heights[Math.floor(heights.length / 2)];
}

const minLetters = 12;

/** True if there are letters, and the image has room for as many as it has pieces of ink: noise has more. */
export function mayBeText(ink: readonly PixelBox[], { width, height }: { width: number; height: number }): boolean {
  const letterHeight = findLetterHeight(ink);
  return letterHeight !== undefined && ink.length * letterHeight ** 2 < width * height;
}

function extendBox(box: PixelBox, other: PixelBox): void {
  box.x0 = Math.min(box.x0, other.x0);
  box.y0 = Math.min(box.y0, other.y0);
  box.x1 = Math.max(box.x1, other.x1);
  box.y1 = Math.max(box.y1, other.y1);
}

/** The image with white paper, because noise of the paper makes the engine take parts of a page for pictures. */
export function whitenPaper(image: GreyImage): GreyImage {
  const white = paperShare * computePaper(image.pixels);
  const levels = Uint8Array.from({ length: 256 }, (_, value) => Math.min(255, Math.round((value / white) * 255)));
  const pixels = new Uint8Array(image.pixels.length);
  for (let at = 0; at < pixels.length; at += 1) pixels[at] = levels[image.pixels[at] as number] as number;
  return { ...image, pixels };
}

/** Pixels brighter than this share of the paper are white. */
const paperShare = 0.92;
