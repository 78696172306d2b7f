import type { Section, Token } from './code';

const dayMs = 86_400_000;

/**
 * Converts a serial date to milliseconds in UTC; undefined outside the years 1 to 9999. Days count from 1899-12-30 or
 * 1904-01-01. Excel treats 1900 as a leap year, so days before 1 March 1900 are off by one.
 */
function toMilliseconds(serial: number, starts1904: boolean): number | undefined {
  let days = Math.floor(serial);
  const timeMs = Math.round((serial - days) * dayMs);
  if (serial > 0 && serial < 60 && !starts1904) days += 1;
  const epoch = starts1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, 30);
  const moment = epoch + days * dayMs + timeMs;
  const year = new Date(moment).getUTCFullYear();
  return Number.isNaN(year) || year < 1 || year > 9999 ? undefined : moment;
}

/** Formats a serial date as `2026-03-01 14:30:00`, or as a time if it is below one day; undefined if it is not a date. */
export function formatIso(serial: number, starts1904: boolean): string | undefined {
  const moment = toMilliseconds(serial, starts1904);
  if (moment === undefined) return undefined;
  const [date = '', time = ''] = new Date(moment).toISOString().split('T');
  // Omits a fraction of zero; others are written in microseconds.
  const clock = time.replace('.000Z', '').replace(/\.(\d{3})Z$/, '.$1000');
  return serial >= 0 && serial < 1 ? clock : `${date} ${clock}`;
}

/** Formats a duration in days as `36:00:00`. */
export function formatDuration(days: number): string {
  const seconds = Math.round(Math.abs(days) * 86_400);
  const pad = (value: number) => String(Math.floor(value)).padStart(2, '0');
  return `${days < 0 ? '-' : ''}${Math.floor(seconds / 3600)}:${pad((seconds % 3600) / 60)}:${pad(seconds % 60)}`;
}

/** Formats a date, time or duration by a section of a format code; undefined if the number is not a date. */
export function writeDate(section: Section, serial: number, starts1904: boolean): string | undefined {
  const { tokens } = section;
  // In a duration, the letter of its unit is the total of that unit, and `m` is never a month.
  const elapsedUnit = tokens.find(({ kind }) => kind === 'elapsed')?.text[0];
  const isDuration = elapsedUnit !== undefined;
  if (serial < 0 && !isDuration && !starts1904) return undefined;
  const moment = toMilliseconds(isDuration ? Math.abs(serial) : serial, starts1904);
  if (moment === undefined) return undefined;
  if (section.isSystemDate) return new Date(moment).toISOString().slice(0, 10);
  const fractionPlaces = countFractionPlaces(tokens);
  // A time is rounded to the smallest visible unit if that is a second or a fraction of it.
  const stepMs = fractionPlaces > 0 ? 10 ** (3 - Math.min(3, fractionPlaces)) : 1_000;
  const showsSeconds = tokens.some(({ kind, text }) => (kind === 'date' || kind === 'elapsed') && text.startsWith('s'));
  // Otherwise a millisecond is added, because serial dates are fractions that may be just below a full minute.
  const rounded = new Date(showsSeconds ? Math.round(moment / stepMs) * stepMs : moment + 1);
  const durationMs = Math.abs(Math.round((serial * dayMs) / stepMs) * stepMs);
  const parts: string[] = isDuration && serial < 0 ? ['-'] : [];
  const isHalfDay = tokens.some(({ kind }) => kind === 'half');
  for (const [at, token] of tokens.entries()) {
    const previous = tokens.slice(0, at).findLast(isLetter);
    const next = tokens.slice(at + 1).find(isLetter);
    if (token.kind === 'date' && token.text[0] === elapsedUnit) parts.push(formatElapsed(durationMs, token.text));
    else if (token.kind === 'date') {
      const isMinute =
        /^m{1,2}$/.test(token.text) &&
        (isDuration || previous?.text.startsWith('h') === true || next?.text.startsWith('s') === true);
      const isDayZero = serial < 1 && !starts1904;
      parts.push(
        formatDatePart(rounded, token.text, { isMinute, isHalfDay, isDayZero, language: section.language ?? 'en' }),
      );
    } else if (token.kind === 'elapsed') parts.push(formatElapsed(durationMs, token.text));
    else if (token.kind === 'half') parts.push(formatHalfDay(rounded, token.text));
    else if (token.kind === 'point' && previous?.text.startsWith('s')) {
      if (fractionPlaces > 0) parts.push(formatFraction(rounded, fractionPlaces));
    } else if (token.kind !== 'digit') parts.push(token.text);
  }
  return parts.join('');
}

