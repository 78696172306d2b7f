/** The six numbers of `matrix(a b c d e f)`. */
export type Transform = readonly [a: number, b: number, c: number, d: number, e: number, f: number];

/** The transform without effect. */
export const identity: Transform = [1, 0, 0, 1, 0, 0];

/** Applies a transform to a point. */
export function translate([a, b, c, d, e, f]: Transform, x: number, y: number): [x: number, y: number] {
  return [a * x + c * y + e, b * x + d * y + f];
}

/** Returns the transform of an element combined with that of its parent. Invalid parts are ignored. */
export function parseTransform(list: string | undefined, outer: Transform): Transform {
  let result = outer;
  for (const [, name, values] of (list ?? '').matchAll(/(\w+)\s*\(([^)]*)\)/g)) {
    const numbers = values!
      .trim()
      .split(/[\s,]+/)
      .map(Number);
    if (numbers.every(Number.isFinite)) result = multiply(result, buildTransform(name!, numbers));
  }
  return result;
}

function buildTransform(name: string, [first = 0, second, third, ...rest]: number[]): Transform {
  switch (name) {
    case 'translate':
      return [1, 0, 0, 1, first, second ?? 0];
    case 'scale':
      return [first, 0, 0, second ?? first, 0, 0];
    case 'rotate': {
      const angle = (first * Math.PI) / 180;
      const turned: Transform = [Math.cos(angle), Math.sin(angle), -Math.sin(angle), Math.cos(angle), 0, 0];
      if (second === undefined || third === undefined) return turned;
      return multiply(multiply([1, 0, 0, 1, second, third], turned), [1, 0, 0, 1, -second, -third]);
    }
    case 'matrix':
      return rest.length === 3 ? [first, second ?? 0, third ?? 0, rest[0]!, rest[1]!, rest[2]!] : identity;
    default:
      return identity;
  }
}

function multiply(outer: Transform, [a, b, c, d, e, f]: Transform): Transform {
  const [oa, ob, oc, od] = outer;
  const [x, y] = translate(outer, e, f);
  return [oa * a + oc * b, ob * a + od * b, oa * c + oc * d, ob * c + od * d, x, y];
}
