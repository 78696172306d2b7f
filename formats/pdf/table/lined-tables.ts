import { addAll } from '../../../model/lists/add-all';
import { type Box, computeMedian, measureOverlapX, union } from '../geometry/box';
import { groupBy } from '../geometry/group-by';
import type { Rule } from '../geometry/page';
import type { Line, Word } from '../text/line';
import { toRows } from './borderless';
import { isFigure } from './figures';
import type { PageCell, PageTable } from './page-table';
import { joinLines } from './tables';

/** A table whose rows are separated by horizontal rulings only, and the words it consumes. */
export interface LinedTable {
  table: PageTable;
  taken: Set<Word>;
}

/** Shorter rulings underline words or begin notes. */
const shortest = 80;
/** A table with fewer ruled rows is a booktabs table, whose text shows the rows. */
const minBands = 3;
/** Largest difference between the ends of the rulings of one table, in points. */
const slack = 4;
/** Rows taller than this are sections of a page. In points. */
const highestRow = 200;

/** The fewest rows with a label, and their share of all rows. */
const labelledRows = { rows: 3, share: 0.6 };
/** The share of cells that are figures. */
const figureShare = 0.8;
/** Texts in one row have baselines this close, in points. */
const levelSlack = 2;

/**
 * Finds tables of rows between horizontal rulings of equal length; gaps between cells show the columns. Cells may have
 * several lines. The header may be above the first ruling.
 */
export function findLinedTables(level: readonly Rule[], lines: readonly Line[]): LinedTable[] {
  const long = level.filter(({ from, to }) => to - from >= shortest);
  return listStacks(long).flatMap((stack) => toTable(stack, lines) ?? []);
}

/** Stacks of rulings of equal length, from the top, with more than `minBands` rulings each. */
function listStacks(rules: readonly Rule[]): Rule[][] {
  const stacks: Rule[][] = [];
  for (const rule of rules.toSorted((a, b) => b.at - a.at)) {
    const stack = stacks.find((candidate) => {
      const last = candidate.at(-1) as Rule;
      const isSame = Math.abs(last.from - rule.from) <= slack && Math.abs(last.to - rule.to) <= slack;
      return isSame && last.at - rule.at < highestRow;
    });
    if (!stack) stacks.push([rule]);
    else if ((stack.at(-1) as Rule).at - rule.at > 3) stack.push(rule);
  }
  return stacks.filter((stack) => stack.length > minBands);
}

function toTable(stack: readonly Rule[], lines: readonly Line[]): LinedTable | undefined {
  const [first, last] = [stack[0] as Rule, stack.at(-1) as Rule];
  const within = lines.filter(
    ({ box }) => box.l >= first.from - slack && box.r <= first.to + slack && box.t < first.at + highestRow,
  );
  const bands = stack.slice(1).map((rule, index) => listLinesBetween(within, rule.at, (stack[index] as Rule).at));
  if (bands.some((band) => band.length === 0)) return undefined;
  const columns = mergeIntervals(bands.flat().map(({ box }) => box));
  if (columns.length < 2 || columns.length > 30) return undefined;
  const filled = bands.filter((band) => countColumnsUsed(band, columns) > 1).length;
  if (filled < 0.7 * bands.length) return undefined;
  const head = findHeadAbove(within, first.at, columns, measureWhite(bands, stack));
  const rows = head.length > 0 ? [head, ...bands] : bands;
  const cells = rows.flatMap((row, index) => listCells(row, index, columns));
  return {
    table: {
      box: union([{ l: first.from, r: first.to, b: last.at, t: first.at }, ...rows.flat().map(({ box }) => box)]),
      rows: rows.length,
      columns: columns.length,
      cells,
    },
    taken: new Set(rows.flat().flatMap(({ words }) => words)),
  };
}

/** How far a row may be above a ruling: slightly farther than those between the rulings are above theirs. */
export function measureWhite(bands: readonly (readonly Line[])[], stack: readonly Rule[]): number {
  const whites = bands.map((band, index) => union(band.map(({ box }) => box)).b - (stack[index + 1] as Rule).at);
  return 1.2 * computeMedian(whites);
}

