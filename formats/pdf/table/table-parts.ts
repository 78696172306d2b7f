import type { Detection, TablePartLabel } from '../../../model/page/page-models';
import { findLargest, findSmallest } from '../../extremes';
import { type Box, computeCoverage, holds, measureOverlapX, measureOverlapY, union } from '../geometry/box';
import { groupBy } from '../geometry/group-by';
import type { Line, Word } from '../text/line';
import type { PageCell, PageTable } from './page-table';
import { joinLines } from './tables';

/** A part of a table that a model found, in page coordinates. */
export type FoundTablePart = Omit<Detection<TablePartLabel>, 'box'> & { box: Box };

const minScore = 0.5;
/** Rows or columns that overlap by more than this share of the shorter one are the same. */
const sameStretch = 0.5;

/** The extent of a row (from the top, on an inverted axis) or of a column (from the left). */
interface Stretch {
  from: number;
  to: number;
}

/** Zero-based rows and columns; ends are exclusive. */
interface Place {
  row: number;
  rowEnd: number;
  column: number;
  columnEnd: number;
}

/**
 * Builds the table of the words in `box` from rows, columns and merged cells; undefined if it has fewer than two cells.
 * Rows and columns without words are dropped. Each word goes into the cell that contains it or the nearest one.
 */
export function buildTable(parts: readonly FoundTablePart[], box: Box, lines: readonly Line[]): PageTable | undefined {
  const sure = parts.filter(({ score }) => score >= minScore);
  const words = lines.flatMap((line) => line.words);
  // The vertical axis is inverted, so that rows and columns are handled alike.
  const rows = computeBounds(
    listStretches(sure, 'row', ({ b, t }) => ({ from: -t, to: -b }), words),
    { from: -box.t, to: -box.b },
  );
  const columns = computeBounds(
    listStretches(sure, 'column', ({ l, r }) => ({ from: l, to: r }), words),
    { from: box.l, to: box.r },
  );
  if (rows.length * columns.length < 2) return undefined;
  const head = countHeadRows(sure, rows);
  const merged = mergeCells(sure, { rows, columns });
  const cells = fillCells([...merged, ...listSingleCells(merged, { rows, columns })], { rows, columns, lines }).map(
    (cell) => ({
      ...cell,
      header: cell.row < head,
    }),
  );
  const score = sure.reduce((sum, part) => sum + part.score, 0) / sure.length;
  return { box, rows: rows.length, columns: columns.length, cells, score };
}

/** The rows or columns that contain words, sorted, without duplicates. */
function listStretches(
  parts: readonly FoundTablePart[],
  label: 'row' | 'column',
  along: (box: Box) => Stretch,
  words: readonly Word[],
): Stretch[] {
  const keptStretches: Stretch[] = [];
  for (const { box } of parts.filter((part) => part.label === label).toSorted((a, b) => b.score - a.score)) {
    const stretch = along(box);
    const isNew = keptStretches.every(
      (other) =>
        computeSharedLength(stretch, other) <= sameStretch * Math.min(measureStretch(stretch), measureStretch(other)),
    );
    const isUsed = words.some((word) => {
      const { from, to } = along(word.box);
      return (from + to) / 2 >= stretch.from && (from + to) / 2 <= stretch.to;
    });
    if (isNew && isUsed && measureStretch(stretch) > 0) keptStretches.push(stretch);
  }
  return keptStretches.toSorted((a, b) => a.from + a.to - b.from - b.to);
}

function measureStretch({ from, to }: Stretch): number {
  return to - from;
}

function computeSharedLength(a: Stretch, b: Stretch): number {
  return Math.min(a.to, b.to) - Math.max(a.from, b.from);
}

/** Neighbours meet in the middle of their gap or overlap; the outer ones reach the edges of the table. */
function computeBounds(sorted: readonly Stretch[], { from, to }: Stretch): Stretch[] {
  return sorted.map((stretch, index) => {
    const [before, after] = [sorted[index - 1], sorted[index + 1]];
    return {
      from: before ? (before.to + stretch.from) / 2 : Math.min(from, stretch.from),
      to: after ? (stretch.to + after.from) / 2 : Math.max(to, stretch.to),
    };
  });
}

interface Grid {
  rows: readonly Stretch[];
  columns: readonly Stretch[];
}

