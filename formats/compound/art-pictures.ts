import { art, type ArtRecord, readChildren, headerBytes, readRecord } from './art-records';

/**
 * A picture file. `bytes` is undefined for metafiles and damaged pictures, which become pictures without an image.
 */
export interface ArtPicture {
  bytes: Uint8Array | undefined;
}

/** Raster images by record type (MS-ODRAW 2.2.23); metafiles have types between them. */
const blip = { first: 0xf018, jpeg: 0xf01d, png: 0xf01e, dib: 0xf01f, tiff: 0xf029, cmykJpeg: 0xf02a, last: 0xf117 };
const rasters: ReadonlySet<number> = new Set([blip.jpeg, blip.png, blip.dib, blip.tiff, blip.cmykJpeg]);
const identifierBytes = 16;
const storeEntryBytes = 36;

/** Returns the picture of a blip record; undefined for other records. */
function findPicture({ type, instance, data }: ArtRecord): ArtPicture | undefined {
  if (type < blip.first || type > blip.last) return undefined;
  if (!rasters.has(type)) return { bytes: undefined };
  // One identifier of the content, or two if the instance is odd, followed by a tag of one byte.
  const bytes = data.subarray(identifierBytes * (1 + (instance & 1)) + 1);
  return { bytes: type === blip.dib ? buildBitmapFile(bytes) : bytes };
}

/** Returns the picture of a store entry: from the entry itself, or from `delayed` at the offset in the entry. */
function findStoredPicture(entry: ArtRecord, delayed: Buffer): ArtPicture | undefined {
  if (entry.type !== art.storeEntry || entry.data.length < storeEntryBytes) return findPicture(entry);
  const ownRecord = readRecord(entry.data, storeEntryBytes + entry.data[33]!);
  const offset = entry.data.readUInt32LE(28);
  const record = ownRecord ?? (offset === 0xffffffff ? undefined : readRecord(delayed, offset));
  return record === undefined ? undefined : findPicture(record);
}

/** Returns a lookup of pictures by the number that shapes use, from 1. `drawingGroup` contains the store. */
export function readStore(
  drawingGroup: ArtRecord | undefined,
  delayed: Buffer,
): (number: number) => ArtPicture | undefined {
  const store = drawingGroup && readChildren(drawingGroup).find(({ type }) => type === art.blipStore);
  const entries = store === undefined ? [] : readChildren(store);
  return (number) => {
    const entry = entries[number - 1];
    return entry && findStoredPicture(entry, delayed);
  };
}

/** Maximum number of records before the picture of a position in text: a shape and a few others. */
const maxBeforePicture = 16;

/** Returns the first picture in a sequence of records. */
export function findFirstPicture(bytes: Buffer): ArtPicture | undefined {
  let at = 0;
  for (let count = 0; count < maxBeforePicture; count++) {
    const record = readRecord(bytes, at);
    if (record === undefined) return undefined;
    const picture = findStoredPicture(record, Buffer.alloc(0));
    if (picture) return picture;
    at += headerBytes + record.data.length;
  }
  return undefined;
}

const fileHeaderBytes = 14;
/** Size of the bitmap header since Windows 3. */
const minInfoBytes = 40;

/** Adds the missing file header to a bitmap. The offset of the pixels follows from the colour table before them. */
function buildBitmapFile(bitmap: Buffer): Buffer | undefined {
  const infoBytes = bitmap.length < minInfoBytes ? 0 : bitmap.readUInt32LE(0);
  if (infoBytes < minInfoBytes) return undefined;
  const bits = bitmap.readUInt16LE(14);
  const compression = bitmap.readUInt32LE(16);
  const colours = bitmap.readUInt32LE(32) || (bits <= 8 ? 1 << bits : 0);
  const masks = compression === 3 && infoBytes === minInfoBytes ? 12 : 0;
  const header = Buffer.alloc(fileHeaderBytes);
  header.write('BM', 'latin1');
  header.writeUInt32LE(fileHeaderBytes + bitmap.length, 2);
  header.writeUInt32LE(Math.min(fileHeaderBytes + infoBytes + masks + 4 * colours, 0xffffffff), 10);
  return Buffer.concat([header, bitmap]);
}
