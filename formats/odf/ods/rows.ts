import { AppError } from '../../../model/errors';
import type { ReadLimits, ReadSheets, RowSheet } from '../../format';
import { startXmlScan } from '../../xml/xml';
import { openZip } from '../../zip/zip';
import { odfPrefixes } from '../package';
import { createSheetHandlers, type SheetPart } from './sheet-handlers';

const pieceBytes = 64 * 1024;
const contentPart = 'content.xml';

/**
 * Reads the sheets of a spreadsheet row by row, each as one table; empty rows are skipped. Merged cells have their text in the
 * first cell. Charts, pictures and comments are not read.
 */
export const readSheets: ReadSheets = function* readSheets(bytes, { limits }): Generator<RowSheet> {
  const scanned = scanContent(bytes, limits);
  // Always one part ahead, to see whether another row follows.
  let ahead = scanned.next();
  function* iterateRows(): Generator<readonly string[]> {
    while (!ahead.done && 'cells' in ahead.value) {
      const { cells, count } = ahead.value;
      ahead = scanned.next();
      for (let time = 0; time < count; time++) yield cells;
    }
  }
  while (!ahead.done) {
    const { value } = ahead;
    ahead = scanned.next();
    // Rows that the caller has not read come before the next sheet.
    if ('name' in value) yield { ...value, rows: iterateRows() };
  }
};

function* scanContent(bytes: Uint8Array, limits: ReadLimits): Generator<SheetPart> {
  const items: SheetPart[] = [];
  const handlers = createSheetHandlers((item) => items.push(item));
  const scan = startXmlScan(handlers, { source: contentPart, prefixes: odfPrefixes, maxDepth: limits.maxDepth });
  for (const piece of readPieces(bytes, limits)) {
    scan.write(piece);
    yield* items.splice(0);
  }
  scan.close();
  yield* items;
}

/** A flat file is the content itself. */
function readPieces(bytes: Uint8Array, limits: ReadLimits): Iterable<Uint8Array> {
  if (bytes[0] !== 0x50) return iterateSlices(bytes);
  const pieces = openZip(bytes, limits).pieces(contentPart);
  if (!pieces) throw new AppError('DOCUMENT_CORRUPT', `The ZIP container contains no ${contentPart}.`);
  return pieces;
}

function* iterateSlices(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}
