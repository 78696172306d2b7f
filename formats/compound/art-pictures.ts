import { art, type ArtRecord, childrenOf, headerBytes, recordAt } from './art-records';

/** Bytes of a picture file; `bytes` is undefined for metafiles and what is damaged, which show as pictures without an image. */
export interface ArtPicture {
  bytes: Uint8Array | undefined;
}

/** Raster images by the type of their record (MS-ODRAW 2.2.23); metafiles lie between them. */
const blip = { first: 0xf018, jpeg: 0xf01d, png: 0xf01e, dib: 0xf01f, tiff: 0xf029, cmykJpeg: 0xf02a, last: 0xf117 };
const rasters: ReadonlySet<number> = new Set([blip.jpeg, blip.png, blip.dib, blip.tiff, blip.cmykJpeg]);
const identifierBytes = 16;
const storeEntryBytes = 36;

/** The picture of a blip record; undefined when it is none. */
export function pictureOf({ type, instance, data }: ArtRecord): ArtPicture | undefined {
  if (type < blip.first || type > blip.last) return undefined;
  if (!rasters.has(type)) return { bytes: undefined };
  // One identifier of the content, or two where the number of the kind is odd; then a mark of one byte.
  const bytes = data.subarray(identifierBytes * (1 + (instance & 1)) + 1);
  return { bytes: type === blip.dib ? bitmapFile(bytes) : bytes };
}

/** The picture of an entry of a store: in the entry itself, or in the stream that its offset leads into. */
export function pictureOfEntry(entry: ArtRecord, delayed: Buffer): ArtPicture | undefined {
  if (entry.type !== art.storeEntry || entry.data.length < storeEntryBytes) return pictureOf(entry);
  const own = recordAt(entry.data, storeEntryBytes + entry.data[33]!);
  const offset = entry.data.readUInt32LE(28);
  const record = own ?? (offset === 0xffffffff ? undefined : recordAt(delayed, offset));
  return record === undefined ? undefined : pictureOf(record);
}

/** The pictures of a document by their number from 1, as shapes name them; `drawingGroup` holds the store. */
export function readStore(
  drawingGroup: ArtRecord | undefined,
  delayed: Buffer,
): (number: number) => ArtPicture | undefined {
  const store = drawingGroup && childrenOf(drawingGroup).find(({ type }) => type === art.blipStore);
  const entries = store === undefined ? [] : childrenOf(store);
  return (number) => {
    const entry = entries[number - 1];
    return entry && pictureOfEntry(entry, delayed);
  };
}

/** A shape and a few others stand before the picture of a place in a text. */
const mostBeforePicture = 16;

/** The first picture among records that follow each other. */
export function firstPicture(bytes: Buffer): ArtPicture | undefined {
  let at = 0;
  for (let count = 0; count < mostBeforePicture; count++) {
    const record = recordAt(bytes, at);
    if (record === undefined) return undefined;
    const picture = pictureOfEntry(record, Buffer.alloc(0));
    if (picture) return picture;
    at += headerBytes + record.data.length;
  }
  return undefined;
}

const fileHeaderBytes = 14;
/** Of the header since Windows 3. */
const leastInfoBytes = 40;

/** A bitmap without the header of its file gets one: where the pixels begin follows from the colours before them. */
function bitmapFile(bitmap: Buffer): Buffer | undefined {
  const infoBytes = bitmap.length < leastInfoBytes ? 0 : bitmap.readUInt32LE(0);
  if (infoBytes < leastInfoBytes) return undefined;
  const bits = bitmap.readUInt16LE(14);
  const compression = bitmap.readUInt32LE(16);
  const colours = bitmap.readUInt32LE(32) || (bits <= 8 ? 1 << bits : 0);
  const masks = compression === 3 && infoBytes === leastInfoBytes ? 12 : 0;
  const header = Buffer.alloc(fileHeaderBytes);
  header.write('BM', 'latin1');
  header.writeUInt32LE(fileHeaderBytes + bitmap.length, 2);
  header.writeUInt32LE(Math.min(fileHeaderBytes + infoBytes + masks + 4 * colours, 0xffffffff), 10);
  return Buffer.concat([header, bitmap]);
}
