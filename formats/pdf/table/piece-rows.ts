import { addAll } from '../../../model/lists/add-all';
import { findSmallest } from '../../extremes';
import { type Box, computeMedian, measureOverlapX, union } from '../geometry/box';
import type { Rule } from '../geometry/page';
import type { PageCell } from './page-table';
import type { Piece, PieceRow } from './piece-row';
import { findMiddleSpan } from './spanning-heads';
import { findRuleBelow, stackHeads } from './stacked-heads';
import { joinLines } from './tables';

interface Placed {
  column: number;
  columnEnd: number;
  pieces: Piece[];
  section?: boolean;
}
/** `between` contains cells half a line below, which belong to this row and the next. */
interface Row {
  cells: Placed[];
  between: Placed[];
  baseline: number;
  size: number;
}

/**
 * Places the cells of a table with known columns. Headers span columns by the ruling below them or by their centring; cells
 * may continue on the next line; cells set between two rows belong to both.
 */
export function placeRows(
  { head, body }: { head: readonly PieceRow[]; body: readonly PieceRow[] },
  columns: readonly Box[],
  partial: readonly Rule[],
): { rows: number; cells: PageCell[] } {
  const heads = joinHeads(
    placeBetweenRows(
      stackHeads(head, columns, partial).map((row, index, all) =>
        placeHead(row, columns, index < all.length - 1 || all.length === 1 ? partial : []),
      ),
    ),
  );
  const rows = joinContinued(placeBetweenRows(body.map((row) => placeBody(row, columns))));
  const all = [...heads, ...rows];
  const cells = all.flatMap(({ cells: rowCells, between }, index) => [
    ...rowCells.map((cell) => toCell(cell, index, index + 1, index < heads.length)),
    ...between.map((cell) => toCell(cell, index, Math.min(index + 2, all.length), index < heads.length)),
  ]);
  return { rows: all.length, cells: cells.toSorted((a, b) => a.row - b.row || a.column - b.column) };
}

function toCell(
  { column, columnEnd, pieces, section }: Placed,
  row: number,
  rowEnd: number,
  header: boolean,
): PageCell {
  const text = joinLines(pieces.map((piece) => piece.text));
  const cell = { row, rowEnd, column, columnEnd, text, header, box: union(pieces.map(({ box }) => box)) };
  return section ? { ...cell, section } : cell;
}

function placeBody({ pieces, baseline, size }: PieceRow, columns: readonly Box[]): Row {
  const cells = groupTogether(pieces.map((piece) => ({ ...findSpan(piece.box, columns), pieces: [piece] })));
  const [only] = cells;
  const isSection = cells.length === 1 && only !== undefined && only.columnEnd - only.column > 1;
  if (isSection) Object.assign(only, { column: 0, columnEnd: columns.length, section: true });
  return { cells, between: [], baseline, size };
}

/** `partial` contains the rulings that may be below a spanning header. */
function placeHead({ pieces, baseline, size }: PieceRow, columns: readonly Box[], partial: readonly Rule[]): Row {
  const plain = pieces.map((piece) => ({ ...findSpan(piece.box, columns), pieces: [piece] }));
  const usedColumns = new Set(plain.flatMap(({ column, columnEnd }) => [column, columnEnd - 1]));
  const cells = plain.map((cell): Placed => {
    const { box } = cell.pieces[0] as Piece;
    const rule = findRuleBelow(box, size, partial);
    const ruled = rule && findSpan({ l: rule.from, r: rule.to, b: 0, t: 0 }, columns);
    const isAlone = ruled && plain.every((other) => other === cell || isApart(other, ruled));
    if (isAlone) return { ...cell, ...ruled };
    const span =
      cell.columnEnd - cell.column === 1 && plain.length < columns.length
        ? findMiddleSpan(box, cell.column, columns, usedColumns)
        : undefined;
    return span ? { ...cell, column: span[0], columnEnd: span[1] } : cell;
  });
  return { cells: groupTogether(cells), between: [], baseline, size };
}

function isApart(a: Pick<Placed, 'column' | 'columnEnd'>, b: Pick<Placed, 'column' | 'columnEnd'>): boolean {
  return a.columnEnd <= b.column || b.columnEnd <= a.column;
}

/** The columns that the box overlaps; the nearest one if it lies in the gap between two. */
function findSpan(box: Box, columns: readonly Box[]): { column: number; columnEnd: number } {
  const hit = columns.flatMap((column, index) => (measureOverlapX(column, box) > 0 ? [index] : []));
  if (hit.length > 0) return { column: hit[0] as number, columnEnd: (hit.at(-1) as number) + 1 };
  const gaps = columns.map((column) => -measureOverlapX(column, box));
  const column = gaps.indexOf(findSmallest(gaps));
  return { column, columnEnd: column + 1 };
}

/** Merges pieces that share a column into one cell. */
function groupTogether(cells: readonly Placed[]): Placed[] {
  const joined: Placed[] = [];
  for (const cell of cells) {
    const last = joined.at(-1);
    if (last && !isApart(last, cell)) {
      last.columnEnd = Math.max(last.columnEnd, cell.columnEnd);
      addAll(last.pieces, cell.pieces);
    } else joined.push({ ...cell, pieces: [...cell.pieces] });
  }
  return joined;
}

