import type { TableData } from '../../document/model';
import { type Box, holds, median, overlapY, union } from './box';
import type { Line, Word } from './lines';
import type { Grid, GridCell } from './rulings';

/** A table as found on a page. Boxes are those of the page, origin at the lower left. */
export interface PageTable {
  box: Box;
  rows: number;
  columns: number;
  cells: PageCell[];
}
export interface PageCell {
  row: number;
  column: number;
  rowEnd: number;
  columnEnd: number;
  text: string;
  header: boolean;
  box: Box | undefined;
}

/** The table of a grid and the words it takes; undefined when too few cells hold text to be one (a box, a form, a frame). */
export function fillGrid(
  grid: Grid,
  lines: readonly Line[],
  fills: readonly Box[],
): { table: PageTable; taken: Set<Word> } | undefined {
  const taken = new Set<Word>();
  const inside = lines.filter(({ box }) => overlapY(box, grid.box) > 0);
  const filled = grid.cells.map((cell) => {
    const words = wordsIn(inside, cell, taken);
    return { cell, text: words.text, box: words.boxes.length > 0 ? union(words.boxes) : undefined };
  });
  const used = compact(grid, filled);
  const withText = used.cells.filter(({ text }) => text !== '').length;
  if (used.rows * used.columns < 2 || withText < 2 || (used.rows === 1 && used.columns < 3) || used.columns < 2)
    return undefined;
  const headerRows = headerCount(grid, fills, used.cells);
  const cells = used.cells.map((cell) => ({ ...cell, header: cell.row < headerRows }));
  return { table: { box: grid.box, rows: used.rows, columns: used.columns, cells }, taken };
}

function wordsIn(lines: readonly Line[], cell: GridCell, taken: Set<Word>): { text: string; boxes: Box[] } {
  const rows: { baseline: number; l: number; text: string }[] = [];
  const boxes: Box[] = [];
  for (const line of lines) {
    const words = line.words.filter((word) => !taken.has(word) && holds(cell.box, word.box, 0.5));
    if (words.length === 0) continue;
    for (const word of words) {
      taken.add(word);
      boxes.push(word.box);
    }
    rows.push({ baseline: line.baseline, l: (words[0] as Word).box.l, text: words.map(({ text }) => text).join(' ') });
  }
  rows.sort((a, b) => (Math.abs(a.baseline - b.baseline) > 2 ? b.baseline - a.baseline : a.l - b.l));
  return { text: joinLines(rows.map(({ text }) => text)), boxes };
}

/** Lines of one paragraph or cell as running text; a hyphen between letters at a line's end is taken back. */
export function joinLines(lines: readonly string[]): string {
  return lines.reduce((text, line) => {
    if (text === '') return line;
    if (/[\p{L}\p{N}]-$/u.test(text) && /^[\p{L}\p{N}]/u.test(line)) return text.slice(0, -1) + line;
    return `${text} ${line}`;
  }, '');
}

/** Leaves out rows and columns that no cell begins in and that hold nothing (double rulings, margins). */
function compact(
  grid: Grid,
  filled: readonly { cell: GridCell; text: string; box: Box | undefined }[],
): Pick<PageTable, 'rows' | 'columns' | 'cells'> {
  const rowKept = keep(
    grid.ys.length - 1,
    filled.map(({ cell, text }) => ({ from: cell.row, to: cell.rowEnd, text })),
    (row) => gapAt(grid.ys, row),
  );
  const columnKept = keep(
    grid.xs.length - 1,
    filled.map(({ cell, text }) => ({ from: cell.column, to: cell.columnEnd, text })),
    (column) => gapAt(grid.xs, column),
  );
  const rowAt = numbering(rowKept);
  const columnAt = numbering(columnKept);
  const cells = filled.flatMap(({ cell, text, box }) => {
    const [row, rowEnd] = [rowAt(cell.row), rowAt(cell.rowEnd)];
    const [column, columnEnd] = [columnAt(cell.column), columnAt(cell.columnEnd)];
    return rowEnd > row && columnEnd > column ? [{ row, rowEnd, column, columnEnd, text, box, header: false }] : [];
  });
  return { rows: rowAt(rowKept.length), columns: columnAt(columnKept.length), cells };
}

function gapAt(lines: readonly number[], index: number): number {
  return Math.abs((lines[index + 1] as number) - (lines[index] as number));
}

function keep(
  count: number,
  spans: readonly { from: number; to: number; text: string }[],
  size: (index: number) => number,
): boolean[] {
  return Array.from(
    { length: count },
    (_, index) =>
      size(index) > 6 || spans.some(({ from, to, text }) => from === index && to === index + 1 && text !== ''),
  );
}

/** Old index to new index, counting kept ones only. */
function numbering(kept: readonly boolean[]): (index: number) => number {
  const at = [0];
  for (const isKept of kept) at.push((at.at(-1) as number) + (isKept ? 1 : 0));
  return (index) => at[index] as number;
}

/** Rows of the head: those with shading while the last row has none, else the first. */
function headerCount(grid: Grid, fills: readonly Box[], cells: readonly PageCell[]): number {
  const isShaded = (cell: PageCell) =>
    cell.box !== undefined &&
    fills.some((fill) => holds(fill, cell.box as Box) && fill.t - fill.b < 0.7 * (grid.box.t - grid.box.b));
  const rows = Math.max(...cells.map(({ rowEnd }) => rowEnd));
  const shadedRow = (row: number) => {
    const inRow = cells.filter((cell) => cell.row === row && cell.text !== '');
    return inRow.length > 0 && inRow.every(isShaded);
  };
  let count = 0;
  while (count < rows - 1 && count < 3 && shadedRow(count)) count += 1;
  return count > 0 && !shadedRow(rows - 1) ? count : 1;
}

/** The model's form of a table; its boxes count from the top of the page, as those of the reference do. */
export function tableData(
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
      row_section: false,
      fillable: false,
    })),
  };
}

/** The usual distance between baselines of lines of this size; 1.2 sizes where there is nothing to measure. */
export function usualLeading(lines: readonly Line[], size: number): number {
  const distances: number[] = [];
  const sorted = lines
    .filter((line) => Math.abs(line.size - size) < 0.1 * size)
    .toSorted((a, b) => b.baseline - a.baseline);
  for (let index = 1; index < sorted.length; index += 1) {
    const distance = (sorted[index - 1] as Line).baseline - (sorted[index] as Line).baseline;
    if (distance > 0.8 * size && distance < 2.2 * size) distances.push(distance);
  }
  return median(distances) || 1.2 * size;
}
