const trueWords = new Set(['true', 't', 'yes', 'y', 'on', '1']);
const falseWords = new Set(['false', 'f', 'no', 'n', 'off', '0']);

/**
 * Parses the spellings of true and false that clients send, ignoring case and surrounding blanks; undefined for anything else.
 */
export function parseBoolean(value: unknown): boolean | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const word = String(value).trim().toLowerCase();
  if (trueWords.has(word)) return true;
  return falseWords.has(word) ? false : undefined;
}

/** Parses a number or its text; undefined for anything else, including infinity. */
export function parseNumber(value: string | number): number | undefined {
  if (typeof value === 'string' && !/^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i.test(value)) return undefined;
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
}
