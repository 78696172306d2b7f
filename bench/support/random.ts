/** A seeded random number generator (mulberry32): the same seed generates the same documents on every machine. */
export interface Random {
  /** At least 0 and less than 1. */
  next(): number;
  /** A whole number from `least` to `most`, inclusive. */
  integer(least: number, most: number): number;
  /** A number from `least` to `most`; each order of magnitude is equally likely. */
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
