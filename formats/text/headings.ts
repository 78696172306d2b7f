/** A heading marked by a line of signs below it, and optionally by one above it. */
export interface Underlined {
  text: string;
  /** The sign, doubled if there is also a line above: texts use one style per level. */
  style: string;
  /** Number of lines that the heading occupies. */
  lines: number;
}

const rule = /^\s*([=\-~^#"+*])\1{2,}\s*$/;
const maxHeadingLength = 120;

/** Returns the heading at the start of a block, if it is underlined over its full width. */
export function findUnderlinedHeading(lines: readonly string[]): Underlined | undefined {
  const above = rule.exec(lines[0] ?? '')?.[1];
  const from = above === undefined ? 0 : 1;
  const text = lines[from]?.trim() ?? '';
  const below = rule.exec(lines[from + 1] ?? '')?.[1];
  if (below === undefined || (above !== undefined && above !== below)) return undefined;
  if (text === '' || text.length > maxHeadingLength || !/[\p{L}\p{N}]/u.test(text) || rule.test(text)) return undefined;
  const width = lines[from + 1]!.trim().length;
  const isWhole = above === undefined ? Math.abs(width - text.length) <= 2 : width >= text.length;
  return isWhole ? { text, style: above === undefined ? below : below + above, lines: from + 2 } : undefined;
}

const maxNumberedLength = 80;
/** `2.1 Methods` or `3. Results`. */
const numbered = /^\s{0,4}(\d{1,2}(?:\.\d{1,2}){0,5})\.?[ \t]+(\p{L}[^\n]*)$/u;

/**
 * Finds blocks that are numbered headings, with their levels: single lines with consecutive numbers from first to last, and
 * text between them. Lists with empty lines between their items do not qualify.
 */
export function findNumberedHeadings(blocks: readonly (readonly string[])[]): Map<number, number> {
  const headings = new Map<number, number>();
  let last: number[] = [];
  for (const [index, lines] of blocks.entries()) {
    const [, digits, text = ''] = (lines.length === 1 && numbered.exec(lines[0]!.trimEnd())) || [];
    // Sentences, and lines of a table of contents, are not headings.
    if (digits === undefined || text.length > maxNumberedLength || /[.,;:!?]$|\.{3,}|\s{3,}\d+$/.test(text)) continue;
    const parts = digits.split('.').map(Number);
    if (!follows(last, parts)) continue;
    last = parts;
    headings.set(index, parts.length);
  }
  const indexes = [...headings.keys()];
  const followedByText = indexes.filter((index) => !headings.has(index + 1)).length;
  return indexes.length >= 3 && followedByText >= indexes.length * 0.6 ? headings : new Map();
}

/** True if the number is the next of its level, the first below the last one, or the next of a higher level. */
function follows(last: readonly number[], next: readonly number[]): boolean {
  if (last.length === 0) return next.length === 1 && next[0] === 1;
  if (next.length > last.length + 1) return false;
  const isBelow = next.length === last.length + 1;
  const at = next.length - 1;
  if (!next.slice(0, at).every((part, index) => part === last[index])) return false;
  return next[at] === (isBelow ? 1 : last[at]! + 1);
}
