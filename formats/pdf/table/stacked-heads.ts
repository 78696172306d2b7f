import { type Box, measureOverlapX, union } from '../geometry/box';
import type { Rule } from '../geometry/page';
import type { Piece, PieceRow } from './piece-row';
import { joinLines } from './tables';

/** Largest distance in points between a header and the edge or centre of its column. */
const slack = 3;
/** Least share of the headers in a row that align with their columns. */
const minAligned = 0.75;
/** Largest line spacing within one header, in type sizes. */
const headLeading = 1.4;

const sides: readonly ((box: Box) => number)[] = [({ l }) => l, ({ r }) => r, ({ l, r }) => (l + r) / 2];

/** The ruling right below a header, at least as wide as the header. */
export function findRuleBelow(box: Box, size: number, partial: readonly Rule[]): Rule | undefined {
  return partial.find(({ at, from, to }) => at < box.b + 2 && at > box.b - size && from < box.l + 2 && to > box.r - 2);
}

/** The header rows, with headers that almost touch split by column and headers of several lines joined. */
export function stackHeads(head: readonly PieceRow[], columns: readonly Box[], partial: readonly Rule[]): PieceRow[] {
  const parted = head.map((row) => ({
    ...row,
    pieces: row.pieces.flatMap((piece) =>
      findRuleBelow(piece.box, row.size, partial) ? [piece] : splitByColumn(piece, columns),
    ),
  }));
  return parted.toReversed().reduce<PieceRow[]>((rows, row) => {
    const [below] = rows;
    const stacked = below && stackRows(row, below, partial);
    return stacked ? [...stacked, ...rows.slice(1)] : [row, ...rows];
  }, []);
}

/**
 * Joins the headers of the upper row to those of the lower row below them;
 * headers that span several columns stay above.
 */
function stackRows(upper: PieceRow, lower: PieceRow, partial: readonly Rule[]): PieceRow[] | undefined {
  // A single header above others may simply be centred over them, so its position proves nothing.
  const shared = upper.pieces.length > 1 ? sides : sides.slice(0, 2);
  const isSpanning = ({ box }: Piece) => findRuleBelow(box, upper.size, partial) !== undefined;
  const homes = upper.pieces.map((piece) =>
    isSpanning(piece) ? -1 : computeHome(piece.box, lower, upper.size, shared),
  );
  const spanning = upper.pieces.filter(isSpanning);
  const matchingHomes = homes.filter((home) => home >= 0);
  if (matchingHomes.length === 0 || matchingHomes.length + spanning.length < upper.pieces.length) return undefined;
  if (new Set(matchingHomes).size !== matchingHomes.length) return undefined;
  const pieces = lower.pieces.map((piece, index) => {
    const above = upper.pieces[homes.indexOf(index)];
    if (!above) return piece;
    const words = [...above.words, ...piece.words];
    return { text: joinLines([above.text, piece.text]), box: union([above.box, piece.box]), words };
  });
  return [...(spanning.length > 0 ? [{ ...upper, pieces: spanning }] : []), { ...lower, pieces }];
}

/** The index of the lower piece that the header continues on; -1 if there is none or more than one. */
function computeHome(box: Box, lower: PieceRow, size: number, shared: typeof sides): number {
  const under = lower.pieces.flatMap((piece, index) => (measureOverlapX(piece.box, box) > 0 ? [index] : []));
  const home = under.length === 1 ? lower.pieces[under[0] as number] : undefined;
  if (!home || box.b - home.box.t > (headLeading - 0.9) * size) return -1;
  const isAligned = shared.some((side) => Math.abs(side(box) - side(home.box)) < 0.5 * size);
  return isAligned ? (under[0] as number) : -1;
}

/** Splits headers of several columns that look like one: each aligns with its column at the left, right or centre. */
function splitByColumn(piece: Piece, columns: readonly Box[]): Piece[] {
  const below = columns.filter((column) => measureOverlapX(column, piece.box) > 0);
  if (below.length < 2) return [piece];
  const parts = below.map((column) =>
    piece.words.filter(({ box }) => findNearest((box.l + box.r) / 2, below) === column),
  );
  if (parts.some(({ length }) => length === 0)) return [piece];
  const boxes = parts.map((words) => union(words.map(({ box }) => box)));
  const areHeads = sides.some((side) => {
    const aligned = boxes.filter((box, index) => Math.abs(side(box) - side(below[index] as Box)) < slack);
    return aligned.length >= minAligned * boxes.length;
  });
  if (!areHeads) return [piece];
  return parts.map((words, index) => ({
    words,
    text: words.map(({ text }) => text).join(' '),
    box: boxes[index] as Box,
  }));
}

function findNearest(x: number, columns: readonly Box[]): Box | undefined {
  const distance = ({ l, r }: Box) => Math.abs((l + r) / 2 - x);
  return columns.toSorted((a, b) => distance(a) - distance(b))[0];
}
