/** Order of the parts of a numeric date. `auto` reads ambiguous dates in US order. */
export type DateOrder = 'auto' | 'dmy' | 'mdy' | 'ymd';

/** A date, and whether it could also mean another day. */
export interface FoundDate {
  /** YYYY-MM-DD. */
  day: string;
  isAmbiguous: boolean;
}

/** Years of two digits from this one on are in the 20th century, earlier ones in the 21st, as in POSIX. */
const firstYearOf1900s = 70;
const locales = 'en de fr es it pt nl pl cs sk sv da nb fi tr ru uk ro hu el hr ca id'.split(' ');
let monthNumbers: Map<string, number> | undefined;

/** Months from 1 by their names and abbreviations in many languages, in standalone and inflected forms, without accents. */
function collectMonthNames(): Map<string, number> {
  if (monthNumbers) return monthNumbers;
  const names = new Map<string, number>();
  for (const locale of locales) {
    for (const { name, month } of iterateMonthNames(locale)) {
      const key = normalizeText(name).replace(/\./g, '');
      // Numbers are skipped. If a name means different months in different languages, the first language wins.
      if (/^\p{L}{2,}$/u.test(key) && !names.has(key)) names.set(key, month);
    }
  }
  names.set('sept', 9);
  monthNumbers = names;
  return names;
}

function* iterateMonthNames(locale: string): Generator<{ name: string; month: number }> {
  for (const style of ['long', 'short'] as const) {
    const standalone = new Intl.DateTimeFormat(locale, { month: style, timeZone: 'UTC' });
    const withDay = new Intl.DateTimeFormat(locale, { day: 'numeric', month: style, timeZone: 'UTC' });
    for (let month = 1; month <= 12; month++) {
      const date = new Date(Date.UTC(2023, month - 1));
      yield { name: standalone.format(date), month };
      const inflected = withDay.formatToParts(date).find(({ type }) => type === 'month')?.value ?? '';
      yield { name: inflected, month };
    }
  }
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
  return findNamedDate(text) ?? findEastAsianDate(text) ?? findNumericDate(text, order);
}

function findEastAsianDate(text: string): FoundDate | undefined {
  const match = /(\d{4})\s*[年년]\s*(\d{1,2})\s*[月월]\s*(\d{1,2})\s*[日号일]/.exec(text);
  return match ? findDay(match[1], match[2], match[3]) : undefined;
}

function findNamedDate(text: string): FoundDate | undefined {
  const months = collectMonthNames();
  const word = '([\\p{L}\\p{M}]+)\\.?';
  // 3 May 2024, 3. Mai 2024, 3 de mayo de 2024, 3rd of May '24
  const dayFirst = new RegExp(
    `(?<![\\d.,/])(\\d{1,2})(?:\\.|st|nd|rd|th|er|º|ª|-го)?[\\s-]*(?:de |of |d['’])?${word}[\\s,.-]*(?:de |del |of )?['’]?(\\d{4}|\\d{2})(?!\\d)`,
    'giu',
  );
  // May 3, 2024
  const monthFirst = new RegExp(`${word}\\s+(\\d{1,2})(?:st|nd|rd|th)?,?\\s+(\\d{4})(?!\\d)`, 'giu');
  // 2024 May 3
  const yearFirst = new RegExp(`(?<!\\d)(\\d{4})[\\s,.-]+${word}[\\s,.-]*(\\d{1,2})(?!\\d)`, 'giu');
  // Each pattern with the groups of its day, month and year.
  const orders = [
    [dayFirst, 1, 2, 3],
    [monthFirst, 2, 1, 3],
    [yearFirst, 3, 2, 1],
  ] as const;
  for (const [pattern, day, month, year] of orders) {
    for (const match of text.matchAll(pattern)) {
      const monthNumber = months.get(normalizeText(match[month] ?? ''));
      const date = monthNumber === undefined ? undefined : findDay(match[year], monthNumber, match[day]);
      if (date) return date;
    }
  }
  return undefined;
}

function findNumericDate(text: string, order: DateOrder): FoundDate | undefined {
  // 20240503
  const packed = /(?<!\d)((?:19|20)\d\d)(\d\d)(\d\d)(?!\d)/.exec(text);
  // 2024-05-03, 3.5.2024, 5 / 3 / 24
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
  const hasTwoReadings = asDayFirst && asMonthFirst && asDayFirst.day !== asMonthFirst.day;
  return date && { ...date, isAmbiguous: order === 'auto' && separator !== '.' && Boolean(hasTwoReadings) };
}

/** The day; undefined if the calendar lacks it, such as 31 April. */
function findDay(year = '', month: string | number = '', day = ''): FoundDate | undefined {
  const century = Number(year) < firstYearOf1900s ? 2_000 : 1_900;
  const fullYear = year.length > 2 ? Number(year) : century + Number(year);
  const date = new Date(Date.UTC(fullYear, Number(month) - 1, Number(day)));
  const exists = date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
  if (!exists || fullYear < 1_000) return undefined;
  return { day: date.toISOString().slice(0, 10), isAmbiguous: false };
}
