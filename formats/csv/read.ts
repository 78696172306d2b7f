import { parse } from 'csv-parse/sync';
import { createDocument } from '../../document/builder';
import { maxGridPlaces, tableCell } from '../../document/grid';
import type { TableCell } from '../../document/model';
import { AppError } from '../../model/errors';
import { type ReadDocument, getStem } from '../format';
import { decodeText } from '../text/decode';
import { findDelimiter } from './delimiter';
import { splitRegular } from './regular';

/**
 * Reads one table with the first row as header. As in the reference, an empty line is an empty row. Short rows are padded with
 * empty cells, long rows widen the table.
 */
export const read: ReadDocument = (bytes, { name }) => {
  const builder = createDocument(getStem(name));
  const rows = parseRows(decodeText(bytes, { name }), name);
  const columns = rows.reduce((max, row) => Math.max(max, row.length), 0);
  if (rows.every((row) => row.every((text) => text === '')))
    throw new AppError('DOCUMENT_EMPTY', `'${name}' has no rows.`);
  if (rows.length * columns > maxGridPlaces) {
    throw new AppError(
      'DOCUMENT_TOO_LARGE',
      `'${name}' has ${rows.length} rows of up to ${columns} columns; at most ${maxGridPlaces} cells are read.`,
    );
  }
  const cells: TableCell[] = [];
  for (const [row, texts] of rows.entries()) {
    for (const [column, text] of texts.entries())
      cells.push(tableCell(row, column, text, { column_header: row === 0 }));
  }
  builder.table({ table_cells: cells, num_rows: rows.length, num_cols: columns });
  return builder.document;
};

/** Splits text into rows of fields. Quotes are ordinary characters if one is never closed. */
export function parseRows(text: string, name: string, delimiter = findDelimiter(text)): string[][] {
  const regular = splitRegular(text, delimiter);
  if (regular) return regular;
  // White space after a comma is not text, and a quote may follow it. White space after a tab may be an empty field.
  const options = { delimiter, relax_column_count: true, bom: true, ltrim: delimiter !== '\t' };
  try {
    return parse(text, { ...options, relax_quotes: true });
  } catch {
    // A quote is never closed, so quotes are ordinary characters in this file.
    return parseWithoutQuotes(text, options, name);
  }
}

function parseWithoutQuotes(text: string, options: object, name: string): string[][] {
  try {
    return parse(text, { ...options, quote: false });
  } catch (error) {
    throw new AppError(
      'DOCUMENT_CORRUPT',
      `'${name}' is not CSV: ${error instanceof Error ? error.message : String(error)}`,
      {},
      error,
    );
  }
}
