import { addAll } from '../../../model/lists/add-all';
import { findLargest, findSmallest } from '../../extremes';
import { type Box, computeMedian, measureOverlapX, union } from '../geometry/box';
import { findListMark } from '../lists/lists';
import type { Line } from '../text/line';
import type { Row } from './aligned-table';
import { toRows } from './borderless';
import { isFigure, splitFigures } from './figures';
import { type LinedTable, mergeIntervals } from './lined-tables';
import type { PageCell } from './page-table';
import { isFilledText } from './prose-columns';
import { joinHeadColumns, addHeadRow } from './spanning-heads';
import { joinLines } from './tables';

const minimum = { rows: 3, columns: 2 };
/** Largest distance of the second line of a head from the first, in type sizes. */
const headLeading = 1.45;
const maximum = { columns: 30, gapInSizes: 4.5, prose: 70, pieces: 4_000, cuts: 4, title: 30, sums: 5 };
/** The gap between two tables, as a multiple of the usual distance of rows. */
const cutGap = 1.25;
/** The share of the words of contradictory rows that the tables found in them hold at least. */
const covered = 0.75;
/** Largest difference between the edges or centres of texts that are in line, in points. */
const slack = 2;

/**
 * Finds tables without rulings whose cells may have several lines, aligned to the top, middle or bottom of their row. Rows
 * with cells side by side define the columns; a line between such rows joins the row with the same vertical centre. Searches
 * the whole page, before text columns are detected.
 */
export function findBlockTables(lines: readonly Line[]): LinedTable[] {
  const usable = lines.filter(({ mono, isFormula, isAside }) => !mono && !isFormula && !isAside).flatMap(splitFigures);
  if (usable.length > maximum.pieces) return [];
  const rows = toRows(usable);
  return listRuns(rows).flatMap((run) => findTables(rows, run, maximum.cuts));
}

/**
 * The table of a run of rows. Rows that contradict each other may be two tables, one close below the other: the widest gap, if it is
 * wider than those between most rows, separates them.
 */
function findTables(rows: readonly Row[], { from, to }: Run, cuts: number): LinedTable[] {
  const second = cuts > 0 ? findSecondTable(rows, from, to) : undefined;
  if (second !== undefined) return findTablesAround(rows, { from, to }, second, cuts);
  const table = toTable(rows.slice(from, to));
  if (table) return [addHead(table, rows, from)];
  const distances = rows
    .slice(from + 1, to)
    .map(({ baseline }, index) => (rows[from + index] as Row).baseline - baseline);
  const widest = findLargest(distances);
  if (cuts === 0 || to - from < minimum.rows + 1) return [];
  const isCut = widest >= cutGap * computeMedian(distances);
  const found = isCut
    ? findTablesAround(rows, { from, to }, from + 1 + distances.indexOf(widest), cuts)
    : findTableAboveSums(rows, { from, to });
  return covers(found, rows.slice(from, to)) ? found : [];
}

/** The tables above and below a cut. */
function findTablesAround(rows: readonly Row[], { from, to }: Run, cut: number, cuts: number): LinedTable[] {
  const parts = [
    { from, to: cut },
    { from: cut, to },
  ];
  return parts.flatMap((part) =>
    listRuns(rows.slice(part.from, part.to)).flatMap((run) =>
      findTables(rows, { from: part.from + run.from, to: part.from + run.to }, cuts - 1),
    ),
  );
}

/** True if the tables explain nearly all of the rows: parts of a drawing or a timetable may look like small tables. */
function covers(tables: readonly LinedTable[], rows: readonly Row[]): boolean {
  const words = rows.flatMap(({ lines }) => lines.flatMap((line) => line.words));
  const taken = new Set(tables.flatMap((table) => [...table.taken]));
  return words.filter((word) => taken.has(word)).length >= covered * words.length;
}

/** The table without its last rows: totals to the right of its labels, in places of their own, contradict the columns above. */
function findTableAboveSums(rows: readonly Row[], { from, to }: Run): LinedTable[] {
  const labels = findSmallest(rows.slice(from, to).flatMap(({ lines }) => lines.map(({ box }) => box.l)));
  for (let end = to - 1; end > to - 1 - maximum.sums && end - from >= minimum.rows; end -= 1) {
    const { lines, size } = rows[end] as Row;
    if (lines.some(({ box }) => box.l < labels + 2 * size)) return [];
    const table = toTable(rows.slice(from, end));
    if (table) return [addHead(table, rows, from)];
  }
  return [];
}

/**
 * The row of bold heads, or the bold title, that begins a table of its own below other rows: most of the texts above it are not in
 * line with those of the table.
 */
