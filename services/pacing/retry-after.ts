/**
 * Parses a `Retry-After` header: seconds (also fractional) or a date. Returns milliseconds, or undefined when it is absent or
 * invalid.
 */
export function parseRetryAfterMs(header: string | string[] | undefined, now = Date.now()): number | undefined {
  const text = (Array.isArray(header) ? header[0] : header)?.trim();
  if (!text) return undefined;
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1_000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
