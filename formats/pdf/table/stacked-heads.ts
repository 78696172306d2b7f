import { type Box, overlapX, union } from '../geometry/box';
import type { Rule } from '../geometry/page';
import type { Piece, PieceRow } from './piece-row';
import { joinLines } from './tables';

/** How far, in points, heads may stand from the side or the middle of their column. */
const slack = 3;
/** Of so many heads in a row at least this share stands as its column does. */
const leastAligned = 0.75;
/** Lines of one head are no farther from each other, in type sizes. */
const headLeading = 1.4;

const sides: readonly ((box: Box) => number)[] = [({ l }) => l, ({ r }) => r, ({ l, r }) => (l + r) / 2];

/** The ruling right below a head, as wide as the columns that it stands over. */
export function ruleBelow(box: Box, size: number, partial: readonly Rule[]): Rule | undefined {
  return partial.find(({ at, from, to }) => at < box.b + 2 && at > box.b - size && from < box.l + 2 && to > box.r - 2);
}

/** The rows of a head: heads that almost touch are taken apart by their columns, heads of several lines are joined. */
export function stackedHeads(head: readonly PieceRow[], columns: readonly Box[], partial: readonly Rule[]): PieceRow[] {
  const parted = head.map((row) => ({
    ...row,
    pieces: row.pieces.flatMap((piece) => (ruleBelow(piece.box, row.size, partial) ? [piece] : apart(piece, columns))),
  }));
  return parted.toReversed().reduce<PieceRow[]>((rows, row) => {
    const [below] = rows;
    const stacked = below && stack(row, below, partial);
    return stacked ? [...stacked, ...rows.slice(1)] : [row, ...rows];
  }, []);
}

/**
 * The rows with the heads of the upper one joined to those of the lower one that they stand on;
 * heads over several columns stay above.
 */
function stack(upper: PieceRow, lower: PieceRow, partial: readonly Rule[]): PieceRow[] | undefined {
  // A head alone above others may as well stand in the middle of them.
  const shared = upper.pieces.length > 1 ? sides : sides.slice(0, 2);
  const isSpanning = ({ box }: Piece) => ruleBelow(box, upper.size, partial) !== undefined;
  const homes = upper.pieces.map((piece) => (isSpanning(piece) ? -1 : homeOf(piece.box, lower, upper.size, shared)));
  const spanning = upper.pieces.filter(isSpanning);
  const found = homes.filter((home) => home >= 0);
  if (found.length === 0 || found.length + spanning.length < upper.pieces.length) return undefined;
  if (new Set(found).size !== found.length) return undefined;
  const pieces = lower.pieces.map((piece, index) => {
    const above = upper.pieces[homes.indexOf(index)];
    if (!above) return piece;
    const words = [...above.words, ...piece.words];
    return { text: joinLines([above.text, piece.text]), box: union([above.box, piece.box]), words };
  });
  return [...(spanning.length > 0 ? [{ ...upper, pieces: spanning }] : []), { ...lower, pieces }];
}

/** Which piece of the lower row the head stands on, as its upper line; -1 when it does on none or on several. */
function homeOf(box: Box, lower: PieceRow, size: number, shared: typeof sides): number {
  const under = lower.pieces.flatMap((piece, index) => (overlapX(piece.box, box) > 0 ? [index] : []));
  const home = under.length === 1 ? lower.pieces[under[0] as number] : undefined;
  if (!home || box.b - home.box.t > (headLeading - 0.9) * size) return -1;
  const isAligned = shared.some((side) => Math.abs(side(box) - side(home.box)) < 0.5 * size);
  return isAligned ? (under[0] as number) : -1;
}

/** The heads of several columns that look like one: each begins, ends or stands in the middle as its column does. */
function apart(piece: Piece, columns: readonly Box[]): Piece[] {
  const below = columns.filter((column) => overlapX(column, piece.box) > 0);
  if (below.length < 2) return [piece];
  const parts = below.map((column) => piece.words.filter(({ box }) => nearest((box.l + box.r) / 2, below) === column));
  if (parts.some(({ length }) => length === 0)) return [piece];
  const boxes = parts.map((words) => union(words.map(({ box }) => box)));
  const areHeads = sides.some((side) => {
    const aligned = boxes.filter((box, index) => Math.abs(side(box) - side(below[index] as Box)) < slack);
    return aligned.length >= leastAligned * boxes.length;
  });
  if (!areHeads) return [piece];
  return parts.map((words, index) => ({
    words,
    text: words.map(({ text }) => text).join(' '),
    box: boxes[index] as Box,
  }));
}

function nearest(x: number, columns: readonly Box[]): Box | undefined {
  const distance = ({ l, r }: Box) => Math.abs((l + r) / 2 - x);
  return columns.toSorted((a, b) => distance(a) - distance(b))[0];
}