/** Moves cells less than a line below one row and above the next, in other columns, into both rows. */
function placeBetweenRows(rows: readonly Row[]): Row[] {
  const keptRows: Row[] = [];
  rows.forEach((row, index) => {
    const [above, below] = [keptRows.at(-1), rows[index + 1]];
    const near = 0.85 * row.size;
    const isBetween =
      above !== undefined &&
      below !== undefined &&
      above.baseline - row.baseline < near &&
      row.baseline - below.baseline < near &&
      row.cells.every((cell) => [...above.cells, ...below.cells].every((other) => isApart(cell, other)));
    if (isBetween) addAll(above.between, row.cells);
    else keptRows.push({ ...row, between: [...row.between] });
  });
  return keptRows;
}

/** Merges two-line headers: the second line is close, each piece is below one of the first, and none spans columns. */
function joinHeads(rows: readonly Row[]): Row[] {
  const joined: Row[] = [];
  for (const row of rows) {
    const above = joined.at(-1);
    const isSecond =
      above !== undefined &&
      above.baseline - row.baseline < 1.4 * row.size &&
      [...above.cells, ...row.cells].every(({ column, columnEnd }) => columnEnd - column === 1) &&
      row.cells.length < above.cells.length &&
      row.cells.every(({ column }) => above.cells.some((cell) => cell.column === column));
    if (isSecond) append(above, row);
    else joined.push(row);
  }
  return joined;
}

/** Merges a line that only continues cells of the row above. */
function joinContinued(rows: readonly Row[]): Row[] {
  const joined: Row[] = [];
  const rowDistance = computeMedian(
    rows.slice(1).map(({ baseline }, index) => (rows[index] as Row).baseline - baseline),
  );
  const nearest = findSmallest(
    rows.flatMap((row, index) => {
      const above = rows[index - 1];
      return above && row.cells[0]?.column === 0 ? [above.baseline - row.baseline] : [];
    }),
  );
  for (const row of rows) {
    const above = joined.at(-1);
    if (above && (isRest(row, above) || isIndentedRest(row, above, rowDistance) || isCloseRest(row, above, nearest)))
      append(above, row);
    else joined.push(row);
  }
  return joined;
}

/** True for a line without a label, below cells of the row above and closer to them than any row that has one to what is above it. */
function isCloseRest(row: Row, above: Row, nearest: number): boolean {
  const step = findLowest(above) - row.baseline;
  const isClose = step < 1.45 * row.size && step < 0.85 * nearest;
  if (!isClose || row.between.length > 0 || row.cells.length >= above.cells.length) return false;
  return row.cells.every(({ column, columnEnd }) =>
    above.cells.some((cell) => column > 0 && cell.column === column && cell.columnEnd === columnEnd),
  );
}

function isRest(row: Row, above: Row): boolean {
  if (findLowest(above) - row.baseline > 1.45 * row.size || row.between.length > 0 || row.cells.length > 2)
    return false;
  if (row.cells.length >= above.cells.length && !isRestOfTitle(row, above)) return false;
  return row.cells.every((cell) => {
    const start = above.cells.find(({ column, columnEnd }) => column === cell.column && columnEnd === cell.columnEnd);
    const [end, next] = [start?.pieces.at(-1)?.text ?? '', cell.pieces[0]?.text ?? ''];
    const isFirst = cell.column === 0;
    return /\p{L}[,;-]?$/u.test(end) && (/^\p{Ll}/u.test(next) || /[,-]$/.test(end) || (!isFirst && end.length > 15));
  });
}

/** True for the second line of the title of a section, alone in the first column like the first one. */
function isRestOfTitle({ cells: [only, ...others] }: Row, { cells: [start, ...more] }: Row): boolean {
  if (!only || !start || others.length > 0 || more.length > 0) return false;
  return (
    only.column === 0 && /^\p{Ll}{2}/u.test(only.pieces[0]?.text ?? '') && /^\p{Lu}/u.test(start.pieces[0]?.text ?? '')
  );
}

/**
 * True for the second line of labels: indented, and closer than the usual row distance if it is alone, or in lower case beside
 * other cells that continue.
 */
function isIndentedRest(row: Row, above: Row, rowDistance: number): boolean {
  const [label, ...others] = row.cells;
  const [start] = above.cells;
  if (!label || !start || label.column !== 0 || start.column !== 0 || row.between.length > 0) return false;
  const step = findLowest(above) - row.baseline;
  const indent = (label.pieces[0] as Piece).box.l - (start.pieces[0] as Piece).box.l;
  if (label.columnEnd > 1 || step > 1.45 * row.size || indent < 0.2 * row.size) return false;
  const isBelow = (cell: Placed) => above.cells.some(({ column }) => column === cell.column);
  const text = (cell: Placed) => cell.pieces[0]?.text ?? '';
  if (others.length === 0) return step < 0.85 * rowDistance && above.cells.length > 1;
  return row.cells.every((cell) => isBelow(cell) && /^\p{Ll}{2}/u.test(text(cell))) && /^\p{Lu}/u.test(text(start));
}

/** The baseline of the last line of a row. */
function findLowest({ cells, baseline, size }: Row): number {
  return Math.min(baseline, findSmallest(cells.flatMap(({ pieces }) => pieces.map(({ box }) => box.b + 0.22 * size))));
}

function append(above: Row, row: Row): void {
  for (const cell of row.cells) {
    const upper = above.cells.find(({ column }) => column === cell.column);
    if (upper) addAll(upper.pieces, cell.pieces);
  }
}
