import { AppError } from '../../model/errors';

/** The pixels of a Windows bitmap as RGB bytes, row by row from the top. */
export interface Bitmap {
  rgb: Uint8Array;
  width: number;
  height: number;
  /** Absent when the file has no resolution. */
  dpi?: number;
}

/** Places in a bitmap, in bytes from its start. */
const offsets = {
  pixelStart: 10,
  headerSize: 14,
  width: 18,
  height: 22,
  bits: 28,
  compression: 30,
  pixelsPerMeter: 38,
  masks: [54, 58, 62],
} as const;
const fileHeaderSize = 14;
/** The size of a bitmap header since Windows 3; those of OS/2 are shorter. */
const minHeaderSize = 40;
/** Pixels as they are, and with masks for their channels. */
const compressions = { none: 0, masks: 3, masksWithAlpha: 6 } as const;
const supportedCompressions: ReadonlySet<number> = new Set(Object.values(compressions));
const supportedBits: ReadonlySet<number> = new Set([1, 4, 8, 16, 24, 32]);
const metersPerInch = 0.0254;

/** True when the bytes start with the header of a Windows bitmap. */
export function isBitmap(bytes: Uint8Array): boolean {
  return bytes.length > fileHeaderSize + 12 && bytes[0] === 0x42 && bytes[1] === 0x4d; // BM
}

/**
 * Decodes an uncompressed Windows bitmap with 1, 4, 8, 16, 24 or 32 bits per pixel. Throws DOCUMENT_CORRUPT for other or damaged
 * bitmaps, DOCUMENT_TOO_LARGE for more than `maxPixels`.
 */
export function readBitmap(bytes: Uint8Array, name: string, maxPixels: number): Bitmap {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const header = readHeader(view, name, maxPixels);
  const { width, height, isBottomUp, start, stride } = header;
  const readColor = header.bits <= 8 ? createPaletteReader(view, header) : createMaskReader(view, header);
  const rgb = new Uint8Array(width * height * 3);
  for (let row = 0; row < height; row += 1) {
    const from = start + stride * (isBottomUp ? height - 1 - row : row);
    for (let column = 0; column < width; column += 1) {
      const color = readColor(from, column);
      const to = (row * width + column) * 3;
      rgb[to] = color >> 16;
      rgb[to + 1] = (color >> 8) & 255;
      rgb[to + 2] = color & 255;
    }
  }
  const dpi = Math.round(view.getInt32(offsets.pixelsPerMeter, true) * metersPerInch);
  return { rgb, width, height, ...(dpi > 0 ? { dpi } : {}) };
}

interface Header {
  headerSize: number;
  width: number;
  height: number;
  isBottomUp: boolean;
  bits: number;
  compression: number;
  /** The offset of the pixels. */
  start: number;
  /** Bytes of a row, which are a multiple of four. */
  stride: number;
}

function readHeader(view: DataView, name: string, maxPixels: number): Header {
  const createBrokenError = (reason: string) =>
    new AppError('DOCUMENT_CORRUPT', `'${name}' is not a readable image: ${reason}.`);
  const headerSize = view.getUint32(offsets.headerSize, true);
  if (headerSize < minHeaderSize || view.byteLength < fileHeaderSize + headerSize)
    throw createBrokenError('its bitmap header is unknown');
  const width = view.getInt32(offsets.width, true);
  const signedHeight = view.getInt32(offsets.height, true);
  const height = Math.abs(signedHeight);
  if (width <= 0 || height === 0) throw createBrokenError('it has no pixels');
  if (width * height > maxPixels)
    throw new AppError('DOCUMENT_TOO_LARGE', `'${name}' has more than ${maxPixels.toLocaleString('en-US')} pixels.`);
  const bits = view.getUint16(offsets.bits, true);
  const compression = view.getUint32(offsets.compression, true);
  if (!supportedCompressions.has(compression) || !supportedBits.has(bits))
    throw createBrokenError('this kind of bitmap is not supported');
  const start = view.getUint32(offsets.pixelStart, true);
  const stride = Math.ceil((width * bits) / 32) * 4;
  if (view.byteLength < start + stride * height) throw createBrokenError('it ends early');
  return { headerSize, width, height, isBottomUp: signedHeight > 0, bits, compression, start, stride };
}

/** Returns a pixel as 0xRRGGBB; `from` is the offset of its row. */
type ReadColor = (from: number, column: number) => number;

function createPaletteReader(view: DataView, { bits, headerSize, start }: Header): ReadColor {
  const first = fileHeaderSize + headerSize;
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

function createMaskReader(view: DataView, { bits, compression }: Header): ReadColor {
  if (bits === 24)
    return (from, column) => {
      const at = from + column * 3;
      return (view.getUint8(at + 2) << 16) | (view.getUint8(at + 1) << 8) | view.getUint8(at);
    };
  const defaultMasks = bits === 16 ? [0x7c00, 0x03e0, 0x001f] : [0xff0000, 0x00ff00, 0x0000ff];
  const masks =
    compression === compressions.none
      ? defaultMasks
      : offsets.masks.map((at) => (at + 4 <= view.byteLength ? view.getUint32(at, true) : 0));
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
