import { findLargest, findSmallest } from '../../extremes';
import { type Box, measureOverlapX, union } from '../geometry/box';
import { areIndexEntries } from '../lists/index-entries';
import { findListMark } from '../lists/lists';
import type { Line } from '../text/line';
import { type AlignedTable, omitCode, type Row } from './aligned-table';
import { areInColumns, findContents } from './contents';
import type { PageCell } from './page-table';
import { addSpanningHead } from './spanning-heads';
import { joinLines } from './tables';

const minTableRows = 3;
/** After this many aligned rows that are no table, the search goes on below them. */
const longestAttempt = 400;
/** Distances of rows and of cells, in type sizes, and lengths of cells, that show a table of two rows. */
const apart = { rows: 1.4, cells: 1.2, characters: 40 };
/** Cells longer than this are paragraphs set side by side. */
const proseCharacters = 60;

/** Scripts in which one character carries as much meaning as several letters. */
const ideographs = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/;

/** Finds tables without rulings among the lines of one column, from top to bottom. */
export function findAlignedTables(lines: readonly Line[]): AlignedTable[] {
  const rows = omitCode(toRows(lines));
  const alignedTables: AlignedTable[] = [];
  let free = 0;
  for (let start = 0; start < rows.length;) {
    const contents = findContents(rows, start);
    const { found, end } = contents ?? findAligned(rows, start);
    if (found) {
      const above = start > free ? rows[start - 1] : undefined;
      alignedTables.push(found.isIndex ? found : addSpanningHead(found, above));
      free = end;
    }
    // What is no table from its first row on may be one from the second, but not on pages of many thousand rows.
    start = found || end - start > longestAttempt ? end : start + 1;
  }
  return alignedTables;
}

/**
 * Finds tables of contents that fill the width of a page, before anything takes their numbers for a column of figures. Those in
 * columns are left for when the columns are known.
 */
export function findTablesOfContents(lines: readonly Line[]): AlignedTable[] {
  const rows = toRows(lines.filter(({ mono, isAside }) => !mono && !isAside));
  if (areInColumns(rows)) return [];
  const tables: AlignedTable[] = [];
  for (let start = 0; start < rows.length;) {
    const contents = findContents(rows, start);
    if (contents) tables.push(contents.found);
    start = contents ? contents.end : start + 1;
  }
  return tables;
}

/** Groups lines by baseline, from the top. */
export function toRows(lines: readonly Line[]): Row[] {
  const rows: Row[] = [];
  for (const line of lines.toSorted((a, b) => b.baseline - a.baseline || a.box.l - b.box.l)) {
    const row = rows.at(-1);
    if (row && Math.abs(row.baseline - line.baseline) < 0.35 * Math.max(row.size, line.size)) row.lines.push(line);
    else rows.push({ lines: [line], baseline: line.baseline, size: line.size });
  }
  for (const row of rows) row.lines.sort((a, b) => a.box.l - b.box.l);
  return rows;
}

/** The table that begins with the row, if there is one; `end` is the row after the last one that is aligned. */
function findAligned(rows: readonly Row[], start: number): { found?: AlignedTable; end: number } {
  const end = findEnd(rows, start);
  const found = end > start ? readAligned(rows, start, end) : undefined;
  return found ?? { end };
}

/** The row after the last one near and in line with those above it. */
function findEnd(rows: readonly Row[], start: number): number {
  if ((rows[start] as Row).lines.length < 2) return start;
  const columns = createColumns();
  columns.add(rows[start] as Row);
  let widest = 0;
  let end = start + 1;
  while (end < rows.length && belongsToTable(rows, end, { start, widest, columns })) {
    widest = Math.max(widest, (rows[end - 1] as Row).baseline - (rows[end] as Row).baseline);
    end += 1;
  }
  return end;
}

function readAligned(
  rows: readonly Row[],
  start: number,
  aligned: number,
): { found: AlignedTable; end: number } | undefined {
  let end = aligned;
  // Single lines at the end belong to the paragraph below.
  while (end > start && (rows[end - 1] as Row).lines.length < 2) {
    const above = rows.slice(start, end - 1).filter(({ lines }) => lines.length > 1);
    if (end - 1 > start && isContinuation(rows, end - 1, findColumns(above))) break;
    end -= 1;
  }
  const part = rows.slice(start, end);
  const multiple = part.filter((row) => row.lines.length > 1);
  const columns = findColumns(multiple);
  if (!columns || columns.length < 2) return undefined;
  const isHeaded = hasBoldHead(multiple, columns.length);
  if (multiple.length < countLeastRows(multiple, columns.length, isHeaded || areNamed(part, multiple)))
    return undefined;
  if (columns.length === 2 && areIndexEntries(multiple.flatMap(({ lines }) => lines))) return undefined;
  if (
    (!isHeaded && isProse(part)) ||
    isFlow(part, columns) ||
    isList(part) ||
    isAuthors(part) ||
    !isFilled(multiple, columns.length)
  )
    return undefined;
  return { found: toTable(part, columns), end };
}

