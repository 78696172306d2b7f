/** Order of the parts of a numeric date. `auto` reads ambiguous dates in US order. */
export type DateOrder = 'auto' | 'dmy' | 'mdy' | 'ymd';

/** A date, and whether it could also mean another day. */
export interface FoundDate {
  /** YYYY-MM-DD. */
  day: string;
  isAmbiguous: boolean;
}

const locales = 'en de fr es it pt nl pl cs sk sv da nb fi tr ru uk ro hu el hr ca id'.split(' ');
let names: Map<string, number> | undefined;

/** Month names and abbreviations in many languages, in standalone and inflected forms, without accents. */
function collectMonthNames(): Map<string, number> {
  if (names) return names;
  names = new Map();
  for (const locale of locales) {
    for (const style of ['long', 'short'] as const) {
      const alone = new Intl.DateTimeFormat(locale, { month: style, timeZone: 'UTC' });
      const beside = new Intl.DateTimeFormat(locale, { day: 'numeric', month: style, timeZone: 'UTC' });
      for (let month = 0; month < 12; month++) {
        const date = new Date(Date.UTC(2023, month, 15));
        const inDate = beside.formatToParts(date).find(({ type }) => type === 'month')?.value ?? '';
        for (const name of [alone.format(date), inDate]) {
          const key = normalizeText(name).replace(/\./g, '');
          // Numbers are skipped. If a name means different months in different languages, the first language wins.
          if (/^\p{L}{2,}$/u.test(key) && !names.has(key)) names.set(key, month + 1);
        }
      }
    }
  }
  names.set('sept', 9);
  return names;
}

function normalizeText(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}

/**
 * Finds the first date in a text, numeric or with a month name, with or without a weekday and a time. Undefined when there is
 * none or the day does not exist. Two-digit years are between 1970 and 2069.
 */
export function findDate(value: string, order: DateOrder = 'auto'): FoundDate | undefined {
  const text = value.normalize('NFKC');
  return parseNamedDate(text) ?? findEastAsianDate(text) ?? findNumericDate(text, order);
}

function findEastAsianDate(text: string): FoundDate | undefined {
  const match = /(\d{4})\s*[年년]\s*(\d{1,2})\s*[月월]\s*(\d{1,2})\s*[日号일]/.exec(text);
  return match ? findDay(match[1], match[2], match[3]) : undefined;
}

function parseNamedDate(text: string): FoundDate | undefined {
  const months = collectMonthNames();
  const word = '([\\p{L}\\p{M}]+)\\.?';
  const dayFirst = new RegExp(
    `(?<![\\d.,/])(\\d{1,2})(?:\\.|st|nd|rd|th|er|º|ª|-го)?[\\s-]*(?:de |of |d['’])?${word}[\\s,.-]*(?:de |del |of )?['’]?(\\d{4}|\\d{2})(?!\\d)`,
    'giu',
  );
  const monthFirst = new RegExp(`${word}\\s+(\\d{1,2})(?:st|nd|rd|th)?,?\\s+(\\d{4})(?!\\d)`, 'giu');
  const yearFirst = new RegExp(`(?<!\\d)(\\d{4})[\\s,.-]+${word}[\\s,.-]*(\\d{1,2})(?!\\d)`, 'giu');
  const ways = [
    [dayFirst, 1, 2, 3],
    [monthFirst, 2, 1, 3],
    [yearFirst, 3, 2, 1],
  ] as const;
  for (const [pattern, day, month, year] of ways) {
    for (const match of text.matchAll(pattern)) {
      const number = months.get(normalizeText(match[month] ?? ''));
      const date = number === undefined ? undefined : findDay(match[year], number, match[day]);
      if (date) return date;
    }
  }
  return undefined;
}

function findNumericDate(text: string, order: DateOrder): FoundDate | undefined {
  const packed = /(?<!\d)((?:19|20)\d\d)(\d\d)(\d\d)(?!\d)/.exec(text);
  const match = /(?<!\d)(\d{1,4})\s?([-/.])\s?(\d{1,2})\s?\2\s?(\d{4}|\d{1,2})(?!\d)/.exec(text);
  if (!match) return packed ? findDay(packed[1], packed[2], packed[3]) : undefined;
  const [, first = '', separator, second = '', third = ''] = match;
  if (first.length > 2) return first.length === 4 ? findDay(first, second, third) : undefined;
  if (third.length === 1) return undefined;
  if (order === 'ymd') return findDay(first, second, third);
  const asDayFirst = findDay(third, second, first);
  const asMonthFirst = findDay(third, first, second);
  // With dots as separators the day always comes first.
  const isDayFirst = order === 'dmy' || (order === 'auto' && separator === '.');
  const date = isDayFirst ? (asDayFirst ?? asMonthFirst) : (asMonthFirst ?? asDayFirst);
  const isAmbiguous =
    order === 'auto' &&
    separator !== '.' &&
    Boolean(asDayFirst && asMonthFirst) &&
    asDayFirst?.day !== asMonthFirst?.day;
  return date && { ...date, isAmbiguous };
}

function findDay(year = '', month: string | number = '', day = ''): FoundDate | undefined {
  const years = Number(year);
  const full = year.length > 2 ? years : years + (years < 70 ? 2_000 : 1_900);
  const date = new Date(Date.UTC(full, Number(month) - 1, Number(day)));
  const exists = date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
  if (!exists || full < 1_000) return undefined;
  return { day: date.toISOString().slice(0, 10), isAmbiguous: false };
}
