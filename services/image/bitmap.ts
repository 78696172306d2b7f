import { AppError } from '../../model/errors';

/** The pixels of a Windows bitmap as RGB bytes, row by row from the top. */
export interface Bitmap {
  rgb: Uint8Array;
  width: number;
  height: number;
  /** Absent when the file has no resolution. */
  dpi?: number;
}

const fileHeader = 14;
const metersPerInch = 0.0254;
const uncompressed = new Set([0, 3, 6]);

/** True when the bytes start with the header of a Windows bitmap. */
export function isBitmap(bytes: Uint8Array): boolean {
  return bytes.length > fileHeader + 12 && bytes[0] === 0x42 && bytes[1] === 0x4d;
}

/**
 * Decodes an uncompressed Windows bitmap with 1, 4, 8, 16, 24 or 32 bits per pixel. Throws DOCUMENT_CORRUPT for other or damaged
 * bitmaps, DOCUMENT_TOO_LARGE for more than `maxPixels`.
 */
export function readBitmap(bytes: Uint8Array, name: string, maxPixels: number): Bitmap {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const createBrokenError = (reason: string) =>
    new AppError('DOCUMENT_CORRUPT', `'${name}' is not a readable image: ${reason}.`);
  const headerSize = view.getUint32(fileHeader, true);
  if (headerSize < 40 || bytes.length < fileHeader + headerSize)
    throw createBrokenError('its bitmap header is unknown');
  const [width, signedHeight] = [view.getInt32(18, true), view.getInt32(22, true)];
  const [bits, packing] = [view.getUint16(28, true), view.getUint32(30, true)];
  const height = Math.abs(signedHeight);
  if (width <= 0 || height === 0) throw createBrokenError('it has no pixels');
  if (width * height > maxPixels)
    throw new AppError('DOCUMENT_TOO_LARGE', `'${name}' has more than ${maxPixels.toLocaleString('en-US')} pixels.`);
  if (!uncompressed.has(packing) || ![1, 4, 8, 16, 24, 32].includes(bits))
    throw createBrokenError('this kind of bitmap is not supported');
  const start = view.getUint32(10, true);
  const stride = Math.ceil((width * bits) / 32) * 4;
  if (bytes.length < start + stride * height) throw createBrokenError('it ends early');
  const color = bits <= 8 ? readPalette(view, { bits, headerSize, start }) : readMasks(view, { bits, packing });
  const rgb = new Uint8Array(width * height * 3);
  for (let row = 0; row < height; row += 1) {
    // Rows are stored bottom-up unless the height is negative.
    const from = start + stride * (signedHeight > 0 ? height - 1 - row : row);
    for (let column = 0; column < width; column += 1) {
      const value = color(from, column);
      const to = (row * width + column) * 3;
      rgb[to] = value >> 16;
      rgb[to + 1] = (value >> 8) & 255;
      rgb[to + 2] = value & 255;
    }
  }
  const dpi = Math.round(view.getInt32(38, true) * metersPerInch);
  return { rgb, width, height, ...(dpi > 0 ? { dpi } : {}) };
}

/** Returns a pixel as 0xRRGGBB; `from` is the offset of its row. */
type Color = (from: number, column: number) => number;

function readPalette(view: DataView, facts: { bits: number; headerSize: number; start: number }): Color {
  const { bits, headerSize, start } = facts;
  const first = fileHeader + headerSize;
  const last = Math.min(start, view.byteLength) - 4;
  const perByte = 8 / bits;
  return (from, column) => {
    const byte = view.getUint8(from + Math.floor(column / perByte));
    const index = (byte >> (8 - bits - (column % perByte) * bits)) & ((1 << bits) - 1);
    const at = first + index * 4;
    // Bytes are blue, green, red and an unused one. A missing entry is black.
    return at > last ? 0 : view.getUint32(at, true) & 0xff_ff_ff;
  };
}

function readMasks(view: DataView, { bits, packing }: { bits: number; packing: number }): Color {
  if (bits === 24)
    return (from, column) => {
      const at = from + column * 3;
      return (view.getUint8(at + 2) << 16) | (view.getUint8(at + 1) << 8) | view.getUint8(at);
    };
  const defaultMasks = bits === 16 ? [0x7c00, 0x03e0, 0x001f] : [0xff0000, 0x00ff00, 0x0000ff];
  const masks =
    packing === 0 ? defaultMasks : [54, 58, 62].map((at) => (at + 4 <= view.byteLength ? view.getUint32(at, true) : 0));
  const channels = masks.map((mask) => {
    const shift = mask === 0 ? 0 : 31 - Math.clz32(mask & -mask);
    return { mask, shift, max: mask === 0 ? 1 : mask >>> shift };
  });
  return (from, column) => {
    const value = bits === 16 ? view.getUint16(from + column * 2, true) : view.getUint32(from + column * 4, true);
    return channels.reduce(
      (color, { mask, shift, max }) => (color << 8) | Math.round((((value & mask) >>> shift) * 255) / max),
      0,
    );
  };
}
