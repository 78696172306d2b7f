/** A seeded random number generator (mulberry32): the same seed generates the same documents on every machine. */
export interface Random {
  /** From 0 up to, not including, 1. */
  next(): number;
  /** A whole number from `least` to `most`, both included. */
  integer(least: number, most: number): number;
  /** Spread evenly over the orders of magnitude between the two. */
  magnitude(least: number, most: number): number;
  chance(probability: number): boolean;
}

/** Numbers that depend on the seed only. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    next,
    integer: (least, most) => least + Math.floor(next() * (most - least + 1)),
    magnitude: (least, most) => least * (most / least) ** next(),
    chance: (probability) => next() < probability,
  };
}
