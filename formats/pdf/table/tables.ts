import type { TableData } from '../../../document/model';
import { findLargest } from '../../extremes';
import { rightToLeft } from '../engine/characters';
import { keptHyphen, longDash } from '../engine/signs';
import { type Box, computeMedian, holds, measureOverlapY, meets } from '../geometry/box';
import { groupBy } from '../geometry/group-by';
import type { Grid, GridCell } from '../geometry/rulings';
import { isAddressBreak, isSlashBreak, isSuspended } from '../text/hyphens';
import type { Line, Word } from '../text/line';
import { omitFrame } from './framed-tables';
import type { PageTable, PageCell } from './page-table';
import { splitHeads } from './split-heads';
import { type CellLine, type LinedCell, findLinesBox, splitRows, splitSpans } from './stacked-rows';

/** The table of a grid and the words it consumes; undefined for a box, a form or a frame, in which too few cells have text. */
export function fillGrid(
  grid: Grid,
  lines: readonly Line[],
  fills: readonly Box[],
): { table: PageTable; taken: Set<Word> } | undefined {
  const inside = lines.filter(({ box }) => measureOverlapY(box, grid.box) > 0);
  if (isWithinText(grid, inside)) return undefined;
  const over = inside.flatMap((line) => listOverprintedWords(line, grid.cells));
  const usedWords = new Set<Word>(over);
  const lined = grid.cells.map((cell) => {
    const cellLines = listLines(inside, cell, usedWords);
    for (const { words } of cellLines) for (const word of words) usedWords.add(word);
    return { cell, lines: cellLines };
  });
  for (const word of over) usedWords.delete(word);
  const { cells: body, box } = omitFrame(grid, lined);
  for (const word of listWords(lined.filter((cell) => !body.includes(cell)))) usedWords.delete(word);
  const ruled = compact(body.map(buildFilledCell));
  if (ruled.columns < 2 || (ruled.rows === 1 && ruled.columns < 3) || isFrame(grid, ruled.cells)) return undefined;
  const used = compact(splitRows(splitSpans(splitHeads(body))).map(buildFilledCell));
  const headerRows = countHeaders(grid, fills, used.cells);
  const cells = used.cells.map((cell) => ({ ...cell, header: cell.row < headerRows }));
  return { table: { box, rows: used.rows, columns: used.columns, cells }, taken: usedWords };
}

/** The words of text printed across the table: if cell sides cut two or more words of one line, all its words in their font. */
function listOverprintedWords({ words, box: whole }: Line, cells: readonly GridCell[]): Word[] {
  const under = cells.filter((cell) => meets(cell.box, whole));
  const cut = words.filter(({ box, size }) => {
    const cell = under.find((candidate) => holds(candidate.box, box));
    const maxGap = Math.min(0.2 * (box.r - box.l), 0.5 * size);
    return cell !== undefined && Math.max(cell.box.l - box.l, box.r - cell.box.r) > maxGap;
  });
  const same = words.filter(({ font }) => font === cut[0]?.font);
  return cut.length > 1 && cut.length > 0.3 * same.length ? same : [];
}

/** The most rows of words that are shaded within running text, and the fewest words of one of its lines. */
const shadedRows = 3;
const shadedWords = 3;

/** Distance in points by which the centre of a word may lie outside its cell. */
const cellSlack = 0.5;

/** The lines of a cell, from the top; pieces on one baseline are separate lines, in reading order. */
function listLines(lines: readonly Line[], cell: GridCell, usedWords: ReadonlySet<Word>): CellLine[] {
  const rows: (CellLine & { start: number })[] = [];
  for (const line of lines) {
    if (!meets(cell.box, line.box, cellSlack)) continue;
    const words = line.words.filter((word) => !usedWords.has(word) && holds(cell.box, word.box, cellSlack));
    if (words.length === 0) continue;
    const start = rightToLeft.test(line.text) ? -line.box.r : (words[0] as Word).box.l;
    rows.push({ baseline: line.baseline, start, text: words.map(({ text }) => text).join(' '), words });
  }
  rows.sort((a, b) => (Math.abs(a.baseline - b.baseline) > 2 ? b.baseline - a.baseline : a.start - b.start));
  return rows;
}

