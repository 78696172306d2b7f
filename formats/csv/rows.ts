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
  const bytes = narrow(rawBytes, name);
  const delimiter = findDelimiter(decodeText(bytes.subarray(0, sampledBytes), { name }));
  for (const part of cutRecords(bytes, delimiter, name)) {
    const rows = parseRows(decodeText(part, { name }), name, delimiter);
    yield* rows;
  }
}

/** Records are split by bytes, which needs an encoding with a one-byte line feed. */
function narrow(bytes: Uint8Array, name: string): Uint8Array {
  const head = bytes.subarray(0, 1024);
  const isMarked = (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff);
  return isMarked || head.includes(0) ? Buffer.from(decodeText(bytes, { name })) : bytes;
}
