import type { TableCell, TableStructure } from '../../../model/page/page-models';
import { findLargest, findSmallest } from '../../extremes';
import { type Box, computeCoverage, measureOverlapX, union } from '../geometry/box';
import { groupBy } from '../geometry/group-by';
import type { PageCell, PageTable } from '../table/page-table';
import { joinLines } from '../table/tables';
import type { Line, Word } from '../text/line';

type SeenCell = Omit<TableCell, 'box'> & { box: Box };

/** The structure that a model sees in a table, in page coordinates. */
export type SeenStructure = Omit<TableStructure, 'cells'> & { cells: readonly SeenCell[] };

/** The boxes of a model are rough: cells are this much larger, in points. */
const slack = 2;
/** A cell contains a word that it covers by this share. */
const minCoverage = 0.5;
/** This share of the words is in the cell that its row and its column give. */
const minAgreement = 0.9;
/** Words that are closer than this belong together, and words of one cell are not further apart than the second, in type sizes. */
const gaps = { phrase: 0.4, cell: 1.5 } as const;
/** Baselines that differ by less are one, in type sizes. */
const sameBaseline = 0.3;

/** The words of a table on one baseline, from left to right. */
interface PrintedRow {
  words: Word[];
  baseline: number;
  size: number;
}

/**
 * The table of the words in `box` by the cells of a model; undefined unless they agree. Each word has to be in exactly one cell,
 * words on one baseline share a row, close words a cell, no cell contains a wide gap, and its lines break where they are full.
 */
export function fillStructure(
  { cells, score }: SeenStructure,
  box: Box,
  lines: readonly Line[],
): PageTable | undefined {
  const printed = groupByBaseline(lines);
  const places = assignWords(cells, printed);
  if (!places || !areWhole(printed, places) || !areFull(cells, printed, places)) return undefined;
  const full = cells.flatMap((cell, index) => {
    const pieces = printed.flatMap(({ words }) => {
      const inside = words.filter((word) => places.get(word) === index);
      return inside.length > 0 ? [inside] : [];
    });
    if (pieces.length === 0) return [];
    const text = joinLines(pieces.map((words) => words.map((word) => word.text).join(' ')));
    return [{ ...cell, text, box: union(pieces.flat().map((word) => word.box)) }];
  });
  const [rows, columns] = [listUsed(full, 'row'), listUsed(full, 'column')];
  if (rows.length * columns.length < 2) return undefined;
  const placed = full.map(({ row, rowEnd, column, columnEnd, text, header, box: cellBox }): PageCell => ({
    row: rows.indexOf(row),
    rowEnd: rows.filter((used) => used < rowEnd).length,
    column: columns.indexOf(column),
    columnEnd: columns.filter((used) => used < columnEnd).length,
    text,
    header,
    box: cellBox,
  }));
  return { box, rows: rows.length, columns: columns.length, cells: placed, score };
}

function groupByBaseline(lines: readonly Line[]): PrintedRow[] {
  const rows: PrintedRow[] = [];
  for (const { words, baseline, size } of lines.toSorted((a, b) => b.baseline - a.baseline)) {
    const last = rows.at(-1);
    if (last && last.baseline - baseline < sameBaseline * size) last.words.push(...words);
    else rows.push({ words: [...words], baseline, size });
  }
  for (const row of rows) row.words.sort((a, b) => a.box.l - b.box.l);
  return rows;
}

