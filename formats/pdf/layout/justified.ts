import { findLargest, findSmallest } from '../../extremes';
import { type Box, union } from '../geometry/box';
import { toRows } from '../table/borderless';
import type { Line, Word } from '../text/line';
import { mergeLines } from './paragraphs';

const maxRounds = 4;
/** Number of rows above and below to search, since rows of other columns may be between them. */
const nearRows = 9;

/**
 * Rejoins justified lines that were split at wide gaps: pieces on one baseline become one line if all gaps between their words
 * are equal and they end at the right edge of a whole line above or below.
 */
export function joinJustified(lines: readonly Line[]): Line[] {
  let current = [...lines];
  for (let round = 0; round < maxRounds; round += 1) {
    const joined = joinOnce(current);
    if (joined.length === current.length) return joined;
    current = joined;
  }
  return current;
}

function joinOnce(lines: readonly Line[]): Line[] {
  const rows = toRows(lines);
  const merged = new Map<Line, Line | undefined>();
  rows.forEach((row, index) => {
    if (row.lines.length < 2) return;
    const near = rows
      .slice(Math.max(index - nearRows, 0), index + nearRows + 1)
      .flatMap((other) => (other !== row && Math.abs(other.baseline - row.baseline) < 4 * row.size ? other.lines : []));
    for (const whole of near) {
      if (whole.words.length < 4) continue;
      const pieces = row.lines.filter(({ box }) => isWithin(box, whole.box, row.size));
      if (pieces.length < 2 || pieces.some((piece) => merged.has(piece)) || !fills(pieces, whole)) continue;
      for (const piece of pieces) merged.set(piece, undefined);
      merged.set(pieces[0] as Line, mergeLines(pieces));
    }
  });
  if (merged.size === 0) return [...lines];
  return lines.flatMap((line) => (merged.has(line) ? (merged.get(line) ?? []) : [line]));
}

function isWithin(piece: Box, whole: Box, size: number): boolean {
  return piece.l > whole.l - 2.5 * size && piece.r < whole.r + 1;
}

function fills(pieces: readonly Line[], whole: Line): boolean {
  const { l, r } = union(pieces.map(({ box }) => box));
  if (Math.abs(r - whole.box.r) > 1 || l > whole.box.l + 2.5 * whole.size) return false;
  const words = pieces.flatMap((piece) => piece.words);
  const gaps = words.slice(1).map((word, index) => word.box.l - (words[index] as Word).box.r);
  // A list marker is followed by a different gap, which is not counted.
  const even = gaps.length > 2 && (words[0] as Word).text.length === 1 ? gaps.slice(1) : gaps;
  return findLargest(even) < 1.3 * findSmallest(even) && findLargest(even) < 4 * whole.size;
}
