const powers = Array.from({ length: 23 }, (_, exponent) => 10 ** exponent);

/**
 * A number of single precision as the number that is written with at most nine digits and rounds to it: 0.1 instead of
 * 0.10000000149011612. Text of vectors gets half as long. Nine digits tell every single apart (IEEE 754); numbers below
 * 1e-14 and from 1e8 stay as they are.
 */
export function shortFloat(value: number): number {
  const size = Math.abs(value);
  if (!(size >= 1e-14 && size < 1e8)) return value;
  // Digits after the point such that seven count; powers of ten up to 22 are exact, so each quotient is rounded once.
  let digits = 6;
  for (let scaled = size; scaled < 1; scaled *= 10) digits++;
  for (let scaled = size; scaled >= 10; scaled /= 10) digits--;
  for (let more = 0; more < 3; more++) {
    const power = powers[digits + more];
    if (power === undefined) continue;
    const short = Math.round(value * power) / power;
    if (Math.fround(short) === value) return short;
  }
  return value;
}
