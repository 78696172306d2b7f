import { toRoman } from './roman';

/** The number formats of Word lists; others are written with digits. */
export type NumberFormat =
  | 'decimal'
  | 'decimalZero'
  | 'lowerLetter'
  | 'upperLetter'
  | 'lowerRoman'
  | 'upperRoman'
  | 'ordinal'
  | (string & {});

/** Formats a count as in ECMA-376 part 1, 17.18.59; unsupported formats use digits. */
export function formatCount(count: number, format: NumberFormat): string {
  if (count < 1) return String(count);
  switch (format) {
    case 'lowerLetter':
      return formatLetters(count);
    case 'upperLetter':
      return formatLetters(count).toUpperCase();
    case 'lowerRoman':
      return toRoman(count).toLowerCase();
    case 'upperRoman':
      return toRoman(count);
    case 'decimalZero':
      return String(count).padStart(2, '0');
    case 'ordinal':
      return `${count}${getOrdinalEnding(count)}`;
    default:
      return String(count);
  }
}

/** a … z, then aa, bb, … as in Word. */
function formatLetters(count: number): string {
  const letter = String.fromCharCode(97 + ((count - 1) % 26));
  return letter.repeat(Math.min(Math.ceil(count / 26), 20));
}

function getOrdinalEnding(count: number): string {
  if (count % 100 >= 11 && count % 100 <= 13) return 'th';
  return ['th', 'st', 'nd', 'rd'][count % 10] ?? 'th';
}