/** The least number of rows with several cells: a bold head, names or labels with colons show a table even of a few rows. */
function countLeastRows(rows: readonly Row[], columns: number, isShown: boolean): number {
  if (areLabelled(rows) || areSetApart(rows, columns)) return 2;
  return columns > 2 || isShown ? minTableRows : minTableRows + 1;
}

/** True if the first row is bold in all columns, and no other row is. */
function hasBoldHead([head, ...others]: readonly Row[], columns: number): boolean {
  const isBold = ({ lines }: Row) => lines.every(({ bold }) => bold);
  return head !== undefined && head.lines.length === columns && isBold(head) && !others.some(isBold);
}

/** True for full rows of short cells with wide gaps, at common left edges, with more white between them than between lines of text. */
function areSetApart(rows: readonly Row[], columns: number): boolean {
  const [first, second] = rows;
  if (columns < 3 || !first || !second || first.baseline - second.baseline < apart.rows * first.size) return false;
  return rows.every(
    ({ lines, size }) =>
      lines.length === columns &&
      lines.every(({ box, text, bold }, index) => {
        const [above, before] = [first.lines[index] as Line, lines[index - 1]];
        const isFar = !before || box.l - before.box.r > apart.cells * size;
        return isFar && !bold && text.length < apart.characters && Math.abs(box.l - above.box.l) < 1;
      }),
  );
}

/** True if each row is a label with a colon and a value beside it. */
function areLabelled(rows: readonly Row[]): boolean {
  return rows.every(({ lines }) => lines.length === 2 && /\p{L}\s?[:：]$/u.test((lines[0] as Line).text));
}

/** True if each row is a name in monospaced type and its description, at common left edges, and few rows are continuations. */
function areNamed(part: readonly Row[], rows: readonly Row[]): boolean {
  const first = rows[0]?.lines ?? [];
  if (part.length > 1.5 * rows.length) return false;
  return rows.every(({ lines: [name, text, ...others] }) => {
    if (!name?.mono || !text || text.mono || others.length > 0 || name.words.length > 2) return false;
    return [name, text].every((line, index) => Math.abs(line.box.l - (first[index] as Line).box.l) < 1);
  });
}

/** What is known of the rows above: their first one, their widest distance and their columns. */
interface RowsAbove {
  start: number;
  widest: number;
  columns: Columns;
}

/** True if the row is near the one above and has several cells or continues one. Adds its cells to the columns. */
function belongsToTable(rows: readonly Row[], index: number, { start, widest, columns }: RowsAbove): boolean {
  const [above, row] = [rows[index - 1] as Row, rows[index] as Row];
  const distance = above.baseline - row.baseline;
  if (distance > 3 * Math.max(above.size, row.size)) return false;
  // A gap much wider than those so far: another table, or no table at all.
  if (index - start > 2 && distance > 1.6 * widest && distance > 1.8 * row.size) return false;
  if (row.lines.length > 1) return columns.add(row) !== undefined;
  return isContinuation(rows, index, columns.get());
}

/** True for a single line close below one cell of the row above that overlaps no other column. */
function isContinuation(rows: readonly Row[], index: number, columns: readonly Box[] | undefined): boolean {
  const line = (rows[index] as Row).lines[0] as Line;
  const above = rows[index - 1] as Row;
  if (above.baseline - line.baseline > 1.6 * line.size) return false;
  return (
    columns !== undefined &&
    columns.filter((column) => measureOverlapX(column, line.box) > 0).length === 1 &&
    line.box.l >= (columns[0] as Box).l - line.size
  );
}

interface Columns {
  /** Adds a row; returns the columns as `findColumns` finds them in all rows. */
  add(row: Row): Box[] | undefined;
  get(): Box[] | undefined;
}

/** Columns of a growing list of rows. All rows are examined again only if a row may join columns. */
function createColumns(): Columns {
  const rows: Row[] = [];
  let columns: Box[] | undefined = [];
  return {
    add(row) {
      rows.push(row);
      // Columns only widen, so two cells of a row that are in one of them stay there.
      if (columns) columns = widenColumns(columns, row) ?? findColumns(rows);
      return columns;
    },
    get: () => columns,
  };
}

/** The columns with the cells of the row, if each widens a column of its own, which overlaps no other one then. */
function widenColumns(columns: readonly Box[], { lines }: Row): Box[] | undefined {
  const wider = [...columns];
  const used = new Set<number>();
  for (const { box } of lines) {
    const column = columns.findIndex((known) => measureOverlapX(known, box) > 0);
    if (column < 0 || used.has(column)) return undefined;
    used.add(column);
    wider[column] = union([columns[column] as Box, box]);
  }
  const areApart = wider.every((column, index) => index === 0 || measureOverlapX(wider[index - 1] as Box, column) <= 0);
  return areApart ? wider : undefined;
}

