import type { ShownValue } from '../../ooxml/xlsx/cell-format';

const months = 'January February March April May June July August September October November December'.split(' ');
const days = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');

/** No program writes longer patterns, which would make every cell as long. */
export const maxPatternCharacters = 255;

/**
 * Formats a date with a Unicode date pattern (UTS 35) and English names, or as an ISO date without a pattern. `value`
 * is the ISO date if the text differs from it.
 */
export function formatDate(milliseconds: number, pattern: string | undefined): ShownValue {
  const date = new Date(milliseconds);
  if (Number.isNaN(date.getTime())) return { text: '' };
  const iso = date.toISOString().slice(0, 19).replace('T', ' ');
  const value = iso.endsWith(' 00:00:00') ? iso.slice(0, 10) : iso;
  if (!pattern || pattern.length > maxPatternCharacters) return { text: iso };
  const text = pattern
    .replace(/'((?:[^']|'')*)'|([A-Za-z])\2*/g, (token, literal: string | undefined) => {
      if (literal === undefined) return formatField(token, date);
      return literal === '' ? "'" : literal.replaceAll("''", "'");
    })
    .trim();
  return text === value ? { text } : { text, value };
}

function formatField(token: string, date: Date): string {
  const padNumber = (number: number) => String(number).padStart(token.length, '0');
  const shortenName = (name: string) => {
    if (token.length === 4) return name;
    return name.slice(0, token.length < 4 ? 3 : 1);
  };
  const hours = date.getUTCHours();
  switch (token[0]) {
    case 'y':
    case 'Y':
    case 'u':
      return token.length === 2 ? String(date.getUTCFullYear()).slice(-2) : padNumber(date.getUTCFullYear());
    case 'Q':
      return `Q${Math.floor(date.getUTCMonth() / 3) + 1}`;
    case 'M':
    case 'L':
      return token.length > 2 ? shortenName(months[date.getUTCMonth()]!) : padNumber(date.getUTCMonth() + 1);
    case 'd':
      return padNumber(date.getUTCDate());
    case 'E':
    case 'e':
    case 'c':
      return shortenName(days[date.getUTCDay()]!);
    case 'a':
      return hours < 12 ? 'AM' : 'PM';
    case 'H':
      return padNumber(hours);
    case 'k':
      return padNumber(hours === 0 ? 24 : hours);
    case 'h':
      return padNumber(hours % 12 === 0 ? 12 : hours % 12);
    case 'K':
      return padNumber(hours % 12);
    case 'm':
      return padNumber(date.getUTCMinutes());
    case 's':
      return padNumber(date.getUTCSeconds());
    case 'S':
      return String(date.getUTCMilliseconds()).padStart(3, '0').slice(0, token.length).padEnd(token.length, '0');
    case 'G':
      return 'AD';
    default:
      return '';
  }
}
