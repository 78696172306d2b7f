import { InvalidArgumentError } from 'commander';

/** Parses an option that is a whole number from 1. */
export function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError('It must be a whole number from 1.');
  return value;
}

/** Parses first and last page. */
export function pageRange(text: string): [number, number] {
  const [, first, dash, last] = /^(\d+)(?:(-)(\d+)?)?$/.exec(text.trim()) ?? [];
  const from = Number(first ?? 0);
  const to = last ? Number(last) : dash ? Number.MAX_SAFE_INTEGER : from;
  if (from < 1 || to < from) throw new InvalidArgumentError('It must be a page such as 3 or pages such as 1-5.');
  return [from, to];
}
