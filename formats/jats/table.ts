import { maxGridPlaces, tableCell } from '../../document/grid';
import type { TableCell, TableData } from '../../document/model';
import { AppError } from '../../model/errors';
import { findChild, listElements, type XmlElement } from '../xml/xml';
import { readLine } from './inline';

/** Reads a table of the HTML model. Cells in `thead` are column headers, other `th` cells row headers. */
export function readTable(table: XmlElement, name: string): TableData {
  const rows = listElements(table).flatMap((part) => {
    if (part.name === 'tr') return [{ row: part, isHead: false }];
    return listElements(part, 'tr').map((row) => ({ row, isHead: part.name === 'thead' }));
  });
  const cells: TableCell[] = [];
  /** The first free row of each column, below the cells placed so far. */
  const freeFrom: number[] = [];
  let places = 0;
  for (const [index, { row, isHead }] of rows.entries()) {
    let column = 0;
    for (const cell of listElements(row).filter(({ name }) => name === 'td' || name === 'th')) {
      while ((freeFrom[column] ?? 0) > index) column += 1;
      const columns = readSpan(cell, 'colspan', 1000);
      const height = readSpan(cell, 'rowspan', rows.length - index);
      places += columns * height;
      if (places > maxGridPlaces) {
        throw new AppError('DOCUMENT_TOO_LARGE', `A table of '${name}' has more than ${maxGridPlaces} places.`);
      }
      for (let at = column; at < column + columns; at++) freeFrom[at] = index + height;
      const options = {
        row_span: height,
        col_span: columns,
        column_header: isHead,
        row_header: !isHead && cell.name === 'th',
      };
      cells.push(tableCell(index, column, readLine(cell), options));
      column += columns;
    }
  }
  return { table_cells: cells, num_rows: rows.length, num_cols: freeFrom.length };
}

function readSpan(cell: XmlElement, name: string, max: number): number {
  return Math.min(Math.max(Number.parseInt(cell.attributes[name] ?? '1', 10) || 1, 1), max);
}

/** Returns the label, title and text of a figure or table on one line. */
export function readCaption(floating: XmlElement): string {
  const caption = findChild(floating, 'caption');
  return [findChild(floating, 'label'), ...listElements(caption)]
    .map((part) => readLine(part))
    .filter((text) => text !== '')
    .join(' ');
}
