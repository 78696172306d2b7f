import { AppError } from '../../../model/errors';
import type { ReadSheets, RowSheet } from '../../format';
import { openOoxml, type OoxmlPackage } from '../package';
import { columnLimit } from '../xlsx/cells';
import { readCell } from './grid';
import { type BinaryWorkbook, readBinaryWorkbook } from './read';
import { brt, iterateRecordsOfPieces } from './records';

/** Maximum number of cells in a sheet, including the empty ones before the last filled cell of each row. */
const maxPlaces = 100_000_000;

/**
 * Reads the sheets of a binary workbook row by row, each as one table; empty rows are skipped. Merged cells have their text in
 * the first cell. Charts, pictures and comments are not read.
 */
export const readSheets: ReadSheets = function* readSheets(bytes, { limits }): Generator<RowSheet> {
  const office = openOoxml(bytes, limits);
  const workbook = readBinaryWorkbook(office);
  for (const { name, part, isHidden } of workbook.sheets)
    yield { name, isHidden, rows: readRows(office, part, workbook) };
};

function* readRows(office: OoxmlPackage, part: string, workbook: BinaryWorkbook): Generator<string[]> {
  let cells: string[] = [];
  let places = 0;
  for (const record of iterateRecordsOfPieces(office.pieces(part) ?? [])) {
    const { type, data } = record;
    if (type === brt.row) {
      if (cells.length > 0) yield fillRow(cells);
      cells = [];
      continue;
    }
    if (data.length < 8) continue;
    const column = data.readUInt32LE(0);
    const text = column < columnLimit ? readCell(record, workbook.strings, workbook.formats)?.text : undefined;
    if (text === undefined || text === '') continue;
    places += Math.max(0, column + 1 - cells.length);
    if (places > maxPlaces)
      throw new AppError('DOCUMENT_TOO_LARGE', `${part} has more than ${maxPlaces} places in its rows.`);
    // Empty places need no memory until the row is written.
    cells[column] = text;
  }
  if (cells.length > 0) yield fillRow(cells);
}

function fillRow(cells: readonly (string | undefined)[]): string[] {
  return Array.from(cells, (text) => text ?? '');
}
