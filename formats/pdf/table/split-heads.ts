import { union } from '../geometry/box';
import type { Word } from '../text/line';
import type { LinedCell } from './stacked-rows';

/** Gap between two heads, in type sizes. */
const headGap = 1.5;
/** A head spans at least this many columns, and a cell with several heads twice as many. */
const minColumns = 2;
/** Deviation in points of positions that count as equal. */
const tolerance = 2;

/**
 * Splits a cell that spans several columns without rulings between them. Its single line must have one head above each
 * group of equally many columns: three dates over six columns.
 */
export function splitHeads(cells: readonly LinedCell[]): LinedCell[] {
  return cells.flatMap((cell) => findParts(cell, cells) ?? [cell]);
}

function findParts({ cell, lines }: LinedCell, cells: readonly LinedCell[]): LinedCell[] | undefined {
  const width = cell.columnEnd - cell.column;
  if (width < 2 * minColumns || cell.rowEnd - cell.row !== 1) return undefined;
  const words = lines.flatMap((line) => line.words).toSorted((a, b) => a.box.l - b.box.l);
  const [first] = lines;
  if (!first || lines.some(({ baseline }) => Math.abs(baseline - first.baseline) > tolerance)) return undefined;
  const heads = toHeads(words);
  const share = width / heads.length;
  if (heads.length < 2 || share < minColumns || !Number.isInteger(share)) return undefined;
  const below = cells.filter(({ cell: other }) => other.row > cell.row && other.columnEnd === other.column + 1);
  const parts = heads.map((head, index): LinedCell | undefined => {
    const column = cell.column + index * share;
    const group = below.filter(({ cell: other }) => other.column >= column && other.column < column + share);
    if (group.length === 0) return undefined;
    const { l, r } = union(group.map(({ cell: other }) => other.box));
    const box = union(head.map((word) => word.box));
    if (box.l < l - tolerance || box.r > r + tolerance) return undefined;
    return {
      cell: { ...cell, column, columnEnd: column + share, box: { ...cell.box, l, r } },
      lines: [{ baseline: first.baseline, text: head.map(({ text }) => text).join(' '), words: head }],
    };
  });
  return parts.every((part) => part !== undefined) ? parts : undefined;
}

function toHeads(words: readonly Word[]): Word[][] {
  const heads: Word[][] = [];
  for (const word of words) {
    const last = heads.at(-1)?.at(-1);
    if (last && word.box.l - last.box.r < headGap * word.size) heads.at(-1)?.push(word);
    else heads.push([word]);
  }
  return heads;
}
