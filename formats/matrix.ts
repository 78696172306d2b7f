import type { Box } from './pdf/geometry/box';

/** A transformation of the plane: x' = a·x + c·y + e, y' = b·x + d·y + f. */
export type Matrix = readonly [a: number, b: number, c: number, d: number, e: number, f: number];

/** The transformation without effect. */
export const identity: Matrix = [1, 0, 0, 1, 0, 0];

/** Reads `a,b,c,d,e,f`; undefined if it is not a matrix of finite numbers. */
export function parseMatrix(text: string | undefined): Matrix | undefined {
  const numbers = (text ?? '')
    .trim()
    .split(/[\s,]+/)
    .map(Number);
  return numbers.length === 6 && numbers.every(Number.isFinite) ? (numbers as unknown as Matrix) : undefined;
}

/** Returns the transformation that applies `inner` first, then `outer`. */
export function multiply(inner: Matrix, outer: Matrix): Matrix {
  if (inner === identity) return outer;
  const [a, b, c, d, e, f] = inner;
  const [A, B, C, D, E, F] = outer;
  return [a * A + b * C, a * B + b * D, c * A + d * C, c * B + d * D, e * A + f * C + E, e * B + f * D + F];
}

/** Applies the transformation to a point. */
export function toPoint([a, b, c, d, e, f]: Matrix, x: number, y: number): { x: number; y: number } {
  return { x: a * x + c * y + e, y: b * x + d * y + f };
}

/** Returns the smallest box around points in coordinates whose y axis points up; undefined for no points. */
export function findBounds(points: readonly { x: number; y: number }[]): Box | undefined {
  if (points.length === 0) return undefined;
  const box = { l: Infinity, b: Infinity, r: -Infinity, t: -Infinity };
  for (const { x, y } of points) {
    box.l = Math.min(box.l, x);
    box.r = Math.max(box.r, x);
    box.b = Math.min(box.b, y);
    box.t = Math.max(box.t, y);
  }
  return box;
}
