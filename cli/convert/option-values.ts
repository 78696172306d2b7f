import { InvalidArgumentError } from 'commander';

/** Parses first and last page. */
export function parsePageRange(text: string): [number, number] {
  const [, first, dash, last] = /^(\d+)(?:(-)(\d+)?)?$/.exec(text.trim()) ?? [];
  const from = Number(first ?? 0);
  const to = last ? Number(last) : dash ? Number.MAX_SAFE_INTEGER : from;
  if (from < 1 || to < from) throw new InvalidArgumentError('It must be a page such as 3 or pages such as 1-5.');
  return [from, to];
}

/** Parses a list of known words, by commas or by several options. */
export function createListParser<Value extends string>(allowed: readonly Value[]) {
  return (text: string, before: Value[] = []): Value[] => {
    const values = text.split(',').map((value) => (value.trim() === 'txt' ? 'text' : value.trim()));
    const wrong = values.find((value) => !allowed.includes(value as Value));
    if (wrong !== undefined) throw new InvalidArgumentError(`'${wrong}' is not one of ${allowed.join(', ')}.`);
    return [...new Set([...before, ...(values as Value[])])];
  };
}

/** Adds words, by commas or by several options. */
export function appendWords(text: string, before: string[] = []): string[] {
  return [...before, ...text.split(',').map((name) => name.trim())].filter(Boolean);
}
