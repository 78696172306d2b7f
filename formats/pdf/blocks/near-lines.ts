import { addToList } from '../../../model/multi-map';
import type { Box } from '../geometry/box';
import { findFirst } from '../geometry/strips';
import type { Line } from '../text/line';

/** A margin is computed from at most this many lines: of more lines, from every second, third and so on. */
const maxNear = 600;
/** Distances are in type sizes of the line. */
const marginReach = 3;
const neighbourSlack = 2;
const minLineGap = 0.5;
const maxLineGap = 1.8;

/** The usual right edge of lines that start near the same x. */
export function getRightMargin(lines: readonly Line[]): (line: Line) => number {
  const sorted = lines.map(({ box }) => box).toSorted((a, b) => a.l - b.l);
  const known = new Map<string, number | undefined>();
  return ({ box, size }) => {
    const key = `${box.l} ${size}`;
    if (!known.has(key)) known.set(key, findMargin(sorted, box.l, marginReach * size));
    return known.get(key) ?? box.r;
  };
}

/** Shorter lines, in words, show no width of a column. */
const minLong = 8;

/** So many lines are the text of a column; a heading above it may be wider. */
const minOfColumn = 3;

/**
 * The right edge, in points, that at least three long lines of the same size and weight that begin at the same place reach; the line's own
 * without them.
 */
export function getReach(lines: readonly Line[]): (line: Line) => number {
  const getKey = ({ box, size, bold }: Line) => `${Math.round(box.l)} ${size.toFixed(1)} ${bold}`;
  const edges = new Map<string, number[]>();
  for (const line of lines) if (line.words.length >= minLong) addToList(edges, getKey(line), line.box.r);
  const reaches = new Map<string, number | undefined>();
  for (const [key, list] of edges) reaches.set(key, list.toSorted((a, b) => b - a)[minOfColumn - 1]);
  return (line) => reaches.get(getKey(line)) ?? line.box.r;
}

/** The right edge that a tenth of the boxes that start less than `reach` from `left` exceed. `sorted` is by left edges. */
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
    const slack = neighbourSlack * size;
    const isWide = ({ box }: Line) => box.l < whole.l + slack && box.r > whole.r - slack;
    const start = findFirst(long.length, (index) => (long[index] as Line).baseline > baseline - maxLineGap * size - 1);
    for (let index = start; index < long.length; index += 1) {
      const other = long[index] as Line;
      if (other.baseline > baseline + maxLineGap * size + 1) return false;
      const distance = Math.abs(other.baseline - baseline);
      if (distance > minLineGap * size && distance < maxLineGap * size && isWide(other)) return true;
    }
    return false;
  };
}
