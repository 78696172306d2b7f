import { findLargest } from '../../extremes';
import { rightToLeft } from '../engine/characters';
import { type Box, union } from '../geometry/box';
import { groupBy } from '../geometry/group-by';
import type { CellTag } from '../geometry/page';
import type { Line, Word } from '../text/line';
import type { LinedTable } from './lined-tables';
import type { PageCell } from './page-table';
import { joinLines, mirrorTable } from './tables';

/** Maximum overlap of neighbouring rows or columns, in type sizes. */
const slack = 0.6;
/** A longer cell, in characters, is part of the page layout: the table only arranges it. */
const longestCell = 400;

interface Filled {
  tag: CellTag;
  words: Word[];
  text: string;
  box: Box;
}

/**
 * Finds tables described by tags, if the positions of the words agree: rows below each other, columns side by side. Other
 * tables are read by rulings and positions.
 */
export function findTaggedTables(lines: readonly Line[]): LinedTable[] {
  const cells = new Map<CellTag, { line: Line; word: Word }[]>();
  for (const line of lines)
    for (const word of line.words) {
      if (!word.cell) continue;
      const cellWords = cells.get(word.cell);
      if (cellWords) cellWords.push({ line, word });
      else cells.set(word.cell, [{ line, word }]);
    }
  if (cells.size === 0) return [];
  const filled = [...cells].map(([tag, tagWords]): Filled => fillCell(tag, tagWords));
  return [...groupBy(filled, ({ tag }) => tag.table).values()].flatMap((group) => findTable(group) ?? []);
}

function fillCell(tag: CellTag, tagWords: readonly { line: Line; word: Word }[]): Filled {
  const rows = [...groupBy(tagWords, ({ line }) => line).values()];
  const isRtl = tagWords.some(({ word }) => rightToLeft.test(word.text));
  rows.sort(([a], [b]) => {
    if (!a || !b) return 0;
    const lower = b.line.baseline - a.line.baseline;
    if (Math.abs(lower) > 2) return lower;
    return isRtl ? b.word.box.l - a.word.box.l : a.word.box.l - b.word.box.l;
  });
  const words = tagWords.map(({ word }) => word);
  const texts = rows.map((row) => row.map(({ word }) => word.text).join(' '));
  return { tag, words, text: joinLines(texts), box: union(words.map(({ box }) => box)) };
}

function findTable(cells: readonly Filled[]): LinedTable | undefined {
  if (cells.some(({ text }) => text.length > longestCell)) return undefined;
  const rowEnds = listStarts(cells.map(({ tag }) => tag.row));
  const columnEnds = listStarts(cells.map(({ tag }) => tag.column));
  if (rowEnds.length < 2 || columnEnds.length < 2) return undefined;
  const size = findLargest(cells.flatMap(({ words }) => words.map((word) => word.size)));
  const across = findOrder(cells, 'column', size);
  if (across === undefined || findOrder(cells, 'row', size) === undefined) return undefined;
  const placed = cells.map(({ tag, text, box }): PageCell => {
    const [row, column] = [countBefore(rowEnds, tag.row), countBefore(columnEnds, tag.column)];
    const rowEnd = Math.max(row + 1, countBefore(rowEnds, tag.row + tag.rows));
    const columnEnd = Math.max(column + 1, countBefore(columnEnds, tag.column + tag.columns));
    return { row, rowEnd, column, columnEnd, text, box, header: false };
  });
  const heads = countHeadRows(cells, rowEnds);
  const table = {
    box: union(cells.map(({ box }) => box)),
    rows: rowEnds.length,
    columns: columnEnds.length,
    cells: placed
      .map((cell) => ({ ...cell, header: cell.row < heads }))
      .toSorted((a, b) => a.row - b.row || a.column - b.column),
  };
  const cellWords = new Set(cells.flatMap(({ words }) => words));
  return { table: across === 'backward' ? mirrorTable(table) : table, taken: cellWords };
}

/** The rows or columns in which non-empty cells begin, in order. */
function listStarts(starts: readonly number[]): number[] {
  return [...new Set(starts)].toSorted((a, b) => a - b);
}

/** The number of used rows or columns before the index. */
function countBefore(used: readonly number[], index: number): number {
  return used.filter((start) => start < index).length;
}

/**
 * The direction in which rows or columns follow each other: `forward` (down, or from the left) or `backward` (from the right);
 * undefined if they overlap, which means that the tags are wrong.
 */
function findOrder(cells: readonly Filled[], way: 'row' | 'column', size: number): 'forward' | 'backward' | undefined {
  const single = cells.filter(({ tag }) => (way === 'row' ? tag.rows : tag.columns) === 1);
  const tracks = [...groupBy(single, ({ tag }) => tag[way])].toSorted(([a], [b]) => a - b);
  // The vertical axis is inverted, so that rows and columns are handled alike.
  const extents = tracks.map(([, trackCells]) => {
    const box = union(trackCells.map((cell) => cell.box));
    return way === 'row' ? { from: -box.t, to: -box.b } : { from: box.l, to: box.r };
  });
  const isInOrder = (list: typeof extents) =>
    list.slice(1).every(({ from }, index) => from > (list[index]?.to ?? 0) - slack * size);
  if (isInOrder(extents)) return 'forward';
  return way === 'column' && isInOrder(extents.toReversed()) ? 'backward' : undefined;
}

/** The rows at the top whose cells are all tagged as headers; else the first row. */
function countHeadRows(cells: readonly Filled[], rows: readonly number[]): number {
  const first = rows.findIndex((row) => !cells.every(({ tag }) => tag.row !== row || tag.isHead));
  return first <= 0 ? 1 : first;
}
