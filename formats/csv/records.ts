import { AppError } from '../../model/errors';

const partBytes = 1024 * 1024;
/** Quotes that stay open longer are ordinary characters. */
const maxQuotedBytes = 8 * 1024 * 1024;
const maxRecordBytes = 64 * 1024 * 1024;

const [quote, lineFeed, carriageReturn, blank] = [0x22, 0x0a, 0x0d, 0x20];

/**
 * Splits a CSV file between records into parts of about a megabyte, which share the memory of the file. A line end inside
 * quotes does not end a record. Throws DOCUMENT_TOO_LARGE for a record of more than 64 MB.
 */
export function* cutRecords(bytes: Uint8Array, delimiter: string, name: string): Generator<Uint8Array> {
  let start = 0;
  /** False once a quote was never closed: from there on, quotes are ordinary characters. */
  let areQuotesSpecial = true;
  while (start < bytes.length) {
    let end = areQuotesSpecial ? findRecordEnd(bytes, start, delimiter.charCodeAt(0)) : undefined;
    if (end === undefined) {
      areQuotesSpecial = false;
      end = findLineEnd(bytes, start);
    }
    if (end - start > maxRecordBytes)
      throw new AppError('DOCUMENT_TOO_LARGE', `'${name}' has a record of more than ${maxRecordBytes} bytes.`);
    yield bytes.subarray(start, end);
    start = end;
  }
}

/** Returns the end of the first record after a megabyte; undefined if a quote is never closed. */
function findRecordEnd(bytes: Uint8Array, start: number, delimiter: number): number | undefined {
  const minEnd = start + partBytes;
  let quotedAt = -1;
  let isFieldStart = true;
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (quotedAt >= 0) {
      if (byte === quote) {
        if (bytes[at + 1] === quote) at += 1;
        else quotedAt = -1;
      } else if (at - quotedAt > maxQuotedBytes) return undefined;
      continue;
    }
    if (byte === quote && isFieldStart) quotedAt = at;
    else if (isLineEnd(bytes, at)) {
      if (at + 1 >= minEnd) return at + 1;
      isFieldStart = true;
      continue;
    }
    // White space before a quote is not part of the field.
    isFieldStart = byte === delimiter || (isFieldStart && byte === blank);
  }
  return quotedAt >= 0 ? undefined : bytes.length;
}

function findLineEnd(bytes: Uint8Array, start: number): number {
  for (let at = start + partBytes; at < bytes.length; at++) if (isLineEnd(bytes, at)) return at + 1;
  return bytes.length;
}

function isLineEnd(bytes: Uint8Array, at: number): boolean {
  const byte = bytes[at];
  return byte === lineFeed || (byte === carriageReturn && bytes[at + 1] !== lineFeed);
}
