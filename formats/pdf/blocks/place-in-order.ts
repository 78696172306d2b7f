import { findLargest, findSmallest } from '../../extremes';
import { type Box, holds } from '../geometry/box';
import type { Line } from '../text/line';

/** A table comes after text in its box that is in no cell and precedes its cells, such as the text of an empty frame. */
export function computeOrderInside(box: Box, lines: readonly Line[], rest: ReadonlySet<Line>): number {
  const inside = lines.filter((line) => holds(box, line.box));
  const first = findSmallest(inside.filter((line) => !rest.has(line)).map(({ order }) => order));
  return findLargest(inside.filter((line) => rest.has(line) && line.order < first).map(({ order }) => order + 0.5));
}

/** Places a graphic just after the last line above it or, failing that, the last line that is higher on the page. */
export function computeOrderBelow(box: Box, lines: readonly Line[]): number {
  const higher = lines.filter((line) => line.box.b >= box.t - 2);
  const above = higher.filter((line) => line.box.l < box.r && line.box.r > box.l);
  const nearest = (above.length > 0 ? above : higher).toSorted((a, b) => a.box.b - b.box.b)[0];
  return nearest ? nearest.order + 0.5 : -0.5;
}
