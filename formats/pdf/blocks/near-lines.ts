import type { Box } from '../geometry/box';
import { findFirst } from '../geometry/strips';
import type { Line } from '../text/line';

/** The most lines that count for a margin; of more, every second, third … does. */
const maxNear = 600;

/** The usual right edge of lines that start near the same x. */
export function getRightMargin(lines: readonly Line[]): (line: Line) => number {
  const sorted = lines.map(({ box }) => box).toSorted((a, b) => a.l - b.l);
  const known = new Map<string, number | undefined>();
  return ({ box, size }) => {
    const key = `${box.l} ${size}`;
    if (!known.has(key)) known.set(key, findMargin(sorted, box.l, 3 * size));
    return known.get(key) ?? box.r;
  };
}

/** The right edge that a tenth of the boxes exceed which start less than `reach` from `left`; `sorted` by their left edges. */
function findMargin(sorted: readonly Box[], left: number, reach: number): number | undefined {
  const start = findFirst(sorted.length, (index) => (sorted[index] as Box).l > left - reach - 1);
  const end = findFirst(sorted.length, (index) => (sorted[index] as Box).l > left + reach + 1);
  const step = Math.max(1, Math.ceil((end - start) / maxNear));
  const edges: number[] = [];
  for (let index = start; index < end; index += step) {
    const { l, r } = sorted[index] as Box;
    if (Math.abs(l - left) < reach && r > left) edges.push(r);
  }
  return Float64Array.from(edges).sort()[Math.floor(0.9 * (edges.length - 1))];
}

/** True if a line of several words just above or below `line` is as wide as `whole`, which is on the baseline of `line`. */
export type NeighbourSearch = (whole: Box, line: Line) => boolean;

export function createNeighbourSearch(lines: readonly Line[]): NeighbourSearch {
  const long = lines.filter(({ words }) => words.length > 3).toSorted((a, b) => a.baseline - b.baseline);
  return (whole, { baseline, size }) => {
    const isWide = ({ box }: Line) => box.l < whole.l + 2 * size && box.r > whole.r - 2 * size;
    const start = findFirst(long.length, (index) => (long[index] as Line).baseline > baseline - 1.8 * size - 1);
    for (let index = start; index < long.length; index += 1) {
      const other = long[index] as Line;
      if (other.baseline > baseline + 1.8 * size + 1) return false;
      const distance = Math.abs(other.baseline - baseline);
      if (distance > 0.5 * size && distance < 1.8 * size && isWide(other)) return true;
    }
    return false;
  };
}