function findSecondTable(rows: readonly Row[], from: number, to: number): number | undefined {
  const isBold = ({ lines }: Row) => lines.every(({ bold }) => bold);
  for (let index = from + 1; index < to - 1; index += 1) {
    const [above, row, below] = [rows[index - 1] as Row, rows[index] as Row, rows[index + 1] as Row];
    const isTitle = row.lines.length === 1;
    if (!isBold(row) || isBold(above) || isBold(below) || (!isTitle && row.lines.length <= minimum.columns)) continue;
    const cells = isTitle ? below.lines : row.lines;
    const level = cells.filter((line) => above.lines.some((other) => areInLine(line.box, other.box)));
    if (cells.length > 1 && above.lines.length > 1 && level.length < 0.5 * cells.length) return index;
  }
  return undefined;
}

/** True for texts with one left edge, right edge or centre. */
function areInLine(a: Box, b: Box): boolean {
  const offsets = [a.l - b.l, a.r - b.r, (a.l + a.r - b.l - b.r) / 2];
  return offsets.some((offset) => Math.abs(offset) < slack);
}

/** Adds the row above the table if it is a header, also with the title of the first section between them. */
function addHead(linedTable: LinedTable, rows: readonly Row[], from: number): LinedTable {
  const [head, title] = [rows[from - 2], rows[from - 1]];
  const headed = title && addRow(linedTable, title);
  if (headed || !title || !head || title.lines.length > 1) return headed ?? linedTable;
  const [line] = title.lines as [Line];
  const first = rows[from] as Row;
  const isTitle =
    line.text.length <= maximum.title &&
    line.size < 1.05 * first.size &&
    line.box.l < linedTable.table.box.l + slack &&
    title.baseline - first.baseline < headLeading * 1.5 * first.size;
  const cell = { row: 0, rowEnd: 1, column: 0, columnEnd: 1, text: line.text, header: false, box: line.box };
  const cells = linedTable.table.cells.map((other) => ({ ...other, row: other.row + 1, rowEnd: other.rowEnd + 1 }));
  const { table } = linedTable;
  const titled = { ...table, rows: table.rows + 1, box: union([table.box, line.box]), cells: [cell, ...cells] };
  return (
    (isTitle && addRow({ table: titled, taken: new Set([...linedTable.taken, ...line.words]) }, head)) || linedTable
  );
}

function addRow({ table, taken }: LinedTable, above: Row): LinedTable | undefined {
  const headed = addHeadRow(table, above);
  return headed && { table: headed, taken: new Set([...taken, ...above.lines.flatMap(({ words }) => words)]) };
}

interface Run {
  from: number;
  to: number;
}

/** Runs of rows that start and end with an anchor (figures beside a label, or three cells), with no wide gap inside. */
function listRuns(rows: readonly Row[]): Run[] {
  const runs: Run[] = [];
  let open: { from: number; last: number; count: number } | undefined;
  const close = () => {
    if (open && open.count >= minimum.rows) runs.push({ from: open.from, to: open.last + 1 });
    open = undefined;
  };
  rows.forEach((row, index) => {
    if (!isAnchor(row)) return;
    const last = open && rows[open.last];
    const isFar =
      last !== undefined &&
      last.baseline - row.baseline > maximum.gapInSizes * Math.max(last.size, row.size) &&
      !areBridged(rows, (open as { last: number }).last, index);
    const isCut = open && rows.slice(open.last + 1, index).some((other) => cuts(other, last as Row));
    if (isFar || isCut) close();
    if (open) Object.assign(open, { last: index, count: open.count + 1 });
    else open = { from: index, last: index, count: 1 };
  });
  close();
  return runs;
}

/**
 * True if one or two rows of short texts, such as the second line of heads or the title of a section, fill the gap between two rows
 * at the distances that rows have.
 */
function areBridged(rows: readonly Row[], from: number, to: number): boolean {
  const [first, last, next] = [rows[from] as Row, rows[to] as Row, rows[to + 1]];
  if (!next || to - from < 2 || to - from > 3) return false;
  const farthest = cutGap * (last.baseline - next.baseline);
  const ends = [...first.lines, ...last.lines];
  return rows.slice(from + 1, to + 1).every(({ baseline, lines, size }, index) => {
    const isTitle = lines.every(
      ({ text, box }) => text.length <= maximum.title && ends.some((end) => areInLine(box, end.box)),
    );
    const isBetween = from + 1 + index < to;
    if (isBetween && (!isTitle || size >= 1.05 * first.size)) return false;
    return (rows[from + index] as Row).baseline - baseline < farthest;
  });
}

/** True for a line of text nearly as wide as the rows: it separates two tables. */
function cuts(row: Row, last: Row): boolean {
  const above = union(last.lines.map(({ box }) => box));
  return row.lines.some(({ box, text }) => box.r - box.l > 0.6 * (above.r - above.l) && text.length > maximum.prose);
}

