import { createDocument } from '../../document/builder';
import { tableCell } from '../../document/grid';
import type { DoclingDocument } from '../../document/model';
import { type RowSheet, getStem } from '../format';

/** A part of a table: its header and consecutive rows. */
export interface RowGroup {
  /** Name of the sheet; undefined for files with a single table. */
  sheet: string | undefined;
  header: readonly string[];
  rows: readonly (readonly string[])[];
  /** Number of the first row below the header, from 1. */
  first: number;
}

/** A group ends at the first of these. */
const groupLimits = { rows: 20_000, characters: 1024 * 1024 };

/** Splits the visible sheets into groups. A sheet with only a header is a group too. */
export function* groupRows(sheets: Iterable<RowSheet>, limits = groupLimits): Generator<RowGroup> {
  for (const { name: sheet, isHidden, rows } of sheets) {
    if (isHidden) continue;
    let header: readonly string[] | undefined;
    let group: (readonly string[])[] = [];
    let [first, characters] = [1, 0];
    for (const row of rows) {
      if (!header) {
        header = row;
        continue;
      }
      group.push(row);
      for (const text of row) characters += text.length + 1;
      if (group.length < limits.rows && characters < limits.characters) continue;
      yield { sheet, header, rows: group, first };
      first += group.length;
      [group, characters] = [[], 0];
    }
    if (header && (group.length > 0 || first === 1)) yield { sheet, header, rows: group, first };
  }
}

/** Returns a file name for a group: `prices-rows-1-20000.csv`, or the name inside a folder named after its sheet. */
export function formatGroupName(file: string, { sheet, rows, first }: RowGroup): string {
  const range = `rows-${first}-${first + Math.max(rows.length, 1) - 1}.csv`;
  const sheetName = sheet?.replaceAll(/[/\\]/g, '_');
  return sheetName === undefined ? `${getStem(file)}-${range}` : `${sheetName}/${sheetName}-${range}`;
}

/**
 * Writes a group as CSV in UTF-8, with its header. Texts with any common delimiter are quoted, so that a reader that guesses the
 * delimiter finds the comma.
 */
export function writeCsv({ header, rows }: RowGroup): Uint8Array {
  const quote = (text: string) => (/[",;|:\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return Buffer.from([header, ...rows].map((row) => `${row.map(quote).join(',')}\n`).join(''));
}

/** Converts a group to a document: one table below the name of the sheet. */
export function buildGroupDocument(file: string, { sheet, header, rows }: RowGroup): DoclingDocument {
  const builder = createDocument(getStem(file));
  const parent = sheet === undefined ? {} : { parent: builder.group('sheet', { name: sheet }) };
  const allRows = [header, ...rows];
  const cells = allRows.flatMap((texts, row) =>
    texts.map((text, column) => tableCell(row, column, text, { column_header: row === 0 })),
  );
  const columns = allRows.reduce((max, { length }) => Math.max(max, length), 0);
  builder.table({ table_cells: cells, num_rows: allRows.length, num_cols: columns }, parent);
  return builder.document;
}
