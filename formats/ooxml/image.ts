import type { ImageRef } from '../../document/model';
import type { Zip } from '../zip/zip';

/** Larger pictures are omitted: as base64 in JSON they would be far larger than the text. */
const maxImageBytes = 2 * 1024 * 1024;
/** Limit for the data URIs of all pictures of a document together. */
const maxTotalBytes = 16 * 1024 * 1024;

/** Type and pixel size of a raster image. */
export interface ImageInfo {
  mimetype: string;
  width: number;
  height: number;
}

/**
 * Returns the image for a key. Each image is encoded once. Undefined when the limit of the document is used up, and for formats
 * that browsers do not support.
 */
export type ImageShare<Key> = (key: Key, load: () => Uint8Array | undefined) => ImageRef | undefined;

/** Creates an unused image share. */
export function createImageShare<Key>(): ImageShare<Key> {
  let remainingBytes = maxTotalBytes;
  const imagesByKey = new Map<Key, ImageRef | undefined>();
  return (key, load) => {
    if (!imagesByKey.has(key)) imagesByKey.set(key, findImage(load()));
    const image = imagesByKey.get(key);
    // A picture used a hundred times is written a hundred times.
    if (image === undefined || image.uri.length > remainingBytes) return undefined;
    remainingBytes -= image.uri.length;
    return image;
  };
}

/**
 * Returns a lookup of images in a package as data URIs, limited per document; undefined for formats that browsers do not
 * support.
 */
export function createImages({
  zip,
}: {
  zip: Pick<Zip, 'read' | 'declaredSize'>;
}): (part: string) => ImageRef | undefined {
  const share = createImageShare<string>();
  return (part) =>
    share(part, () => {
      const declared = zip.declaredSize(part);
      return declared === undefined || declared > maxImageBytes ? undefined : zip.read(part);
    });
}

function findImage(bytes: Uint8Array | undefined): ImageRef | undefined {
  if (bytes === undefined || bytes.length > maxImageBytes) return undefined;
  const info = readImageInfo(bytes);
  if (info === undefined) return undefined;
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
  const { mimetype, width, height } = info;
  return { mimetype, dpi: 72, size: { width, height }, uri: `data:${mimetype};base64,${data}` };
}

/** Reads type and size from the first bytes; undefined for vector and unknown formats. */
export function readImageInfo(bytes: Uint8Array): ImageInfo | undefined {
  if (bytes.length < 26) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const readAscii = (from: number, to: number) => String.fromCharCode(...bytes.subarray(from, to));
  if (readAscii(1, 4) === 'PNG')
    return { mimetype: 'image/png', width: view.getUint32(16), height: view.getUint32(20) };
  if (readAscii(0, 4) === 'GIF8') {
    return { mimetype: 'image/gif', width: view.getUint16(6, true), height: view.getUint16(8, true) };
  }
  if (readAscii(0, 2) === 'BM') {
    return { mimetype: 'image/bmp', width: view.getInt32(18, true), height: Math.abs(view.getInt32(22, true)) };
  }
  if (bytes[0] === 0xff && bytes[1] === 0xd8) return findJpegInfo(bytes, view);
  if (readAscii(0, 4) === 'RIFF' && readAscii(8, 12) === 'WEBP') return findWebpInfo(bytes, view, readAscii(12, 16));
  if (readAscii(0, 4) === 'II*\0') return findTiffInfo(view, true);
  if (readAscii(0, 4) === 'MM\0*') return findTiffInfo(view, false);
  return undefined;
}

/** The frame header (SOF0 to SOF15 without DHT, JPG and DAC) contains height and width. */
function findJpegInfo(bytes: Uint8Array, view: DataView): ImageInfo | undefined {
  for (let at = 2; at + 9 < bytes.length;) {
    if (bytes[at] !== 0xff) return undefined;
    const marker = bytes[at + 1]!;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return { mimetype: 'image/jpeg', width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    at += 2 + view.getUint16(at + 2);
  }
  return undefined;
}

/** Reads the size of an extended (VP8X), lossless (VP8L) or lossy image. */
function findWebpInfo(bytes: Uint8Array, view: DataView, chunk: string): ImageInfo | undefined {
  const mimetype = 'image/webp';
  if (bytes.length < 30) return undefined;
  if (chunk === 'VP8X') {
    const readSize = (at: number) => 1 + bytes[at]! + bytes[at + 1]! * 256 + bytes[at + 2]! * 65_536;
    return { mimetype, width: readSize(24), height: readSize(27) };
  }
  if (chunk === 'VP8L') {
    const bits = view.getUint32(21, true);
    return { mimetype, width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
  }
  return { mimetype, width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
}

/** Width and height are the tags 256 and 257 of the first directory. */
function findTiffInfo(view: DataView, isLittleEndian: boolean): ImageInfo | undefined {
  const start = view.getUint32(4, isLittleEndian);
  if (start + 2 > view.byteLength) return undefined;
  const size: Record<number, number> = {};
  const count = view.getUint16(start, isLittleEndian);
  for (let entry = 0, at = start + 2; entry < count && at + 12 <= view.byteLength; entry++, at += 12) {
    const isShort = view.getUint16(at + 2, isLittleEndian) === 3;
    size[view.getUint16(at, isLittleEndian)] = isShort
      ? view.getUint16(at + 8, isLittleEndian)
      : view.getUint32(at + 8, isLittleEndian);
  }
  const { 256: width, 257: height } = size;
  return width === undefined || height === undefined ? undefined : { mimetype: 'image/tiff', width, height };
}
