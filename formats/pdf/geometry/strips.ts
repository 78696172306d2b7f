import type { Box } from './box';

const maxStrips = 256;
/** The fewest places for each strip. */
const minShare = 8;

/** Divides an axis into strips in which about equally many of `places` lie; returns the strip of a place, from 0. */
export function divideAxis(places: readonly number[]): { count: number; at: (place: number) => number } {
  const sorted = Float64Array.from(places).sort();
  const count = Math.min(maxStrips, Math.ceil(sorted.length / minShare));
  const cuts = Array.from({ length: Math.max(count - 1, 0) }, (_, index) =>
    Number(sorted[Math.floor(((index + 1) * sorted.length) / count)]),
  );
  return { count: cuts.length + 1, at: (place) => findFirst(cuts.length, (index) => (cuts[index] as number) > place) };
}

/** The first index below `length` that passes a test which all later ones pass too; `length` if none does. */
export function findFirst(length: number, passes: (index: number) => boolean): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (passes(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Numbered boxes, found by their place from left to right. */
export interface Strips {
  /** Adds a box, or a further place of the box with this number, `slack` wider on both sides. */
  add(number: number, box: Box, slack?: number): void;
  /** The greatest number that passes the test, among those that may overlap `box` horizontally; -1 if none does. */
  findLast(box: Box, passes: (number: number) => boolean): number;
}

/** Strips as wide as those of `boxes` need, so that the boxes above one of them are found without a search of all. */
export function createStrips(boxes: readonly Box[]): Strips {
  const { count, at } = divideAxis(boxes.map(({ l }) => l));
  const strips: number[][] = Array.from({ length: count }, () => []);
  return {
    add(number, { l, r }, slack = 0) {
      const last = at(r + slack);
      for (let strip = at(l - slack); strip <= last; strip += 1) insert(strips[strip] as number[], number);
    },
    findLast({ l, r }, passes) {
      const last = at(r);
      let found = -1;
      for (let strip = at(l); strip <= last; strip += 1) {
        const numbers = strips[strip] as number[];
        for (let index = numbers.length - 1; index >= 0 && (numbers[index] as number) > found; index -= 1)
          if (passes(numbers[index] as number)) found = numbers[index] as number;
      }
      return found;
    },
  };
}

/** Inserts a number into a list in ascending order, unless it is there. */
function insert(numbers: number[], number: number): void {
  const place = findFirst(numbers.length, (index) => (numbers[index] as number) >= number);
  if (numbers[place] !== number) numbers.splice(place, 0, number);
}