function isAnchor({ lines }: Row): boolean {
  if (lines.length < 2 || lines.some((line) => findListMark(line) && line.words.length > 3)) return false;
  const figures = lines.filter(({ text }) => isFigure(text)).length;
  if (figures > 0 && lines.length - figures <= 2) return true;
  return lines.length > 2 && lines.every(({ text }) => text.length < maximum.prose);
}

function toTable(rows: readonly Row[]): LinedTable | undefined {
  const anchors = omitSecondHead(rows.filter(isAnchor));
  const columns = findColumns(anchors);
  if (!columns || columns.length < minimum.columns || columns.length > maximum.columns) return undefined;
  const text = collectTextBeside(rows, anchors, columns);
  if (text.size > 0)
    return buildOnlyTable(rows.map((row) => ({ ...row, lines: row.lines.filter((line) => !text.has(line)) })));
  const placed = anchors.map((row) => ({ row, spans: row.lines.map(({ box }) => findSpan(box, columns)) }));
  const isClean = placed.filter(({ spans }) => areApart(spans)).length >= 0.8 * placed.length;
  if (!isClean || !isTabular(anchors, columns)) return undefined;
  const bands = listBands(rows, anchors, columns);
  const cells = bands.flatMap((band, index) => listCells(band, { index, columns }));
  const all = bands.flat();
  return {
    table: joinHeadColumns({
      box: union(all.map(({ box }) => box)),
      rows: bands.length,
      columns: columns.length,
      cells,
    }),
    taken: new Set(all.flatMap(({ words }) => words)),
  };
}

/** Leaves out the second line of bold heads, which is closer to the first than to the rows below, so that it joins the first. */
function omitSecondHead(anchors: readonly Row[]): readonly Row[] {
  const [first, second, third] = anchors;
  if (!first || !second || !third || second.lines.length > first.lines.length) return anchors;
  const isBold = ({ lines }: Row) => lines.every(({ bold }) => bold);
  const distance = first.baseline - second.baseline;
  const isClose = distance < headLeading * second.size && distance < 0.85 * (second.baseline - third.baseline);
  return isClose && isBold(first) && isBold(second) && !isBold(third) ? [first, ...anchors.slice(2)] : anchors;
}

/** The table of the rows after some lines were removed; undefined unless exactly one run remains. */
function buildOnlyTable(rows: readonly Row[]): LinedTable | undefined {
  const left = rows.filter(({ lines }) => lines.length > 0);
  const [run, ...others] = listRuns(left);
  return run && others.length === 0 ? toTable(left.slice(run.from, run.to)) : undefined;
}

/** The lines of columns whose running text continues past several rows: text beside the table. */
function collectTextBeside(rows: readonly Row[], anchors: readonly Row[], columns: readonly Box[]): Set<Line> {
  const cells = columns.flatMap((_, index) => {
    const columnLines = rows.flatMap(({ lines }) => lines.filter(({ box }) => findSpan(box, columns)[0] === index));
    const isText = listStacks(columnLines).some((stack) => {
      const [top, bottom] = [stack[0] as Line, stack.at(-1) as Line];
      const spannedAnchors = anchors.filter(
        ({ baseline }) => baseline < top.baseline + 2 && baseline > bottom.baseline - 2,
      );
      return spannedAnchors.length >= minimum.rows && isFilledText(stack);
    });
    return isText ? columnLines : [];
  });
  return new Set(cells);
}

/** The x-ranges of the cells in rows with one cell per column; undefined if they contradict each other. */
function findColumns(anchors: readonly Row[]): Box[] | undefined {
  const counts = anchors.map(({ lines }) => lines.length).toSorted((a, b) => b - a);
  const enough = Math.max(1, Math.floor(0.15 * anchors.length));
  for (let count = counts[enough] ?? counts[0] ?? 0; count >= minimum.columns; count -= 1) {
    const full = anchors.filter(({ lines }) => lines.length === count);
    const seeds = mergeIntervals(full.flatMap(({ lines }) => lines.map(({ box }) => box)));
    if (full.length === 0 || seeds.length !== count) continue;
    return growColumns(seeds, anchors);
  }
  return undefined;
}

/** Widens each column by the cells that overlap it alone; a cell that overlaps none becomes a new column. */
function growColumns(seeds: readonly Box[], anchors: readonly Row[]): Box[] {
  let columns = [...seeds];
  for (const { box } of anchors.flatMap(({ lines }) => lines)) {
    const hit = columns.filter((column) => measureOverlapX(column, box) > 0);
    if (hit.length > 1) continue;
    const [only] = hit;
    columns = only ? columns.map((column) => (column === only ? union([only, box]) : column)) : [...columns, box];
  }
  return columns.toSorted((a, b) => a.l - b.l);
}

