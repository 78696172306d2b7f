/** Record types of binary parts that are read (MS-XLSB 2.3.2). */
export const brt = {
  row: 0,
  cellRk: 2,
  cellError: 3,
  cellBool: 4,
  cellReal: 5,
  cellText: 6,
  cellShared: 7,
  formulaText: 8,
  formulaNumber: 9,
  formulaBool: 10,
  formulaError: 11,
  sharedString: 19,
  format: 44,
  style: 47,
  cellRichText: 62,
  workbookProperties: 153,
  sheet: 156,
  mergedCells: 176,
  headerFooter: 479,
  drawing: 550,
  cellStylesBegin: 617,
  cellStylesEnd: 618,
  commentAuthor: 632,
  comment: 635,
  commentText: 637,
} as const;

/** One record of a binary part. */
export interface BinaryRecord {
  type: number;
  data: Buffer;
}

/**
 * Yields the records of a part (MS-XLSB 2.1.4): a type of one or two bytes and a length of up to four, with seven bits per
 * byte. Stops at a truncated record.
 */
export function* recordsOf(part: Uint8Array): Generator<BinaryRecord> {
  const bytes = Buffer.from(part.buffer, part.byteOffset, part.byteLength);
  let at = 0;
  const number = (maxBytes: number): number => {
    let value = 0;
    for (let index = 0; index < maxBytes && at < bytes.length; index += 1) {
      const byte = bytes[at]!;
      at += 1;
      value += (byte & 0x7f) << (7 * index);
      if (byte < 0x80) break;
    }
    return value;
  };
  while (at < bytes.length) {
    const type = number(2);
    const length = number(4);
    if (at + length > bytes.length) return;
    yield { type, data: bytes.subarray(at, at + length) };
    at += length;
  }
}

/** Reads a text after its length of 32 bits, which are all set if there is no text. `next` is the position after it. */
export function wideString(data: Buffer, at: number): { text: string; next: number } {
  if (at + 4 > data.length) return { text: '', next: data.length };
  const length = data.readUInt32LE(at);
  if (length === 0xffffffff) return { text: '', next: at + 4 };
  const next = Math.min(data.length, at + 4 + 2 * length);
  return { text: data.toString('utf16le', at + 4, next), next };
}
