import { maxGridPlaces, tableCell } from '../../document/grid';
import type { TableCell, TableData } from '../../document/model';
import { AppError } from '../../model/errors';

interface Cell {
  text: string;
  columns: number;
  rows: number;
}

/** Cell specifier before the bar: `2+`, `.3+`, `2.3+`, `3*`, alignment and style. */
const specification = /(?:^|\s)((?:\d+(?:\.\d+)?|\.\d+)[+*])?([<^>](?:\.[<^>])?|\.[<^>])?([adehlmsv])?$/;

/**
 * Reads the rows between the two `|===` lines; `attributes` is the attribute line above, which may give the number of columns.
 */
export function readTable(lines: readonly string[], attributes: string, name: string): TableData {
  const filledLines = lines.filter((line) => line.trim() !== '');
  const separator = findSeparator(attributes);
  const perLine: Cell[][] = separator
    ? filledLines.map((line) => listCells(line, separator))
    : filledLines.reduce<Cell[][]>(addLine, []);
  const cells = perLine.flat();
  const columns = parseColumnCount(attributes) ?? (perLine[0] ? computeWidth(perLine[0]) : 0);
  return placeCells(cells, Math.max(columns, 1), name);
}

/** Returns the separator of `format=csv`, `tsv` and `dsv`; cells of other tables are separated by bars. */
function findSeparator(attributes: string): string | undefined {
  const format = /\bformat\s*=\s*"?([ctd]sv)\b/.exec(attributes)?.[1];
  return format && { csv: ',', tsv: '\t', dsv: ':' }[format];
}

/** Splits a line into fields. Separators inside double quotes are text. */
function listCells(line: string, separator: string): Cell[] {
  const pattern = new RegExp(`"((?:[^"]|"")*)"\\s*(?:${separator}|$)|([^${separator}]*)(?:${separator}|$)`, 'gy');
  const cells: Cell[] = [];
  for (const [whole, quoted, plain = ''] of `${line}${separator}`.matchAll(pattern)) {
    if (whole === '') break;
    cells.push({ text: (quoted?.replaceAll('""', '"') ?? plain).trim(), columns: 1, rows: 1 });
  }
  return cells;
}

/** Adds the cells of a line to the rows. Text before the first bar continues the last cell. */
function addLine(rows: Cell[][], line: string): Cell[][] {
  const pieces = line.split(/(?<!\\)\|/);
  const before = pieces[0]!;
  let match = specification.exec(before);
  const last = rows.at(-1)?.at(-1);
  if (pieces.length === 1 || (match?.index ?? before.length) > 0) {
    const text = (pieces.length === 1 ? before : before.slice(0, match?.index ?? before.length)).trim();
    if (last && text !== '') last.text = last.text === '' ? text : `${last.text} ${text}`;
    if (pieces.length === 1) return rows;
  }
  const row: Cell[] = [];
  for (const [index, piece] of pieces.slice(1).entries()) {
    const next = index < pieces.length - 2 ? specification.exec(piece) : null;
    const hasNext = next !== null && next[0].trim() !== '';
    const text = (hasNext ? piece.slice(0, next.index) : piece).trim().replaceAll('\\|', '|');
    // A single letter between two bars is a cell, not the style of the next cell.
    const isWhole = hasNext && text === '' && next[1] === undefined && next[2] === undefined;
    row.push(...repeatCell(isWhole ? next[0].trim() : text, match?.[1]));
    match = isWhole ? null : next;
  }
  rows.push(row);
  return rows;
}

/** Applies a specifier: `3*` repeats the cell, `2.3+` makes it two columns wide and three rows high. */
function repeatCell(text: string, span: string | undefined): Cell[] {
  const [, columns, rows, sign] = /^(\d+)?(?:\.(\d+))?([+*])$/.exec(span ?? '') ?? [];
  const count = Math.min(Number(columns ?? 1), 1000);
  if (sign === '*') return Array.from({ length: count }, () => ({ text, columns: 1, rows: 1 }));
  return [{ text, columns: Math.max(count, 1), rows: Math.max(Math.min(Number(rows ?? 1), 10_000), 1) }];
}

function computeWidth(row: readonly Cell[]): number {
  return row.reduce((width, { columns }) => width + columns, 0);
}

/** Counts the columns: `cols="1,2"` has two, `cols="3*"` three. */
function parseColumnCount(attributes: string): number | undefined {
  const value = /\bcols\s*=\s*(?:"([^"]*)"|([^\],]*))/.exec(attributes);
  const list = value?.[1] ?? value?.[2];
  if (!list) return undefined;
  const count = list
    .split(/[,;]/)
    .reduce((sum, part) => sum + Math.min(Number(/^\s*(\d+)\*/.exec(part)?.[1] ?? 1), 1000), 0);
  return count > 0 ? count : undefined;
}

/** Fills the grid row by row; the first row is the header. */
function placeCells(cells: readonly Cell[], columns: number, name: string): TableData {
  const placed: TableCell[] = [];
  const taken = new Set<number>();
  let place = 0;
  let rows = 0;
  for (const { text, columns: span, rows: height } of cells) {
    while (taken.has(place)) place += 1;
    const [row, column] = [Math.floor(place / columns), place % columns];
    const width = Math.min(span, columns - column);
    if ((row + height) * columns > maxGridPlaces) {
      throw new AppError('DOCUMENT_TOO_LARGE', `A table of '${name}' has more than ${maxGridPlaces} places.`);
    }
    for (let down = 0; down < height; down++) {
      for (let right = 0; right < width; right++) taken.add((row + down) * columns + column + right);
    }
    rows = Math.max(rows, row + height);
    placed.push(tableCell(row, column, text, { row_span: height, col_span: width, column_header: row === 0 }));
    place += width;
  }
  return { table_cells: placed, num_rows: rows, num_cols: columns };
}
