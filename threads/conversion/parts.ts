import { gridOf } from '../../document/grid';
import type { DoclingDocument, TableItem } from '../../document/model';
import { toCsvCell, toExactCell } from '../../model/export/csv-cell';
import type { ExportedPart } from '../../services/conversion/export';
import { type ImageFile, extractImageFiles } from './images';

/** Tables as CSV (RFC 4180, UTF-8) and pictures as image files, numbered from 1 in the order of the document. */
export function writePartFiles(document: DoclingDocument, parts: readonly ExportedPart[]): ImageFile[] {
  const files: ImageFile[] = [];
  if (parts.includes('tables'))
    for (const [index, table] of document.tables.entries())
      files.push({ name: `table-${index + 1}.csv`, bytes: new TextEncoder().encode(toCsv(table)) });
  if (parts.includes('figures'))
    for (const [index, { name, bytes }] of extractImageFiles(document).files.entries())
      files.push({ name: `figure-${index + 1}${name.slice(name.lastIndexOf('.'))}`, bytes });
  return files;
}

/** A cell that spans several grid positions is written at the first one. */
function toCsv({ data }: TableItem): string {
  const rows = gridOf(data).map((cells, row) =>
    cells.map((cell, column) => {
      const isFirst = cell.start_row_offset_idx === row && cell.start_col_offset_idx === column;
      return isFirst ? writeCell(cell.text) : '';
    }),
  );
  return rows.map((cells) => `${cells.join(',')}\r\n`).join('');
}

/** Numbers stay as they are; other texts cannot become formulas in a spreadsheet. */
function writeCell(text: string): string {
  return /^[-+]?\d[\d.,\s]*%?$/.test(text) ? toExactCell(text) : toCsvCell(text);
}
