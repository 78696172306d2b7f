import { identity, type Matrix, multiply } from '../matrix';

/** Returns the transform of an element combined with that of its parent. Invalid parts are ignored. */
export function parseTransform(list: string | undefined, outer: Matrix): Matrix {
  let transform = outer;
  for (const [, name = '', values = ''] of (list ?? '').matchAll(/(\w+)\s*\(([^)]*)\)/g)) {
    const numbers = values
      .trim()
      .split(/[\s,]+/)
      .map(Number);
    if (numbers.every(Number.isFinite)) transform = multiply(toMatrix(name, numbers), transform);
  }
  return transform;
}

function toMatrix(name: string, [first = 0, second, third, ...others]: readonly number[]): Matrix {
  switch (name) {
    case 'translate':
      return [1, 0, 0, 1, first, second ?? 0];
    case 'scale':
      return [first, 0, 0, second ?? first, 0, 0];
    case 'rotate': {
      const angle = (first * Math.PI) / 180;
      const rotation: Matrix = [Math.cos(angle), Math.sin(angle), -Math.sin(angle), Math.cos(angle), 0, 0];
      if (second === undefined || third === undefined) return rotation;
      // Around a point: the point moves to the origin and back.
      return multiply(multiply([1, 0, 0, 1, -second, -third], rotation), [1, 0, 0, 1, second, third]);
    }
    case 'matrix':
      return others.length === 3 ? [first, second ?? 0, third ?? 0, others[0]!, others[1]!, others[2]!] : identity;
    default:
      return identity;
  }
}
