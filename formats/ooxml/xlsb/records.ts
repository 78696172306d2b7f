import { AppError } from '../../../model/errors';

/** Types of the records that are read (MS-XLSB 2.3.2). */
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
  name: 39,
  format: 44,
  style: 47,
  cellRichText: 62,
  workbookProperties: 153,
  sheet: 156,
  mergedCells: 176,
  table: 343,
  tableColumn: 347,
  linkedBook: 355,
  ownBook: 357,
  sameSheet: 358,
  linkedSheets: 359,
  sheetRanges: 362,
  arrayFormula: 426,
  sharedFormula: 427,
  headerFooter: 479,
  drawing: 550,
  linkedName: 577,
  cellStylesBegin: 617,
  cellStylesEnd: 618,
  commentAuthor: 632,
  comment: 635,
  commentText: 637,
  addInBook: 667,
} as const;

/** One record of a binary part. */
export interface BinaryRecord {
  type: number;
  data: Buffer;
}

/** Longer records are refused: the text of a cell has at most 32,767 characters. */
const maxRecordBytes = 16 * 1024 * 1024;

/**
 * Yields the records of a part (MS-XLSB 2.1.4): a type of one or two bytes and a length of up to four, with seven bits per
 * byte. Stops at a truncated record.
 */
export function* readRecords(part: Uint8Array): Generator<BinaryRecord> {
  yield* iterateRecords(Buffer.from(part.buffer, part.byteOffset, part.byteLength));
}

/** Yields the records of a part that arrives in pieces, and may be larger than the memory. */
export function* iterateRecordsOfPieces(pieces: Iterable<Uint8Array>): Generator<BinaryRecord> {
  let unread: Buffer = Buffer.alloc(0);
  for (const piece of pieces) {
    const bytes = unread.length === 0 ? Buffer.from(piece) : Buffer.concat([unread, piece]);
    const read = yield* iterateRecords(bytes);
    unread = bytes.subarray(read);
    if (unread.length > maxRecordBytes)
      throw new AppError('DOCUMENT_TOO_LARGE', `A record of the workbook has more than ${maxRecordBytes} bytes.`);
  }
  if (unread.length > 0) throw new AppError('DOCUMENT_CORRUPT', 'A sheet of the workbook ends within a record.');
}

/** Returns the position after the last complete record. */
function* iterateRecords(bytes: Buffer): Generator<BinaryRecord, number> {
  let at = 0;
  const readNumber = (maxBytes: number): number | undefined => {
    let value = 0;
    for (let index = 0; index < maxBytes; index += 1) {
      const byte = bytes[at];
      if (byte === undefined) return undefined;
      at += 1;
      value += (byte & 0x7f) << (7 * index);
      if (byte < 0x80) break;
    }
    return value;
  };
  for (;;) {
    const start = at;
    const [type, length] = [readNumber(2), readNumber(4)];
    if (type === undefined || length === undefined || at + length > bytes.length) return start;
    yield { type, data: bytes.subarray(at, at + length) };
    at += length;
  }
}

/** Reads a text after its length of 32 bits, which are all set if there is no text. `next` is the position after it. */
export function readWideString(data: Buffer, at: number): { text: string; next: number } {
  if (at + 4 > data.length) return { text: '', next: data.length };
  const length = data.readUInt32LE(at);
  if (length === 0xffffffff) return { text: '', next: at + 4 };
  const next = Math.min(data.length, at + 4 + 2 * length);
  return { text: data.toString('utf16le', at + 4, next), next };
}