/**
 * Joins the lines of a paragraph or cell into running text. Drops a line-end hyphen between letters, but keeps it between
 * numbers or if it is known to belong to the word. Puts no space between Chinese or Japanese characters.
 */
export function joinLines(lines: readonly string[]): string {
  const joined = lines.reduce((text, line) => {
    if (text === '') return line;
    if (openEnds.includes(text.charAt(text.length - 1))) {
      if (isAddressBreak(text, line) || isSlashBreak(text, line)) return text + line;
      if (isSuspended(text, line)) return `${text.slice(0, -1)}- ${line}`;
    }
    if (text.endsWith(keptHyphen) || text.endsWith(longDash)) {
      const whole = text.endsWith(keptHyphen) ? `${text.slice(0, -1)}-` : text;
      return `${whole}${/^[\p{L}\p{N}]/u.test(line) ? '' : ' '}${line}`;
    }
    if (/\p{N}-$/u.test(text) && /^\p{N}/u.test(line)) return text + line;
    if (/[\p{L}\p{N}]-$/u.test(text) && /^[\p{L}\p{N}]/u.test(line)) return text.slice(0, -1) + line;
    return unspaced.test(text.slice(-1)) && unspaced.test(line.charAt(0)) ? text + line : `${text} ${line}`;
  }, '');
  return joined.replace(/\u2010$/, '-');
}

/**
 * Characters at the end of a line that may join it to the next one without a space, or replace the rest of a compound.
 */
const openEnds = `/._=&?%~-${keptHyphen}`;

/** Chinese and Japanese characters: no spaces between words, unlike Korean. */
export const unspaced = /[\u3001-\u3011\u3040-\u30ff\u3400-\u9fff\uff01-\uff60]/;

function listWords(cells: readonly LinedCell[]): Word[] {
  return cells.flatMap(({ lines }) => lines.flatMap(({ words }) => words));
}

function buildFilledCell({ cell, lines }: LinedCell): FilledCell {
  return { cell, text: joinLines(lines.map(({ text }) => text)), box: findLinesBox(lines) };
}

interface FilledCell {
  cell: GridCell;
  text: string;
  box: Box | undefined;
}

/**
 * Drops rows and columns that separate nothing (double rulings, margins, layout tricks): a grid line stays if, in some row or
 * column, a cell with text begins at it after another one. Omits empty cells, which the model implies.
 */
function compact(filled: readonly FilledCell[]): Pick<PageTable, 'rows' | 'columns' | 'cells'> {
  const used = filled.filter(({ text }) => text !== '');
  const rowLines = listUsedLines(
    used.map(({ cell }) => ({ from: cell.row, across: cell.column, acrossEnd: cell.columnEnd })),
  );
  const columnLines = listUsedLines(
    used.map(({ cell }) => ({ from: cell.column, across: cell.row, acrossEnd: cell.rowEnd })),
  );
  const cells = used.map(({ cell, text, box }) => ({
    row: countUpTo(rowLines, cell.row),
    rowEnd: countUpTo(rowLines, cell.rowEnd - 1) + 1,
    column: countUpTo(columnLines, cell.column),
    columnEnd: countUpTo(columnLines, cell.columnEnd - 1) + 1,
    text,
    box,
    header: false,
  }));
  return { rows: rowLines.length + 1, columns: columnLines.length + 1, cells };
}

interface Span {
  from: number;
  across: number;
  acrossEnd: number;
}

/** The starts of spans that come after another span in the same track. */
function listUsedLines(spans: readonly Span[]): number[] {
  const inTracks = spans.flatMap(({ from, across, acrossEnd }) =>
    Array.from({ length: acrossEnd - across }, (_, index) => ({ track: across + index, from })),
  );
  const starts = new Set<number>();
  for (const track of groupBy(inTracks, (span) => span.track).values()) {
    for (const { from } of track.toSorted((a, b) => a.from - b.from).slice(1)) starts.add(from);
  }
  return [...starts].toSorted((a, b) => a - b);
}