function isLetter({ kind }: Token): boolean {
  return kind === 'date' || kind === 'elapsed';
}

/** Returns the number of decimal places of the seconds. */
function countFractionPlaces(tokens: readonly Token[]): number {
  const point = tokens.findIndex(({ kind }) => kind === 'point');
  if (point < 0) return 0;
  const end = tokens.findIndex(({ kind }, at) => at > point && kind !== 'digit');
  return (end < 0 ? tokens.length : end) - point - 1;
}

function formatFraction(date: Date, places: number): string {
  const milliseconds = String(date.getUTCMilliseconds()).padStart(3, '0');
  return `.${milliseconds.padEnd(places, '0').slice(0, places)}`;
}

function formatElapsed(ms: number, text: string): string {
  const unit = { h: 3_600_000, m: 60_000, s: 1_000 }[text[0]!] ?? 1_000;
  return String(Math.floor(ms / unit)).padStart(text.length, '0');
}

function formatHalfDay(date: Date, text: string): string {
  const isAfternoon = date.getUTCHours() >= 12;
  const [morning = 'AM', afternoon = 'PM'] = text.split('/');
  return isAfternoon ? afternoon : morning;
}

interface DatePartOptions {
  isMinute: boolean;
  isHalfDay: boolean;
  /** Spreadsheets show the day before 1 January 1900 as 0 January 1900. */
  isDayZero: boolean;
  language: string;
}

function formatDatePart(
  date: Date,
  text: string,
  { isMinute, isHalfDay, isDayZero, language }: DatePartOptions,
): string {
  const pad = (value: number) => String(value).padStart(Math.min(text.length, 2), '0');
  if (isMinute) return pad(date.getUTCMinutes());
  if (isDayZero && text[0] === 'd' && text.length <= 2) return pad(0);
  if (isDayZero && /^[yemb]/.test(text))
    return formatDatePart(dayOne, text, { isMinute, isHalfDay, isDayZero: false, language });
  switch (text[0]) {
    case 'y':
      return text.length <= 2
        ? String(date.getUTCFullYear() % 100).padStart(2, '0')
        : String(date.getUTCFullYear()).padStart(4, '0');
    case 'e':
      return String(date.getUTCFullYear());
    case 'b':
      return String(date.getUTCFullYear() + buddhistEra);
    case 'm':
      return text.length <= 2 ? pad(date.getUTCMonth() + 1) : getMonthName(date, text.length, language);
    case 'd':
      return text.length <= 2
        ? pad(date.getUTCDate())
        : getName(date, language, { weekday: text.length === 3 ? 'short' : 'long' });
    case 'a':
      return getName(date, language, { weekday: text.length === 3 ? 'short' : 'long' });
    case 'h':
      return pad(isHalfDay ? date.getUTCHours() % 12 || 12 : date.getUTCHours());
    case 's':
      return pad(date.getUTCSeconds());
    default:
      return '';
  }
}

/** Years of the Buddhist calendar are this much larger. */
const buddhistEra = 543;
const dayOne = new Date(Date.UTC(1900, 0, 1));

function getMonthName(date: Date, length: number, language: string): string {
  if (length === 5) return getName(date, language, { month: 'long' }).slice(0, 1);
  return getName(date, language, { month: length === 3 ? 'short' : 'long' });
}

/** Creating a formatter is slow, and sheets have thousands of dates in the same format. */
const formatters = new Map<string, Intl.DateTimeFormat>();

function getName(date: Date, language: string, options: Intl.DateTimeFormatOptions): string {
  const key = `${language} ${options.month ?? ''} ${options.weekday ?? ''}`;
  const formatter = formatters.get(key) ?? new Intl.DateTimeFormat(language, { ...options, timeZone: 'UTC' });
  formatters.set(key, formatter);
  return formatter.format(date);
}
