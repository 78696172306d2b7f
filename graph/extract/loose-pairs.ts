/**
 * A label and a value that are near each other, but not written as `Label: value`. They count as a pair only if a
 * template has the label.
 */
export interface LoosePair {
  title: string;
  value: string;
}

const maxLabelLength = 50;
const maxValueLength = 1_000;

/**
 * Labels with their values in another line or cell: a heading, a bold line or `Label:` above a text or a list; the head of a column,
 * if every head ends with a colon; the only two filled cells of a row. The lines below `Label:` without a blank line stay lines.
 */
export function findLoosePairs(markdown: string, tables: readonly string[][][]): LoosePair[] {
  const blocks = splitBlocks(markdown);
  const pairs: LoosePair[] = [];
  for (const [at, block] of blocks.entries()) {
    const labelled = splitLabelledBlock(block);
    if (labelled) pairs.push(labelled);
    const title = findLoneLabel(block);
    const value = title === undefined ? undefined : findValue(blocks[at + 1] ?? '');
    if (title !== undefined && value !== undefined) pairs.push({ title, value });
  }
  return [...pairs, ...tables.flatMap((table) => listPairsOfTable(table))];
}

const maxLinesBelow = 8;

/** `Exporter:` above the lines of its value. Undefined if one of these lines has a label: then the first line is a heading. */
function splitLabelledBlock(block: string): LoosePair | undefined {
  const end = block.indexOf('\n');
  // Two pairs of asterisks and the colon are not part of the label.
  if (end < 0 || end > maxLabelLength + 5) return undefined;
  const title = /^(?:\*\*|__)?([^:|#]+):(?:\*\*|__)?\s*$/.exec(block.slice(0, end))?.[1];
  if (title === undefined || title.length > maxLabelLength) return undefined;
  const lines = block.slice(end + 1).split('\n', maxLinesBelow + 1);
  const isValue = lines.length <= maxLinesBelow && !/^[#|<`!]/.test(lines[0] ?? '') && !lines[0]?.includes(':');
  if (!isValue) return undefined;
  // A line with a label, such as a telephone number below an address, ends the value.
  const nextLabel = lines.findIndex((line) => /^[^:]{1,50}:(?:\s|$)/.test(line));
  const valueLines = nextLabel < 0 ? lines : lines.slice(0, nextLabel);
  const isList = valueLines.every((line) => /^\s*[-*]\s/.test(line));
  const value = valueLines.map((line) => line.replace(/^\s*[-*]\s+/, '').trim()).join(isList ? '; ' : '\n');
  return { title, value: value.slice(0, maxValueLength) };
}

const maxPhraseWords = 6;
const endsWithPreposition = /\b(?:of|to|upon|on|that|by|for)$/i;

/**
 * Labels that are part of a sentence, as on certificates: `hereby confers upon` in front of a name, in the same line or at the end of
 * the line above. Only known labels of two words or more that end with a preposition.
 */
export function findPhrasePairs(markdown: string, isKnownLabel: (title: string) => boolean): LoosePair[] {
  const lines = markdown
    .split(/\r?\n/)
    .map((line) =>
      line
        .slice(0, 4 * maxLabelLength)
        .replace(/^#+\s+|\*\*|__/g, '')
        .trim(),
    )
    .filter((line) => line !== '');
  const isLabel = (words: readonly string[]) =>
    words.length > 1 && endsWithPreposition.test(words.at(-1) ?? '') && isKnownLabel(words.join(' '));
  return lines.flatMap((line, at): LoosePair[] => {
    const words = line.includes('|') || line.includes(':') ? [] : line.replace(/^the\s+/i, '').split(/\s+/);
    const lengths = Array.from({ length: maxPhraseWords - 1 }, (_, index) => maxPhraseWords - index);
    const first = lengths.find((length) => length < words.length && isLabel(words.slice(0, length)));
    const last = lengths.find((length) => length <= words.length && isLabel(words.slice(-length)));
    const found = [
      ...(first === undefined ? [] : [{ title: words.slice(0, first).join(' '), value: words.slice(first).join(' ') }]),
      ...(last === undefined ? [] : [{ title: words.slice(-last).join(' '), value: lines[at + 1] ?? '' }]),
    ];
    const isValue = (value: string) =>
      value.length <= 2 * maxLabelLength && /^[\p{Lu}\p{N}]/u.test(value) && !value.includes(':');
    return found.filter(({ value }) => isValue(value));
  });
}

/** Splits at blank lines; headings are separate blocks. Line by line, because a regular expression that looks behind reads a long line once per character. */
function splitBlocks(markdown: string): string[] {
  const blocks: string[][] = [[]];
  for (const line of markdown.split(/\r?\n/)) {
    if (line.trim() === '') blocks.push([]);
    else blocks.at(-1)?.push(line);
    if (line.startsWith('#')) blocks.push([]);
  }
  return blocks.map((lines) => lines.join('\n').trim()).filter((block) => block !== '');
}

function findLoneLabel(block: string): string | undefined {
  if (block.length > maxLabelLength + 10 || block.includes('\n') || block.startsWith('|')) return undefined;
  const heading = /^#+\s+(.+)$/.exec(block)?.[1];
  const bold = /^(?:\*\*|__)([^*]+)(?:\*\*|__):?$/.exec(block)?.[1];
  const title = heading ?? bold ?? /^([^:|]+):$/.exec(block)?.[1];
  return title !== undefined && title.length <= maxLabelLength ? title.replace(/\*\*|__/g, '').trim() : undefined;
}

/** The text of a block that is neither a heading, nor a table, nor another label. */
function findValue(block: string): string | undefined {
  if (block === '' || /^(?:#|\||<!--|!\[|```)/.test(block) || findLoneLabel(block) !== undefined) return undefined;
  const items = block.split('\n').map((line) => line.replace(/^\s*(?:[-*]|\d+\.)\s+/, '').trim());
  const isList = /^\s*(?:[-*]|\d+\.)\s/.test(block);
  const text = items
    .filter((item) => item !== '')
    .join(isList ? '; ' : ' ')
    .replace(/\*\*|__/g, '');
  return text.slice(0, maxValueLength);
}

function listPairsOfTable([head = [], ...rows]: readonly string[][]): LoosePair[] {
  const isHead = head.length > 1 && head.every((cell) => /\p{L}\s*:$/u.test(cell));
  const below = isHead ? head.map((title, at) => ({ title, value: rows[0]?.[at] ?? '' })) : [];
  const pairs = rows.flatMap((cells): LoosePair[] => {
    const [title, value, ...more] = cells.filter((cell) => cell !== '');
    return cells.length > 2 && title !== undefined && value !== undefined && more.length === 0
      ? [{ title, value }]
      : [];
  });
  return [...below, ...pairs].filter(({ title, value }) => value !== '' && title.length <= maxLabelLength);
}

/**
 * A line with several labels, cut in front of each that the template knows: `Present: A, B Absent: C`. Undefined if it has fewer than two.
 */
export function splitKnownLabels(line: string, isKnownLabel: (title: string) => boolean): LoosePair[] | undefined {
  const starts: { from: number; title: string; value: number }[] = [];
  for (const colon of line.matchAll(/:\s+/g)) {
    const before = line.slice(Math.max(starts.at(-1)?.value ?? 0, colon.index - maxLabelLength), colon.index);
    const words = [...before.matchAll(/\S+/g)].slice(-5);
    const first = words.find((word) => isKnownLabel(before.slice(word.index)));
    if (!first) continue;
    const from = colon.index - before.length + first.index;
    starts.push({ from, title: before.slice(first.index), value: colon.index + colon[0].length });
  }
  if (starts.length < 2) return undefined;
  return starts.map(({ title, value }, at) => ({ title, value: line.slice(value, starts[at + 1]?.from).trim() }));
}
