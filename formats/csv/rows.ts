import type { ReadSheets } from '../format';
import { decodeText } from '../text/decode';
import { findDelimiter } from './delimiter';
import { parseRows } from './read';
import { cutRecords } from './records';

const sampledBytes = 64 * 1024;

/** Reads a CSV file of any length as one table, a megabyte at a time. */
export const readSheets: ReadSheets = function* readSheets(bytes, { name }) {
  yield { name: undefined, isHidden: false, rows: readRows(bytes, name) };
};

function* readRows(rawBytes: Uint8Array, name: string): Generator<string[]> {
  const bytes = toNarrowEncoding(rawBytes, name);
  const delimiter = findDelimiter(decodeText(bytes.subarray(0, sampledBytes), { name }));
  for (const part of cutRecords(bytes, delimiter, name)) {
    yield* parseRows(decodeText(part, { name }), name, delimiter);
  }
}

/** Re-encodes UTF-16 and UTF-32 as UTF-8: records are split by bytes, which needs a one-byte line feed. */
function toNarrowEncoding(bytes: Uint8Array, name: string): Uint8Array {
  const head = bytes.subarray(0, 1024);
  const hasWideMark = (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff);
  return hasWideMark || head.includes(0) ? Buffer.from(decodeText(bytes, { name })) : bytes;
}
