import type { PixelBox } from '../../../model/page/ocr';
import { computePaper, type GreyImage } from '../grey-image';

/** Height of letters, margin and distance of rows in pixels. The height is the one that the engine reads best. */
const sheet = { letters: 30, margin: 24, between: 36, widest: 1_200 };

/** A part of an image to be read alone; its letters are `height` pixels high. */
export interface Piece {
  box: PixelBox;
  height: number;
}

/** An image with each piece on a separate row, and the limits of the rows. */
export interface Sheet {
  image: GreyImage;
  rows: { top: number; bottom: number }[];
}

/** Draws the pieces below each other, all with letters of the same height. */
export function drawSheet(image: GreyImage, pieces: readonly Piece[]): Sheet {
  const paper = computePaper(image.pixels);
  const placed: { piece: Piece; scale: number; top: number; width: number; height: number }[] = [];
  let top = sheet.margin;
  for (const piece of pieces) {
    const { x0, x1, y0, y1 } = piece.box;
    const scale = Math.min(sheet.letters / piece.height, sheet.widest / (x1 - x0));
    const [width, height] = [Math.ceil((x1 - x0) * scale), Math.ceil((y1 - y0) * scale)];
    placed.push({ piece, scale, top, width, height });
    top += height + sheet.between;
  }
  const width = Math.max(0, ...placed.map((row) => row.width)) + 2 * sheet.margin;
  const height = top - sheet.between + sheet.margin;
  const pixels = new Uint8Array(width * height).fill(paper);
  for (const row of placed) {
    for (let y = 0; y < row.height; y += 1)
      for (let x = 0; x < row.width; x += 1)
        pixels[(row.top + y) * width + sheet.margin + x] = computePixel(
          image,
          row.piece.box.x0 + (x + 0.5) / row.scale - 0.5,
          row.piece.box.y0 + (y + 0.5) / row.scale - 0.5,
        );
  }
  const half = sheet.between / 2;
  return {
    image: { pixels, width, height },
    rows: placed.map((row) => ({ top: row.top - half, bottom: row.top + row.height + half })),
  };
}

/** The brightness between pixels. */
function computePixel({ pixels, width, height }: GreyImage, x: number, y: number): number {
  const [left, above] = [Math.floor(x), Math.floor(y)];
  const at = (column: number, row: number) =>
    pixels[Math.min(height - 1, Math.max(0, row)) * width + Math.min(width - 1, Math.max(0, column))] as number;
  const [right, below] = [x - left, y - above];
  const upper = at(left, above) * (1 - right) + at(left + 1, above) * right;
  const lower = at(left, above + 1) * (1 - right) + at(left + 1, above + 1) * right;
  return Math.round(upper * (1 - below) + lower * below);
}