/** The lines whose vertical centre lies between two heights. */
export function listLinesBetween(lines: readonly Line[], from: number, to: number): Line[] {
  return lines.filter(({ box }) => {
    const middle = (box.b + box.t) / 2;
    return middle > from && middle < to;
  });
}

/** The x-ranges that the boxes cover, merged where they overlap, from left to right. */
export function mergeIntervals(boxes: readonly Box[]): Box[] {
  const merged: Box[] = [];
  for (const box of boxes.toSorted((a, b) => a.l - b.l)) {
    const last = merged.at(-1);
    if (last && measureOverlapX(last, box) > 0) merged[merged.length - 1] = union([last, box]);
    else merged.push(box);
  }
  return merged;
}

function findColumn(box: Box, columns: readonly Box[]): number {
  return columns.findIndex((column) => measureOverlapX(column, box) > 0);
}

function countColumnsUsed(row: readonly Line[], columns: readonly Box[]): number {
  return new Set(row.map(({ box }) => findColumn(box, columns))).size;
}

/**
 * The header lines close above the first ruling, by 0.8 type sizes or `white`, if each piece overlaps at most one column. The second line of one head alone
 * belongs to the header if a row of heads is close above it.
 */
export function findHeadAbove(lines: readonly Line[], top: number, columns: readonly Box[], white = 0): Line[] {
  const above = toRows(lines.filter(({ box }) => (box.b + box.t) / 2 > top)).toReversed();
  const head: Line[] = [];
  let pending: Line[] = [];
  let edge = top;
  for (const row of above) {
    const box = union(row.lines.map((line) => line.box));
    const isClose = box.b - edge < Math.max(0.8 * row.size, edge === top ? white : 0);
    const isApart = row.lines.every(
      (line) => columns.filter((column) => measureOverlapX(column, line.box) > 0).length <= 1,
    );
    if (!isClose || !isApart || pending.length > 1) break;
    addAll(pending, row.lines);
    const isBesideHeads = head.length > 0 && box.b < edge;
    edge = box.t;
    if (!isBesideHeads && countColumnsUsed(row.lines, columns) < Math.min(2, columns.length)) continue;
    addAll(head, pending);
    pending = [];
  }
  return head;
}

function listCells(row: readonly Line[], index: number, columns: readonly Box[]): PageCell[] {
  const byColumn = groupBy(row, ({ box }) => Math.max(findColumn(box, columns), 0));
  return [...byColumn].map(([column, columnLines]) => ({
    row: index,
    rowEnd: index + 1,
    column,
    columnEnd: column + 1,
    text: joinLines(toRows(columnLines).map(({ lines }) => lines.map(({ text }) => text).join(' '))),
    header: index === 0,
    box: union(columnLines.map(({ box }) => box)),
  }));
}

/**
 * True if rulings enclose figures only, and most of the rows have text to the left of them: the rulings are drawn above and below
 * sums, as in financial statements, and the labels belong to the table.
 */
export function areSumLines({ table, taken }: LinedTable, lines: readonly Line[]): boolean {
  const body = table.cells.filter(({ header, text }) => !header && text !== '');
  if (body.filter(({ text }) => isFigure(text)).length < figureShare * body.length) return false;
  const edge = table.box.l + levelSlack;
  const inside = lines.filter(({ words }) => words.some((word) => taken.has(word)));
  const outside = lines.filter(({ box, words }) => box.r <= edge && !words.some((word) => taken.has(word)));
  const heights = new Set(outside.map(({ baseline }) => Math.round(baseline / levelSlack)));
  const rows = toRows(inside);
  const beside = rows.filter(({ baseline }) =>
    [-1, 0, 1].some((off) => heights.has(Math.round(baseline / levelSlack) + off)),
  );
  return beside.length >= labelledRows.rows && beside.length >= labelledRows.share * rows.length;
}