/** The number of lines at or before the index. */
function countUpTo(lines: readonly number[], index: number): number {
  return lines.filter((line) => line <= index).length;
}

/** True for shades or frames of single words of running text: most lines with words inside continue outside, on a side. */
function isWithinText({ box, ys }: Grid, lines: readonly Line[]): boolean {
  const held = lines.filter(({ words }) => words.some((word) => holds(box, word.box)));
  const isContinued = (line: Line) =>
    Math.max(box.l - line.box.l, line.box.r - box.r) > 2 * line.size && line.words.length > shadedWords;
  return ys.length <= shadedRows + 1 && held.length > 0 && 2 * held.filter(isContinued).length > held.length;
}

/** True for rulings around parts of a page: few cells, or mostly long texts. */
function isFrame(grid: Grid, cells: readonly PageCell[]): boolean {
  const long = cells.filter(({ text }) => text.length > 300).length;
  return (grid.box.t - grid.box.b > 250 && cells.length <= 6 && long > 0) || long > 0.5 * cells.length;
}

/** The table in right-to-left order: its first column is the rightmost. */
export function mirrorTable(table: PageTable): PageTable {
  const cells = table.cells.map((cell) => ({
    ...cell,
    column: table.columns - cell.columnEnd,
    columnEnd: table.columns - cell.column,
  }));
  return { ...table, cells: cells.toSorted((a, b) => a.row - b.row || a.column - b.column) };
}

/** The number of header rows: the shaded ones at the top if the last row is unshaded, else one. */
function countHeaders(grid: Grid, fills: readonly Box[], cells: readonly PageCell[]): number {
  const isShaded = (cell: PageCell) =>
    cell.box !== undefined &&
    fills.some((fill) => holds(fill, cell.box as Box) && fill.t - fill.b < 0.7 * (grid.box.t - grid.box.b));
  const rows = findLargest(cells.map(({ rowEnd }) => rowEnd));
  const isShadedRow = (row: number) => {
    const inRow = cells.filter((cell) => cell.row === row && cell.text !== '');
    return inRow.length > 0 && inRow.every(isShaded);
  };
  let count = 0;
  while (count < rows - 1 && count < 3 && isShadedRow(count)) count += 1;
  return count > 0 && !isShadedRow(rows - 1) ? count : 1;
}

/** The table in the document model's format; boxes count from the top of the page, as in the reference. */
export function createTableData(
  table: PageTable,
  toBox: (box: Box) => NonNullable<TableData['table_cells'][number]['bbox']>,
): TableData {
  return {
    num_rows: table.rows,
    num_cols: table.columns,
    table_cells: table.cells.map((cell) => ({
      bbox: cell.box ? toBox(cell.box) : null,
      row_span: cell.rowEnd - cell.row,
      col_span: cell.columnEnd - cell.column,
      start_row_offset_idx: cell.row,
      end_row_offset_idx: cell.rowEnd,
      start_col_offset_idx: cell.column,
      end_col_offset_idx: cell.columnEnd,
      text: cell.text,
      column_header: cell.header,
      row_header: false,
      row_section: cell.section ?? false,
      fillable: false,
    })),
  };
}

/** The median distance between baselines of lines of this size; 1.2 × size if there is nothing to measure. */
export function computeTypicalLeading(lines: readonly Line[], size: number): number {
  const distances: number[] = [];
  const sorted = lines
    .filter((line) => Math.abs(line.size - size) < 0.1 * size)
    .toSorted((a, b) => b.baseline - a.baseline);
  for (let index = 1; index < sorted.length; index += 1) {
    const distance = (sorted[index - 1] as Line).baseline - (sorted[index] as Line).baseline;
    if (distance > 0.8 * size && distance < 2.2 * size) distances.push(distance);
  }
  return computeMedian(distances) || 1.2 * size;
}
