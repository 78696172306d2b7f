import { InvalidArgumentError } from 'commander';

/** Parses `3`, `1-5`, or `7-` (to the last page), as the first and the last page. */
export function parsePageRange(text: string): [number, number] {
  const [, first = '0', dash, last] = /^(\d+)(?:(-)(\d+)?)?$/.exec(text.trim()) ?? [];
  const from = Number(first);
  const openEnd = dash ? Number.MAX_SAFE_INTEGER : from;
  const to = last ? Number(last) : openEnd;
  if (from < 1 || to < from) throw new InvalidArgumentError('It must be a page such as 3 or pages such as 1-5.');
  return [from, to];
}

/** Creates the parser of an option that takes some of `allowed`, separated by commas or in repeated options. */
export function createListParser<Value extends string>(allowed: readonly Value[]) {
  return (text: string, before: Value[] = []): Value[] => {
    const values = text.split(',').map((value) => (value.trim() === 'txt' ? 'text' : value.trim()));
    const wrong = values.find((value) => !allowed.includes(value as Value));
    if (wrong !== undefined) throw new InvalidArgumentError(`'${wrong}' is not one of ${allowed.join(', ')}.`);
    return [...new Set([...before, ...(values as Value[])])];
  };
}

/** Parses an option that may be repeated; a value may contain commas. */
export function appendValue(value: string, before: string[] = []): string[] {
  return [...before, value];
}

/** Parses an option or argument that must not be empty, such as the name of a user. */
export function requireText(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('It must not be empty.');
  return text;
}

/** Parses an option that takes any words, separated by commas or in repeated options. */
export function appendWords(text: string, before: string[] = []): string[] {
  return [...before, ...text.split(',').map((name) => name.trim())].filter(Boolean);
}
