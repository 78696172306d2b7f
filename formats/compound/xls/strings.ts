import { decode, encodingExists } from 'iconv-lite';
import type { BiffRecord } from './records';

/** Reads a record and its continuations. After the end it returns zeros and sets `isDone`. */
export interface RecordCursor {
  readonly isDone: boolean;
  skip(count: number): void;
  uint8(): number;
  uint16(): number;
  uint32(): number;
  /** Reads characters of one or two bytes. Every continuation begins with a byte that states which (MS-XLS 2.5.293). */
  characters(count: number, isWide: boolean): string;
}

/** Creates a cursor at the first byte of a record. */
export function createCursor({ parts }: BiffRecord, start = 0): RecordCursor {
  let part = 0;
  let at = start;
  const settle = () => {
    while (part < parts.length && at >= parts[part]!.length) {
      at -= parts[part]!.length;
      part += 1;
    }
  };
  const readUint8 = () => {
    settle();
    return parts[part]?.[at++] ?? 0;
  };
  const readUint16 = () => readUint8() + readUint8() * 0x100;
  return {
    get isDone() {
      settle();
      return part >= parts.length;
    },
    skip(count) {
      at += count;
    },
    uint8: readUint8,
    uint16: readUint16,
    uint32: () => readUint16() + readUint16() * 0x10000,
    characters(count, isWide) {
      let text = '';
      let left = count;
      let width = isWide ? 2 : 1;
      // The flag is present where the characters themselves are cut, not where they begin in a new part.
      let hasBegun = false;
      while (left > 0 && part < parts.length) {
        const inPart = parts[part]!;
        if (at >= inPart.length) {
          at -= inPart.length;
          part += 1;
          if (hasBegun && at === 0 && part < parts.length) width = ((parts[part]![at++] ?? 0) & 1) + 1;
          continue;
        }
        const readNow = Math.min(left, Math.ceil((inPart.length - at) / width));
        text += inPart.toString(width === 2 ? 'utf16le' : 'latin1', at, at + readNow * width);
        at += readNow * width;
        left -= readNow;
        hasBegun = true;
      }
      return text;
    },
  };
}

/** How the strings of a workbook are stored: since BIFF8 in Unicode, before in a code page. */
export interface StringForm {
  isUnicode: boolean;
  codePage: number;
}

/** Reads a string after its length: since BIFF8 with a byte of flags, before as plain bytes. */
export function readString(cursor: RecordCursor, length: number, { isUnicode, codePage }: StringForm): string {
  if (isUnicode) return cursor.characters(length, (cursor.uint8() & 1) === 1);
  const bytes = Buffer.from(cursor.characters(length, false), 'latin1');
  const encoding = codePage === 10_000 ? 'macintosh' : `cp${codePage}`;
  return decode(bytes, encodingExists(encoding) ? encoding : 'cp1252');
}

/**
 * Reads the shared strings (MS-XLS 2.4.265). Stops at the end of the data, whatever count the record states.
 * Phonetic guides are passed on.
 */
export function readSst(record: BiffRecord, onGuide: (guide: string) => void): string[] {
  const cursor = createCursor(record, 4);
  const count = cursor.uint32();
  const strings: string[] = [];
  while (strings.length < count && !cursor.isDone) {
    const length = cursor.uint16();
    const flags = cursor.uint8();
    const runs = flags & 8 ? cursor.uint16() : 0;
    const extension = flags & 4 ? cursor.uint32() : 0;
    strings.push(cursor.characters(length, (flags & 1) === 1));
    cursor.skip(runs * 4);
    const guide = readGuide(cursor, extension);
    if (guide !== '') onGuide(guide);
  }
  return strings;
}

/** Cells have at most 32,767 characters; a longer extension is damaged. */
const maxExtensionBytes = 0x20000;

/** Reads the phonetic guide in the extension of a string (MS-XLS 2.5.86); empty if there is none. */
function readGuide(cursor: RecordCursor, length: number): string {
  if (length < 14 || length > maxExtensionBytes) {
    cursor.skip(length);
    return '';
  }
  // The bytes are not characters: no flag is at the beginning of a continuation.
  const bytes = Buffer.from(Array.from({ length }, () => cursor.uint8()));
  const characters = bytes.readUInt16LE(12);
  return bytes.toString('utf16le', 14, Math.min(14 + 2 * characters, length - (length % 2)));
}