/** The number of header rows at the top. */
function countHeadRows(parts: readonly FoundTablePart[], rows: readonly Stretch[]): number {
  const heads = parts.filter(({ label }) => label === 'column_header').map(({ box }) => ({ from: -box.t, to: -box.b }));
  const isHead = (row: Stretch) => heads.some((head) => computeSharedLength(head, row) >= 0.5 * measureStretch(row));
  const first = rows.findIndex((row) => !isHead(row));
  return first < 0 ? rows.length : first;
}

type Merged = Place & { section: boolean };

/** Section heading rows and cells that span rows or columns; where two overlap, the higher score wins. */
function mergeCells(parts: readonly FoundTablePart[], { rows, columns }: Grid): Merged[] {
  const merged: Merged[] = [];
  const spans = parts.filter(({ label }) => label === 'spanning_cell' || label === 'projected_row_header');
  for (const { label, box } of spans.toSorted((a, b) => b.score - a.score)) {
    const section = label === 'projected_row_header';
    const [row, rowEnd] = getRange(rows, { from: -box.t, to: -box.b });
    const [column, columnEnd] = section ? [0, columns.length] : getRange(columns, { from: box.l, to: box.r });
    const place = { row, rowEnd, column, columnEnd, section };
    const isMore = (rowEnd - row) * (columnEnd - column) > 1;
    if (isMore && merged.every((other) => !isMet(place, other))) merged.push(place);
  }
  return merged;
}

/** The index range of the stretches that are at least half covered, end exclusive. */
function getRange(all: readonly Stretch[], span: Stretch): [number, number] {
  const isCovered = (stretch: Stretch) => computeSharedLength(span, stretch) >= 0.5 * measureStretch(stretch);
  const first = all.findIndex(isCovered);
  return first < 0 ? [0, 0] : [first, all.findLastIndex(isCovered) + 1];
}

function isMet(a: Place, b: Place): boolean {
  return a.row < b.rowEnd && b.row < a.rowEnd && a.column < b.columnEnd && b.column < a.columnEnd;
}

function listSingleCells(merged: readonly Place[], { rows, columns }: Grid): Merged[] {
  return rows.flatMap((_, row) =>
    columns.flatMap((_column, column) => {
      const place = { row, rowEnd: row + 1, column, columnEnd: column + 1, section: false };
      return merged.some((other) => isMet(place, other)) ? [] : [place];
    }),
  );
}

/** The non-empty cells with their text, row by row. */
function fillCells(
  places: readonly Merged[],
  { rows, columns, lines }: Grid & { lines: readonly Line[] },
): Omit<PageCell, 'header'>[] {
  const boxes = places.map(({ row, rowEnd, column, columnEnd }) => ({
    l: (columns[column] as Stretch).from,
    r: (columns[columnEnd - 1] as Stretch).to,
    t: -(rows[row] as Stretch).from,
    b: -(rows[rowEnd - 1] as Stretch).to,
  }));
  const inCells = lines.flatMap(({ words, baseline }) =>
    [...groupBy(words, (word) => findCell(boxes, word.box))].map(([index, cellWords]) => {
      const box = union(cellWords.map((word) => word.box));
      return { index, baseline, l: box.l, text: cellWords.map(({ text }) => text).join(' '), box };
    }),
  );
  const pieces = groupBy(inCells, ({ index }) => index);
  return places
    .flatMap((place, index) => {
      const piece = pieces.get(index);
      if (!piece) return [];
      piece.sort((a, b) => (Math.abs(a.baseline - b.baseline) > 2 ? b.baseline - a.baseline : a.l - b.l));
      return [{ ...place, text: joinLines(piece.map(({ text }) => text)), box: union(piece.map(({ box }) => box)) }];
    })
    .toSorted((a, b) => a.row - b.row || a.column - b.column);
}

/** The cell that contains the word, else the one that covers most of it, else the nearest. */
function findCell(boxes: readonly Box[], word: Box): number {
  const inside = boxes.findIndex((box) => holds(box, word));
  if (inside >= 0) return inside;
  const best = boxes.map((box) => computeCoverage(word, box));
  const maxScore = findLargest(best);
  if (maxScore > 0) return best.indexOf(maxScore);
  const distances = boxes.map((box) =>
    Math.hypot(Math.max(-measureOverlapX(box, word), 0), Math.max(-measureOverlapY(box, word), 0)),
  );
  return distances.indexOf(findSmallest(distances));
}
