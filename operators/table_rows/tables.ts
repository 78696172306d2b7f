import { gridOf, isTable } from '../../document';
import type { DoclingDocument, TableItem } from '../../document/model';
import { toCsvCell } from '../../model/export/csv-cell';

/** A table of a document: its columns, and its rows as texts in the order of the columns. */
export interface DocumentTable {
  /** From 0, in the order of the document. */
  index: number;
  caption: string;
  page: number | null;
  columns: string[];
  rows: string[][];
  /** True when rows were left out because of the limit. */
  isCut: boolean;
}

/** The tables of a document in their order, each with at most `maxRows` rows. Tables without a cell are left out. */
export function listTables(document: DoclingDocument, maxRows: number): DocumentTable[] {
  const tables: DocumentTable[] = [];
  for (const item of document.tables) {
    if (!isTable(item) || item.data.num_rows === 0 || item.data.table_cells.length === 0) continue;
    tables.push(buildTable(item, document, tables.length, maxRows));
  }
  return tables;
}

function buildTable(item: TableItem, document: DoclingDocument, index: number, maxRows: number): DocumentTable {
  const grid = gridOf(item.data);
  const headers = countHeaderRows(grid);
  const width = grid[0]?.length ?? 0;
  const body = grid.slice(headers);
  return {
    index,
    caption: joinCaptions(item, document),
    page: item.prov?.[0]?.page_no ?? null,
    columns: makeNamesUnique(Array.from({ length: width }, (_, column) => joinHeader(grid.slice(0, headers), column))),
    rows: body.slice(0, maxRows).map((cells) => cells.map(({ text }) => text)),
    isCut: body.length > maxRows,
  };
}

/** Rows at the top all of whose cells with text are headers. If all rows are headers, only the first one counts. */
function countHeaderRows(grid: ReturnType<typeof gridOf>): number {
  const isHeader = (cells: (typeof grid)[number]) =>
    cells.some(({ text }) => text.trim() !== '') &&
    cells.every(({ column_header: header, text }) => header || text.trim() === '');
  const first = grid.findIndex((cells) => !isHeader(cells));
  return first === -1 ? Math.min(1, grid.length - 1) : first;
}

/** The texts of the header cells above a column, each once: `2024 / Q1`. */
function joinHeader(rows: ReturnType<typeof gridOf>, column: number): string {
  const texts = rows.map((cells) => cells[column]?.text.replace(/\s+/g, ' ').trim() ?? '').filter(Boolean);
  return [...new Set(texts)].join(' / ');
}

/** Columns without a name are numbered; equal names get a number at the end. */
function makeNamesUnique(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((input, index) => {
    const base = input === '' ? `column ${index + 1}` : input;
    let name = base;
    for (let count = 2; taken.has(name); count += 1) name = `${base} ${count}`;
    taken.add(name);
    return name;
  });
}

function joinCaptions(item: TableItem, document: DoclingDocument): string {
  const byRef = new Map(document.texts.map((text) => [text.self_ref, text.text]));
  return item.captions
    .map(({ $ref }) => byRef.get($ref) ?? '')
    .filter(Boolean)
    .join(' ');
}

/** RFC 4180; cells that a spreadsheet would run as formulas start with an apostrophe. */
export function toCsv({ columns, rows }: DocumentTable): string {
  return [columns, ...rows].map((cells) => `${cells.map(toCsvCell).join(',')}\r\n`).join('');
}

/** A row of a table as a sentence for people and for search: `Article: Bolt; Price: 3.20`. */
export function writeRow({ caption, columns }: DocumentTable, cells: readonly string[]): string {
  const parts = cells.flatMap((cell, index) =>
    cell.trim() === '' ? [] : [`${columns[index]}: ${cell.replace(/\s+/g, ' ').trim()}`],
  );
  return caption === '' ? parts.join('; ') : `${caption}\n${parts.join('; ')}`;
}
