const powers = Array.from({ length: 23 }, (_, exponent) => 10 ** exponent);

/**
 * The number with at most nine digits that rounds to the same single-precision number: 0.1 instead of 0.10000000149011612. Halves
 * the length of vectors as text. Nine digits distinguish all single-precision numbers (IEEE 754). Numbers below 1e-14 and from
 * 1e8 are returned unchanged.
 */
export function roundToShortFloat(value: number): number {
  const size = Math.abs(value);
  if (!(size >= 1e-14 && size < 1e8)) return value;
  // Starts with the decimals for seven significant digits. Powers of ten up to 22 are exact, so each quotient is rounded once.
  let digits = 6;
  for (let scaled = size; scaled < 1; scaled *= 10) digits++;
  for (let scaled = size; scaled >= 10; scaled /= 10) digits--;
  // With seven, eight and nine significant digits.
  for (const decimals of [digits, digits + 1, digits + 2]) {
    const power = powers[decimals];
    if (power === undefined) continue;
    const short = Math.round(value * power) / power;
    if (Math.fround(short) === value) return short;
  }
  return value;
}
