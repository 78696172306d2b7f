import { AppError } from '../../../model/errors';
import type { ReadSheets, RowSheet } from '../../format';
import { iterateRows } from './grid';
import { createCellContext, openWorkbook } from './read';

/**
 * Maximum number of cells in all sheets, counting the empty ones before the last filled cell of a row. A small file could hold more,
 * because sheets may share their rows.
 */
const maxPlaces = 100_000_000;

/**
 * Reads the sheets of an Excel 2 to 2003 workbook row by row, each as one table; empty rows are skipped. Merged cells have their
 * text in the first cell. Charts, pictures and comments are not read.
 */
export const readSheets: ReadSheets = function* readSheets(bytes, { name, limits }): Generator<RowSheet> {
  const workbook = openWorkbook(bytes, { name, limits });
  const context = createCellContext(workbook);
  let places = 0;
  for (const sheet of workbook.sheets) {
    if (sheet.kind !== 'cells') continue;
    const rows = iterateRows(workbook.stream, sheet.at, context, (count) => {
      places += count;
      if (places > maxPlaces)
        throw new AppError('DOCUMENT_TOO_LARGE', `'${name}' has more than ${maxPlaces} cells in its rows.`);
    });
    yield { name: sheet.name, isHidden: sheet.isHidden, rows };
  }
};
