/** A box in points; the origin is the lower left corner of the page, so `t` is greater than `b`. */
export interface Box {
  l: number;
  b: number;
  r: number;
  t: number;
}

/** The smallest box around all boxes; the list must not be empty. */
export function union(boxes: readonly Box[]): Box {
  const all = { l: Infinity, b: Infinity, r: -Infinity, t: -Infinity };
  for (const { l, b, r, t } of boxes) {
    if (l < all.l) all.l = l;
    if (b < all.b) all.b = b;
    if (r > all.r) all.r = r;
    if (t > all.t) all.t = t;
  }
  return all;
}

/** Length of the horizontal overlap of two boxes; if negative, the gap between them. */
export function measureOverlapX(a: Box, b: Box): number {
  return Math.min(a.r, b.r) - Math.max(a.l, b.l);
}

/** Length of the vertical overlap of two boxes; if negative, the gap between them. */
export function measureOverlapY(a: Box, b: Box): number {
  return Math.min(a.t, b.t) - Math.max(a.b, b.b);
}

/** True if the centre of `inner` lies in `outer`, extended by `slack` on each side. */
export function holds(outer: Box, inner: Box, slack = 0): boolean {
  const x = (inner.l + inner.r) / 2;
  const y = (inner.b + inner.t) / 2;
  return x >= outer.l - slack && x <= outer.r + slack && y >= outer.b - slack && y <= outer.t + slack;
}

/** True if the boxes touch or overlap, or are at most `slack` apart on each axis. */
export function meets(a: Box, b: Box, slack = 0): boolean {
  return a.l <= b.r + slack && b.l <= a.r + slack && a.b <= b.t + slack && b.b <= a.t + slack;
}

/** The share of `inner` that `outer` covers, from 0 to 1. */
export function computeCoverage(inner: Box, outer: Box): number {
  const width = measureOverlapX(inner, outer);
  const height = measureOverlapY(inner, outer);
  if (width <= 0 || height <= 0) return 0;
  const area = (inner.r - inner.l) * (inner.t - inner.b);
  return area > 0 ? (width * height) / area : 1;
}

/** The median (of an even number of values, the upper middle one); 0 for an empty list. */
export function computeMedian(values: readonly number[]): number {
  if (values.length === 0) return 0;
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] as number;
}
