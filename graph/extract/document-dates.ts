import { findDate } from './fit-answer';

/** Reads the dates of one document. */
export interface DateReader {
  /**
   * The ISO date of a text, or the text itself if it is not a date. A date without a year, such as `09/25` or `3 Feb`, gets the year of the last
   * such day up to `latest`; without `latest`, it stays as it is.
   */
  read(text: string, latest?: string): string;
}

const maxScanned = 200_000;

/** Creates a reader that reads dates such as `11/07/26` in the order of month and day that other dates of the document prove. */
export function createDateReader(text: string): DateReader {
  const isMonthFirst = findOrder(text.slice(0, maxScanned));
  return {
    read(value, latest) {
      const trimmed = value.trim();
      return (
        findDate(trimmed) ?? findSlashedDate(trimmed, isMonthFirst, latest) ?? findNamedDay(trimmed, latest) ?? value
      );
    },
  };
}

/** True for a text that is a date, or would be one with a year. */
export const isDateLike = (text: string): boolean => {
  const trimmed = text.trim();
  return (
    trimmed.length <= 30 &&
    (/^(?:\d\d?\/\d\d?(?:\/(?:\d\d|\d{4}))?|\d\d?\.\d\d?\.)$/.test(trimmed) ||
      findDay(trimmed) !== undefined ||
      findDate(trimmed) !== undefined)
  );
};

/** True if a month can only come first, false if only a day can; undefined if there is no such date, or there are both kinds. */
function findOrder(text: string): boolean | undefined {
  const votes = { month: 0, day: 0 };
  for (const [, first = '', second = '', year] of text.matchAll(
    /(?<![\d/])(\d\d?)\/(\d\d?)(?:\/(\d{4}|\d\d))?(?![\d/])/g,
  )) {
    // `13/25` may be a page number; `09/25` counts only together with another date.
    if (year === undefined && (first.length !== 2 || second.length !== 2)) continue;
    const weight = year === undefined ? 1 : 2;
    if (Number(first) <= 12 && isDay(second) && Number(second) > 12) votes.month += weight;
    if (Number(second) <= 12 && isDay(first) && Number(first) > 12) votes.day += weight;
  }
  if (votes.month >= 2 && votes.day === 0) return true;
  return votes.day >= 2 && votes.month === 0 ? false : undefined;
}

const isDay = (text: string) => Number(text) >= 1 && Number(text) <= 31;

function findSlashedDate(text: string, isMonthFirst: boolean | undefined, latest?: string): string | undefined {
  const [, first = '', second = '', year] = /^(\d\d?)\/(\d\d?)(?:\/(\d{4}|\d\d))?$/.exec(text) ?? [];
  if (first === '' || isMonthFirst === undefined) return undefined;
  const [month, day] = isMonthFirst ? [first, second] : [second, first];
  if (year !== undefined) return findDate(`${day}.${month}.${year}`);
  return addYear(day, month, latest);
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** Day and month of `3 Feb` and `February 3`. */
function findDay(text: string): { day: string; month: string } | undefined {
  const parts = /^(?:(\d\d?) ([A-Za-z]{3,9})|([A-Za-z]{3,9}) (\d\d?))\.?$/.exec(text);
  const [day, name] = [parts?.[1] ?? parts?.[4], (parts?.[2] ?? parts?.[3])?.slice(0, 3).toLowerCase() ?? ''];
  return day !== undefined && months.includes(name) ? { day, month: String(months.indexOf(name) + 1) } : undefined;
}

function findNamedDay(text: string, latest?: string): string | undefined {
  const day = findDay(text);
  return day && addYear(day.day, day.month, latest);
}

function addYear(day: string, month: string, latest?: string): string | undefined {
  if (latest === undefined) return undefined;
  const year = Number(latest.slice(0, 4));
  // The 29th of February may be up to eight years away.
  const dates = Array.from({ length: 9 }, (_, ago) => findDate(`${day}.${month}.${year - ago}`));
  return dates.find((date) => date !== undefined && date <= latest);
}
