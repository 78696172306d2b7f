/** A box in points, origin at the lower left of the page: `t` is above `b`. */
export interface Box {
  l: number;
  b: number;
  r: number;
  t: number;
}

/** The smallest box around all; the list must not be empty. */
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

/** How far two boxes share the horizontal axis; negative is the gap between them. */
export function overlapX(a: Box, b: Box): number {
  return Math.min(a.r, b.r) - Math.max(a.l, b.l);
}

/** How far two boxes share the vertical axis; negative is the gap between them. */
export function overlapY(a: Box, b: Box): number {
  return Math.min(a.t, b.t) - Math.max(a.b, b.b);
}

/** True when the middle of `inner` lies in `outer`, widened by `slack`. */
export function holds(outer: Box, inner: Box, slack = 0): boolean {
  const x = (inner.l + inner.r) / 2;
  const y = (inner.b + inner.t) / 2;
  return x >= outer.l - slack && x <= outer.r + slack && y >= outer.b - slack && y <= outer.t + slack;
}

/** True when the boxes share a point, or are no farther from each other than `slack`. */
export function meets(a: Box, b: Box, slack = 0): boolean {
  return a.l <= b.r + slack && b.l <= a.r + slack && a.b <= b.t + slack && b.b <= a.t + slack;
}

/** The share of `inner` that `outer` covers, 0 to 1. */
export function covered(inner: Box, outer: Box): number {
  const width = overlapX(inner, outer);
  const height = overlapY(inner, outer);
  if (width <= 0 || height <= 0) return 0;
  const area = (inner.r - inner.l) * (inner.t - inner.b);
  return area > 0 ? (width * height) / area : 1;
}

/** The middle value; 0 for an empty list. */
export function median(values: readonly number[]): number {
  if (values.length === 0) return 0;
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] as number;
}
