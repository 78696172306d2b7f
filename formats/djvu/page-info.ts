import { AppError } from '../../model/errors';

/** A rectangle in pixels, measured from the lower left corner. */
export interface Rectangle {
  l: number;
  b: number;
  r: number;
  t: number;
}

/** Size and orientation of a page. */
export interface PageInfo {
  /** Pixels before the rotation. */
  width: number;
  height: number;
  dpi: number;
  /** Counter-clockwise degrees by which viewers turn the page. */
  rotation: 0 | 90 | 180 | 270;
}

const usualDpi = 300;
const [minDpi, maxDpi] = [25, 6000];
/** By the flags in the lowest three bits. */
const rotations: Readonly<Record<number, PageInfo['rotation']>> = { 2: 180, 5: 270, 6: 90 };

/** Reads the `INFO` chunk (DjVu 3 specification, 8.3.11). Throws DOCUMENT_CORRUPT if it has no size. */
export function readPageInfo(data: Buffer | undefined): PageInfo {
  const [width, height] = data && data.length >= 4 ? [data.readUInt16BE(0), data.readUInt16BE(2)] : [0, 0];
  if (!data || width === 0 || height === 0) throw new AppError('DOCUMENT_CORRUPT', 'The page has no size.');
  // Old files end after the size or after the version.
  const dpi = data.length >= 8 ? data.readUInt16LE(6) : usualDpi;
  return {
    width,
    height,
    dpi: dpi >= minDpi && dpi <= maxDpi ? dpi : usualDpi,
    rotation: rotations[(data[9] ?? 0) & 7] ?? 0,
  };
}

/** Returns the size of the page as viewers show it, in pixels. */
export function getShownSize({ width, height, rotation }: PageInfo): { width: number; height: number } {
  return rotation % 180 === 0 ? { width, height } : { width: height, height: width };
}

/** Returns where viewers show a rectangle of the page. */
export function turnRectangle({ l, b, r, t }: Rectangle, { width, height, rotation }: PageInfo): Rectangle {
  if (rotation === 90) return { l: height - t, b: l, r: height - b, t: r };
  if (rotation === 180) return { l: width - r, b: height - t, r: width - l, t: height - b };
  if (rotation === 270) return { l: b, b: width - r, r: t, t: width - l };
  return { l, b, r, t };
}
