const numerals = [
  [1000, 'M'],
  [900, 'CM'],
  [500, 'D'],
  [400, 'CD'],
  [100, 'C'],
  [90, 'XC'],
  [50, 'L'],
  [40, 'XL'],
  [10, 'X'],
  [9, 'IX'],
  [5, 'V'],
  [4, 'IV'],
  [1, 'I'],
] as const;

/** A Roman numeral in capitals; digits for numbers that office programs do not write so: below 1 and from 10,000. */
export function toRoman(number: number): string {
  if (!(number >= 1 && number < 10_000)) return String(number);
  let rest = Math.floor(number);
  let written = '';
  for (const [value, letters] of numerals) {
    written += letters.repeat(Math.floor(rest / value));
    rest %= value;
  }
  return written;
}