/** The x-ranges that the cells share; undefined if a row has two cells in one of them. */
function findColumns(rows: readonly Row[]): Box[] | undefined {
  if (rows.length === 0) return undefined;
  const boxes = rows.flatMap(({ lines }) => lines.map(({ box }) => box)).toSorted((a, b) => a.l - b.l);
  const columns: Box[] = [];
  for (const box of boxes) {
    const last = columns.at(-1);
    if (last && measureOverlapX(last, box) > 0) columns[columns.length - 1] = union([last, box]);
    else columns.push(box);
  }
  const clean = rows.every(({ lines }) => {
    const used = lines.map(({ box }) => columns.findIndex((column) => measureOverlapX(column, box) > 0));
    return new Set(used).size === used.length;
  });
  return clean ? columns : undefined;
}

function isProse(rows: readonly Row[]): boolean {
  const cells = rows.flatMap(({ lines }) => lines);
  const long = cells.filter(
    ({ text }) => text.length > (ideographs.test(text) ? proseCharacters / 4 : proseCharacters),
  ).length;
  return long > 0.25 * cells.length;
}

/** True for paragraphs side by side: in at least two columns, lines continue on the next line. */
function isFlow(rows: readonly Row[], columns: readonly Box[]): boolean {
  const flowing = columns.filter((column) => {
    const cells = rows.flatMap(({ lines }) => lines.filter(({ box }) => measureOverlapX(column, box) > 0));
    const pairs = cells
      .slice(1)
      .filter((cell, index) => (cells[index] as Line).words.length > 2 && /^\p{Ll}/u.test(cell.text));
    return cells.length > 4 && pairs.length >= 0.5 * (cells.length - 1);
  });
  return flowing.length > 1;
}

/** True for lists side by side. */
function isList(rows: readonly Row[]): boolean {
  const cells = rows.flatMap(({ lines }) => lines);
  return cells.filter((line) => findListMark(line)).length > 0.4 * cells.length;
}

const affiliation = /universit|institut|departe?ment|college|laborator|research|school of|faculty|\binc\b|\bgmbh\b/i;

/** True for authors side by side, each with an institution and address below the name. */
function isAuthors(rows: readonly Row[]): boolean {
  if (rows.length > 9) return false;
  const count = (test: RegExp) =>
    findLargest(rows.map(({ lines }) => lines.filter(({ text }) => test.test(text)).length));
  const isNumeric = rows.some(({ lines }) => lines.some(({ text }) => /^[\d.,%$€-]+$/.test(text)));
  return !isNumeric && (count(/\S@\S+\.\S/) > 1 || (count(affiliation) > 1 && areCentred(rows)));
}

/** True if the lines of each column share a centre but not a width. */
function areCentred(rows: readonly Row[]): boolean {
  const [first, ...others] = rows.filter(({ lines }) => lines.length > 1);
  const middle = ({ box }: Line) => (box.l + box.r) / 2;
  const offsets = others.flatMap(({ lines }) =>
    lines.map((line) => findSmallest((first as Row).lines.map((top) => Math.abs(middle(line) - middle(top))))),
  );
  const edges = rows.flatMap(({ lines }) => lines.slice(0, 1).map(({ box }) => box.l));
  return offsets.every((offset) => offset < 3) && findLargest(edges) - findSmallest(edges) > 6;
}

/** True if at least half of the grid is filled. */
function isFilled(rows: readonly Row[], columns: number): boolean {
  const cells = rows.reduce((sum, { lines }) => sum + lines.length, 0);
  return cells >= 0.5 * rows.length * columns;
}

function toTable(rows: readonly Row[], columns: readonly Box[]): AlignedTable {
  const cells: (PageCell & { parts: string[] })[] = [];
  let row = -1;
  // The index of the first cell of the row.
  let inRow = 0;
  for (const { lines } of rows) {
    const single = lines.length === 1 && row >= 0;
    if (!single) {
      row += 1;
      inRow = cells.length;
    }
    for (const line of lines) {
      const column = columns.findIndex((candidate) => measureOverlapX(candidate, line.box) > 0);
      const cell = cells.slice(inRow).find((candidate) => candidate.column === column);
      if (cell) {
        cell.parts.push(line.text);
        cell.box = union([cell.box as Box, line.box]);
      } else
        cells.push({
          row,
          rowEnd: row + 1,
          column,
          columnEnd: column + 1,
          text: '',
          header: row === 0,
          box: line.box,
          parts: [line.text],
        });
    }
  }
  const lines = rows.flatMap((row) => row.lines);
  return {
    table: {
      box: union(lines.map(({ box }) => box)),
      rows: row + 1,
      columns: columns.length,
      cells: cells.map(({ parts, ...cell }) => ({ ...cell, text: joinLines(parts) })),
    },
    lines,
    isIndex: false,
  };
}
