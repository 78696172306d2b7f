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

/** Writes a Roman numeral in capitals. Numbers below 1 and from 10,000 stay digits, as in office programs. */
export function toRoman(number: number): string {
  if (!(number >= 1 && number < 10_000)) return String(number);
  let remaining = Math.floor(number);
  let written = '';
  for (const [value, letters] of numerals) {
    written += letters.repeat(Math.floor(remaining / value));
    remaining %= value;
  }
  return written;
}
