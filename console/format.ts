const number = new Intl.NumberFormat('en');
const time = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });
/** Times of the current year are shown without the year. */
const timeOfYear = new Intl.DateTimeFormat('en', {
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
});
const moment = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' });
const clock = new Intl.DateTimeFormat('en', { timeStyle: 'medium' });

/** Formats a count with thousands separators. */
export function formatCount(count: number): string {
  return number.format(Math.round(count));
}

const languages = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'code' });

/** The name of a language in English, such as German for `de`; what is no code of a language stays. */
export function formatLanguage(code: string): string {
  try {
    return languages.of(code) ?? code;
  } catch {
    return code;
  }
}

/** Formats a share as a percentage; empty for null. */
export function formatPercent(share: number | null): string {
  return share === null ? '' : `${Math.round(share * 100)} %`;
}

/** Formats a rate with at most two decimals. */
export function formatRate(rate: number): string {
  return rate >= 10 ? number.format(Math.round(rate)) : rate.toFixed(2);
}

/**
 * Formats a time in the viewer's time zone, with the year unless it is the current one; empty for null and for invalid times.
 */
export function formatTime(iso: string | null | undefined): string {
  const isThisYear = iso ? new Date(iso).getFullYear() === new Date().getFullYear() : false;
  return format(isThisYear ? timeOfYear : time, iso);
}

/** Like `formatTime`, with seconds. */
export function formatMoment(iso: string | null | undefined): string {
  return format(moment, iso);
}

function format(formatter: Intl.DateTimeFormat, iso: string | null | undefined): string {
  const at = iso ? Date.parse(iso) : Number.NaN;
  // The space before AM or PM must not break: a time that breaks does so after its day.
  return Number.isNaN(at) ? '' : formatter.format(at).replace(/ (?=[AP]M$)/, '\u00a0');
}

/** Formats the time of day in the viewer's time zone. */
export function formatClock(at: number): string {
  return clock.format(at);
}

/** Formats a duration in its two largest units; empty for null. */
export function formatDuration(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined) return '';
  if (seconds < 60) return `${seconds < 10 ? Math.round(seconds * 10) / 10 : Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.round(seconds % 60)} s`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** Formats a size in the largest unit (powers of 1,024) in which it is at least one. */
export function formatBytes(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB'];
  const step = Math.min(units.length - 1, bytes < 1 ? 0 : Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** step;
  return `${step === 0 || value >= 100 ? number.format(Math.round(value)) : value.toFixed(1)} ${units[step]}`;
}

/** Formats a cost without a currency, because prices are configured without one. */
export function formatCost(cost: number): string {
  return cost === 0 ? '0' : cost.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 4 });
}
