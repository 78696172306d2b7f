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
    const table = findContents(rows, start) ?? findAligned(rows, start);
    if (table) {
      const above = start > free ? rows[start - 1] : undefined;
      alignedTables.push(table.found.isIndex ? table.found : addSpanningHead(table.found, above));
      free = table.end;
    }
    start = table ? table.end : start + 1;
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

function findAligned(rows: readonly Row[], start: number): { found: AlignedTable; end: number } | undefined {
  if ((rows[start] as Row).lines.length < 2) return undefined;
  let end = start + 1;
  while (end < rows.length && belongsToTable(rows, start, end)) end += 1;
  // Single lines at the end belong to the paragraph below.
  while (end > start && (rows[end - 1] as Row).lines.length < 2 && !isContinuation(rows, start, end - 1)) end -= 1;
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
  if (areLabelled(rows)) return 2;
  return columns > 2 || isShown ? minTableRows : minTableRows + 1;
}

/** True if the first row is bold in all columns, and no other row is. */
function hasBoldHead([head, ...others]: readonly Row[], columns: number): boolean {
  const isBold = ({ lines }: Row) => lines.every(({ bold }) => bold);
  return head !== undefined && head.lines.length === columns && isBold(head) && !others.some(isBold);
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

/** True if the row is near the one above and has several cells or continues one. */
function belongsToTable(rows: readonly Row[], start: number, index: number): boolean {
  const [above, row] = [rows[index - 1] as Row, rows[index] as Row];
  const distance = above.baseline - row.baseline;
  if (distance > 3 * Math.max(above.size, row.size)) return false;
  // A gap much wider than those so far: another table, or no table at all.
  if (index - start > 2 && distance > 1.6 * computeWidestStep(rows, start, index) && distance > 1.8 * row.size)
    return false;
  if (row.lines.length > 1)
    return findColumns(rows.slice(start, index + 1).filter(({ lines }) => lines.length > 1)) !== undefined;
  return isContinuation(rows, start, index);
}

function computeWidestStep(rows: readonly Row[], start: number, end: number): number {
  let widest = 0;
  for (let index = start + 1; index < end; index += 1)
    widest = Math.max(widest, (rows[index - 1] as Row).baseline - (rows[index] as Row).baseline);
  return widest;
}

/** True for a single line close below one cell of the row above that overlaps no other column. */
function isContinuation(rows: readonly Row[], start: number, index: number): boolean {
  const line = (rows[index] as Row).lines[0] as Line;
  const above = rows[index - 1] as Row;
  if (index <= start || above.baseline - line.baseline > 1.6 * line.size) return false;
  const columns = findColumns(rows.slice(start, index).filter(({ lines }) => lines.length > 1));
  return (
    columns !== undefined &&
    columns.filter((column) => measureOverlapX(column, line.box) > 0).length === 1 &&
    line.box.l >= (columns[0] as Box).l - line.size
  );
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
    Math.max(...rows.map(({ lines }) => lines.filter(({ text }) => test.test(text)).length));
  const isNumeric = rows.some(({ lines }) => lines.some(({ text }) => /^[\d.,%$€-]+$/.test(text)));
  return !isNumeric && (count(/\S@\S+\.\S/) > 1 || (count(affiliation) > 1 && areCentred(rows)));
}

/** True if the lines of each column share a centre but not a width. */
function areCentred(rows: readonly Row[]): boolean {
  const [first, ...others] = rows.filter(({ lines }) => lines.length > 1);
  const middle = ({ box }: Line) => (box.l + box.r) / 2;
  const offsets = others.flatMap(({ lines }) =>
    lines.map((line) => Math.min(...(first as Row).lines.map((top) => Math.abs(middle(line) - middle(top))))),
  );
  const edges = rows.flatMap(({ lines }) => lines.slice(0, 1).map(({ box }) => box.l));
  return offsets.every((offset) => offset < 3) && Math.max(...edges) - Math.min(...edges) > 6;
}

/** True if at least half of the grid is filled. */
function isFilled(rows: readonly Row[], columns: number): boolean {
  const cells = rows.reduce((sum, { lines }) => sum + lines.length, 0);
  return cells >= 0.5 * rows.length * columns;
}

function toTable(rows: readonly Row[], columns: readonly Box[]): AlignedTable {
  const cells: (PageCell & { parts: string[] })[] = [];
  let row = -1;
  for (const { lines } of rows) {
    const single = lines.length === 1 && row >= 0;
    if (!single) row += 1;
    for (const line of lines) {
      const column = columns.findIndex((candidate) => measureOverlapX(candidate, line.box) > 0);
      const cell = cells.find((candidate) => candidate.row === row && candidate.column === column);
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
