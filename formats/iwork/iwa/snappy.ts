import { AppError } from '../../../model/errors';

/** Number of bytes of the offset of a copy, by its kind, which is 1, 2 or 3. */
const offsetWidths = [0, 1, 2, 4] as const;

const createDamagedError = (name: string) =>
  new AppError('DOCUMENT_CORRUPT', `The archive '${name}' of the document is damaged.`);

/**
 * Unpacks an `.iwa` file: blocks with a zero byte, the length in three bytes, and Snappy data without the frames and checksums
 * of the Snappy framing format. Throws DOCUMENT_TOO_LARGE beyond `maxLength`.
 */
export function unpackIwa(bytes: Uint8Array, name: string, maxLength: number): Uint8Array {
  const blocks: Uint8Array[] = [];
  let total = 0;
  for (let at = 0; at < bytes.length;) {
    if (bytes[at] !== 0 || at + 4 > bytes.length) throw createDamagedError(name);
    const length = bytes[at + 1]! | (bytes[at + 2]! << 8) | (bytes[at + 3]! << 16);
    at += 4;
    if (at + length > bytes.length) throw createDamagedError(name);
    const block = unpackSnappy(bytes.subarray(at, at + length), name, maxLength - total);
    total += block.length;
    blocks.push(block);
    at += length;
  }
  return blocks.length === 1 ? blocks[0]! : new Uint8Array(Buffer.concat(blocks));
}

/** Decompresses raw Snappy: literals, and copies of earlier output (format_description.txt of the Snappy project). */
export function unpackSnappy(bytes: Uint8Array, name: string, maxLength: number): Uint8Array {
  let at = 0;
  let length = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[at++];
    if (byte === undefined || shift > 28) throw createDamagedError(name);
    length += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) break;
  }
  if (length > maxLength) {
    throw new AppError('DOCUMENT_TOO_LARGE', `The archive '${name}' of the document expands beyond the limit.`);
  }
  const output = new Uint8Array(length);
  let written = 0;
  while (at < bytes.length) {
    const tag = bytes[at++]!;
    if ((tag & 3) === 0) {
      const extra = Math.max(0, (tag >> 2) - 59);
      const size = (extra === 0 ? tag >> 2 : readLittleEndian(bytes, at, extra)) + 1;
      at += extra;
      if (at + size > bytes.length || written + size > length) throw createDamagedError(name);
      output.set(bytes.subarray(at, at + size), written);
      at += size;
      written += size;
      continue;
    }
    const kind = (tag & 3) as 1 | 2 | 3;
    const size = kind === 1 ? ((tag >> 2) & 7) + 4 : (tag >> 2) + 1;
    const width = offsetWidths[kind];
    const offset = readLittleEndian(bytes, at, width) + (kind === 1 ? (tag >> 5) * 256 : 0);
    at += width;
    if (offset === 0 || offset > written || written + size > length) throw createDamagedError(name);
    // A copy may overlap its own output, so it is copied byte by byte.
    for (let end = written + size; written < end; written++) output[written] = output[written - offset]!;
  }
  if (written !== length) throw createDamagedError(name);
  return output;
}

function readLittleEndian(bytes: Uint8Array, at: number, width: number): number {
  let value = 0;
  for (let index = width - 1; index >= 0; index--) value = value * 256 + (bytes[at + index] ?? 0);
  return value;
}
