import { gridOf, showCellText } from '../grid';
import type { DoclingDocument, NodeItem, TableCell, TableItem } from '../model';
import { childrenOf, isText, nodeAt } from '../tree';

/** A table as lines that can be split: `lead` is written once before the lines of each chunk, `glue` between the lines. */
export interface TableLines {
  lead: string;
  lines: string[];
  glue: string;
}

/**
 * Writes a table as text that an embedding model understands without its layout: "row, column = value" for each cell after the
 * first column, one line per row. Without a header row, a line is "row: value, value"; with `numberedColumns`, columns have numbers
 * instead. A table with one column becomes "first = value". If that yields nothing, the cells themselves are written.
 */
export function writeTripletLines(document: DoclingDocument, table: TableItem, numberedColumns = false): TableLines {
  const grid = gridOf(table.data).map((row) => row.map((cell) => getCellText(document, table, cell)));
  const headerRows = countHeaderRows(table);
  const body = grid.slice(headerRows);
  const columns = Array.from({ length: table.data.num_cols }, (_, column) =>
    headerRows === 0 ? String(column) : joinHeaders(grid, headerRows, column),
  );
  const isPlain = headerRows === 0 && columns.length > 1 && !numberedColumns;
  const lines = isPlain ? body.map(listTexts) : listLines(columns, body);
  return { lead: '', lines: lines.filter((line) => line !== ''), glue: '. ' };
}

/** Returns the text on one line. A cell without text has the texts of the items below it. */
function getCellText(document: DoclingDocument, table: TableItem, cell: TableCell): string {
  const { ref } = cell;
  const lineText = showCellText(cell).replaceAll('\n', ' ').trim();
  const node = lineText === '' && ref ? nodeAt(document, ref.$ref) : undefined;
  return node?.parent?.$ref === table.self_ref
    ? listTextsBelow(document, node).join(' ').replaceAll('\n', ' ')
    : lineText;
}

function listTextsBelow(document: DoclingDocument, node: NodeItem): string[] {
  const cellText = isText(node) ? node.text.trim() : '';
  return [cellText, ...childrenOf(document, node).flatMap((child) => listTextsBelow(document, child))].filter(Boolean);
}

/** Counts the leading rows that contain a header cell. */
function countHeaderRows({ data }: TableItem): number {
  const headers = new Set<number>();
  for (const cell of data.table_cells) {
    if (!cell.column_header) continue;
    const end = Math.min(cell.end_row_offset_idx, data.num_rows);
    for (let row = cell.start_row_offset_idx; row < end; row++) headers.add(row);
  }
  let count = 0;
  while (count < data.num_rows && headers.has(count)) count += 1;
  return count;
}

/** Joins stacked headers with a dot. A header that spans several rows counts once. */
function joinHeaders(grid: readonly (readonly string[])[], rows: number, column: number): string {
  const texts: string[] = [];
  for (let row = 0; row < rows; row++) {
    const text = grid[row]?.[column] ?? '';
    if (text !== '' && texts.at(-1) !== text) texts.push(text);
  }
  return texts.join('.');
}

/** The first cell may end with a colon already. */
function listTexts([label = '', ...cells]: readonly string[]): string {
  const values = cells.filter(Boolean).join(', ');
  if (label === '' || values === '') return label || values;
  return `${label}${/\p{P}$/u.test(label) ? '' : ':'} ${values}`;
}

function listLines(columns: readonly string[], body: readonly (readonly string[])[]): string[] {
  if (body.length === 0) return [columns.filter(Boolean).join('. ')];
  if (columns.length === 1) return writeSingleColumn(columns[0]!, body);
  const lines = body.map((row) =>
    row
      .slice(1)
      .map((value, index) => `${row[0]}, ${columns[index + 1]} = ${value}`)
      .join('. '),
  );
  const isEmpty = body.every((row) => row.every((cell) => cell === ''));
  return isEmpty ? [] : lines;
}

/** Without a header, the first cell names the column. */
function writeSingleColumn(header: string, body: readonly (readonly string[])[]): string[] {
  const values = body.map((row) => row[0] ?? '');
  const isHeaded = !/^\d*$/.test(header);
  const name = isHeaded ? header : (values.shift() ?? '');
  return values.length === 0 ? [name] : values.map((value) => `${name} = ${value}`);
}

/** Splits a pipe table into lines. The header and its rule are repeated above the rows of each chunk. */
export function pipeLines(markdown: string): TableLines {
  const [header = '', rule, ...lines] = markdown.split('\n');
  return {
    lead: rule === undefined ? '' : `${header}\n${rule}\n`,
    lines: rule === undefined ? [header] : lines,
    glue: '\n',
  };
}