function findSpan(box: Box, columns: readonly Box[]): [number, number] {
  const hit = columns.flatMap((column, index) => (measureOverlapX(column, box) > 0 ? [index] : []));
  if (hit.length > 0) return [hit[0] as number, (hit.at(-1) as number) + 1];
  const gaps = columns.map((column) => -measureOverlapX(column, box));
  const nearest = gaps.indexOf(findSmallest(gaps));
  return [nearest, nearest + 1];
}

function areApart(spans: readonly (readonly [number, number])[]): boolean {
  return spans.every(([from], index) => index === 0 || from >= (spans[index - 1] as [number, number])[1]);
}

/** True if cells are narrow, most places are filled, and no running text is set side by side. */
function isTabular(anchors: readonly Row[], columns: readonly Box[]): boolean {
  const cells = anchors.flatMap(({ lines }) => lines);
  if (cells.length < 0.55 * anchors.length * columns.length) return false;
  if (cells.filter((line) => findListMark(line)).length > 0.2 * cells.length) return false;
  const columnCells = columns.map((column) => cells.filter(({ box }) => measureOverlapX(column, box) > 0));
  const figures = columnCells.filter(
    (list) => list.filter(({ text }) => isFigure(text)).length >= 0.5 * list.length,
  ).length;
  if (columns.length === 2 && (figures !== 1 || anchors.length < 4)) return false;
  const texts = columnCells.filter((list) => isFilledText(list));
  if (texts.length > 0 && (texts.length > 1 || figures < columns.length - 1)) return false;
  return figures > 0 || (columns.length > 2 && computeMedian(cells.map(({ words }) => words.length)) <= 3);
}

/** The lines of each table row, from the top. */
function listBands(rows: readonly Row[], anchors: readonly Row[], columns: readonly Box[]): Line[][] {
  const bands = anchors.map(({ lines, baseline }) => ({ lines: [...lines], at: baseline }));
  const home = new Map(bands.flatMap((band) => band.lines.map((line) => [line, band] as const)));
  for (const [index] of columns.entries()) {
    const columnLines = rows.flatMap(({ lines }) => lines.filter(({ box }) => findSpan(box, columns)[0] === index));
    for (const group of listStacks(columnLines)) {
      const loose = group.filter((line) => !home.has(line));
      if (loose.length === 0) continue;
      const anchored = group.filter((line) => home.has(line));
      const middle = ((group[0] as Line).baseline + (group.at(-1) as Line).baseline) / 2;
      const size = (group[0] as Line).size;
      const nearest = bands.toSorted((a, b) => Math.abs(a.at - middle) - Math.abs(b.at - middle))[0];
      if (anchored.length > 0) for (const line of loose) home.get(findNearest(anchored, line))?.lines.push(line);
      else if (nearest && Math.abs(nearest.at - middle) < 0.6 * size) addAll(nearest.lines, loose);
      else bands.push({ lines: loose, at: middle });
    }
  }
  return bands.toSorted((a, b) => b.at - a.at).map(({ lines }) => lines);
}

/** The line above if it is at paragraph line spacing, else the nearest line. */
function findNearest(anchored: readonly Line[], line: Line): Line {
  const above = anchored.findLast(({ baseline }) => baseline > line.baseline);
  if (above && above.baseline - line.baseline < 1.5 * line.size) return above;
  return anchored.toSorted(
    (a, b) => Math.abs(a.baseline - line.baseline) - Math.abs(b.baseline - line.baseline),
  )[0] as Line;
}

/** Groups the lines of one column that have the line spacing of a paragraph. */
function listStacks(lines: readonly Line[]): Line[][] {
  const stacks: Line[][] = [];
  for (const line of lines.toSorted((a, b) => b.baseline - a.baseline)) {
    const stack = stacks.at(-1);
    const last = stack?.at(-1);
    if (stack && last && last.baseline - line.baseline < 1.45 * line.size) stack.push(line);
    else stacks.push([line]);
  }
  return stacks;
}

function listCells(band: readonly Line[], { index, columns }: { index: number; columns: readonly Box[] }): PageCell[] {
  const cells: { from: number; to: number; lines: Line[] }[] = [];
  for (const line of band.toSorted((a, b) => a.box.l - b.box.l)) {
    const [from, to] = findSpan(line.box, columns);
    const cell = cells.find((cell) => cell.from < to && from < cell.to);
    if (cell) {
      cell.lines.push(line);
      cell.to = Math.max(cell.to, to);
    } else cells.push({ from, to, lines: [line] });
  }
  return cells.map(({ from, to, lines }) => ({
    row: index,
    rowEnd: index + 1,
    column: from,
    columnEnd: to,
    text: joinLines(toRows(lines).map((row) => row.lines.map(({ text }) => text).join(' '))),
    header: index === 0,
    box: union(lines.map(({ box }) => box)),
  }));
}