/** The cell of each word: its row is that of most words on its baseline. Undefined if too many words are elsewhere. */
function assignWords(cells: readonly SeenCell[], printed: readonly PrintedRow[]): Map<Word, number> | undefined {
  const boxes = cells.map(({ box: { l, r, b, t } }) => ({ l: l - slack, r: r + slack, b: b - slack, t: t + slack }));
  const places = new Map<Word, number>();
  let [all, agreed, lastRow] = [0, 0, 0];
  for (const { words } of printed) {
    const seen = words.map((word) => findBest(boxes, (cell) => computeCoverage(word.box, cell), minCoverage));
    const row = findCommonRow(seen.flatMap((index) => (index === undefined ? [] : [cells[index] as SeenCell])));
    if (row === undefined || row < lastRow) return undefined;
    lastRow = row;
    for (const [index, word] of words.entries()) {
      const width = word.box.r - word.box.l;
      const place = findBest(
        boxes,
        (cell, at) => (isInRow(cells[at] as SeenCell, row) ? measureOverlapX(word.box, cell) / width : 0),
        minCoverage,
      );
      if (place === undefined) return undefined;
      places.set(word, place);
      all += 1;
      if (place === seen[index]) agreed += 1;
    }
  }
  return agreed >= minAgreement * all ? places : undefined;
}

function isInRow({ row, rowEnd }: SeenCell, wanted: number): boolean {
  return row <= wanted && wanted < rowEnd;
}

/** The index of the box with the highest value; undefined if that is below `least`. */
function findBest(
  boxes: readonly Box[],
  measure: (box: Box, index: number) => number,
  least: number,
): number | undefined {
  let [best, found]: [number, number | undefined] = [least, undefined];
  for (const [index, box] of boxes.entries()) {
    const value = measure(box, index);
    if (value < best || (value === best && found !== undefined)) continue;
    [best, found] = [value, index];
  }
  return found;
}

/** The row that most of the cells are in. */
function findCommonRow(cells: readonly SeenCell[]): number | undefined {
  const counts = new Map<number, number>();
  for (const { row, rowEnd } of cells)
    for (let index = row; index < rowEnd; index += 1) counts.set(index, (counts.get(index) ?? 0) + 1);
  const most = findLargest([...counts.values()]);
  return [...counts].find(([, count]) => count === most)?.[0];
}

/** True if close words are in one cell, and words of one cell are close. */
function areWhole(printed: readonly PrintedRow[], places: ReadonlyMap<Word, number>): boolean {
  return printed.every(({ words, size }) =>
    words.every((word, index) => {
      const before = words[index - 1];
      if (!before) return true;
      const gap = (word.box.l - before.box.r) / size;
      return places.get(word) === places.get(before) ? gap <= gaps.cell : gap >= gaps.phrase;
    }),
  );
}

/**
 * False if cells of a row have several lines, none of which is full: the next word had room, so these lines are rows of
 * their own.
 */
function areFull(
  cells: readonly SeenCell[],
  printed: readonly PrintedRow[],
  places: ReadonlyMap<Word, number>,
): boolean {
  const pieces = groupBy(
    printed.flatMap(({ words, size }) =>
      [...groupBy(words, (word) => places.get(word) as number)].map(([index, inside]) => ({
        index,
        size,
        first: inside[0] as Word,
        box: union(inside.map((word) => word.box)),
      })),
    ),
    ({ index }) => index,
  );
  const widths = new Map<number, number>();
  for (const [index, found] of pieces) {
    const { column, columnEnd } = cells[index] as SeenCell;
    if (columnEnd - column > 1) continue;
    const extent = findLargest(found.map(({ box }) => box.r)) - findSmallest(found.map(({ box }) => box.l));
    widths.set(column, Math.max(widths.get(column) ?? 0, extent));
  }
  const breaks = [...pieces].flatMap(([index, found]) => {
    const { row, column } = cells[index] as SeenCell;
    if (found.length < 2) return [];
    const isFull = found.some(({ box, size }, at) => {
      const next = found[at + 1];
      const width = box.r - box.l + size / 4 + (next ? next.first.box.r - next.first.box.l : 0);
      return next !== undefined && width > (widths.get(column) ?? 0);
    });
    return [{ row, isFull }];
  });
  return [...groupBy(breaks, ({ row }) => row).values()].every(
    (inRow) => inRow.length < 2 || inRow.some(({ isFull }) => isFull),
  );
}

/** The rows or columns in which cells with text begin, sorted. */
function listUsed(cells: readonly SeenCell[], from: 'row' | 'column'): number[] {
  return [...new Set(cells.map((cell) => cell[from]))].toSorted((a, b) => a - b);
}
