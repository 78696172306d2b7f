/** A heading that a line of signs below it marks, perhaps with another one above it. */
export interface Underlined {
  text: string;
  /** The sign, with a second one where there is a line above: texts use one style for each level. */
  style: string;
  /** Number of lines that belong to it. */
  lines: number;
}

const rule = /^\s*([=\-~^#"+*])\1{2,}\s*$/;
const longestHeading = 120;

/** The heading with which a block begins, underlined over its whole width. */
export function underlinedHeading(lines: readonly string[]): Underlined | undefined {
  const above = rule.exec(lines[0] ?? '')?.[1];
  const from = above === undefined ? 0 : 1;
  const text = lines[from]?.trim() ?? '';
  const below = rule.exec(lines[from + 1] ?? '')?.[1];
  if (below === undefined || (above !== undefined && above !== below)) return undefined;
  if (text === '' || text.length > longestHeading || !/[\p{L}\p{N}]/u.test(text) || rule.test(text)) return undefined;
  const width = lines[from + 1]!.trim().length;
  const isWhole = above === undefined ? Math.abs(width - text.length) <= 2 : width >= text.length;
  return isWhole ? { text, style: above === undefined ? below : below + above, lines: from + 2 } : undefined;
}

const numbered = /^\s{0,4}(\d{1,2}(?:\.\d{1,2}){0,5})\.?[ \t]+(\p{L}[^\n]*)$/u;

/**
 * Which blocks are numbered headings, with their levels: single lines whose numbers follow each other from the first to the last,
 * and between which there is text. Lists with empty lines between their items are not.
 */
export function numberedHeadings(blocks: readonly (readonly string[])[]): Map<number, number> {
  const found = new Map<number, number>();
  let last: number[] = [];
  for (const [index, lines] of blocks.entries()) {
    const [, digits, text = ''] = (lines.length === 1 && numbered.exec(lines[0]!.trimEnd())) || [];
    if (digits === undefined || text.length > 80 || /[.,;:!?]$|\.{3,}|\s{3,}\d+$/.test(text)) continue;
    const parts = digits.split('.').map(Number);
    if (!follows(last, parts)) continue;
    last = parts;
    found.set(index, parts.length);
  }
  const places = [...found.keys()];
  const apart = places.filter((place) => !found.has(place + 1)).length;
  return places.length >= 3 && apart >= places.length * 0.6 ? found : new Map();
}

/** True if the number is the next of its level, the first below the last one, or the next of a level above. */
function follows(last: readonly number[], next: readonly number[]): boolean {
  if (last.length === 0) return next.length === 1 && next[0] === 1;
  if (next.length > last.length + 1) return false;
  const isBelow = next.length === last.length + 1;
  const at = next.length - 1;
  if (!next.slice(0, at).every((part, index) => part === last[index])) return false;
  return next[at] === (isBelow ? 1 : last[at]! + 1);
}
