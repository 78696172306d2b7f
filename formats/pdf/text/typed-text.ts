import type { Line } from './line';

/** Signs that typed words have as well as code does not count here: an address, a quotation, a company's name. */
const codeSign = /[{}[\]<>=+*\\|^%$#_`~;]/;
/** The head of a memorandum or message: "TO: All staff". A setting of a program begins in lower case. */
const labelled = /^\p{Lu}[\p{L}.-]{1,14}(?: \p{L}+)?: ?\S/u;
const naturalWord = /^["'(]?\p{L}[\p{L}'’-]*[.,:;!?)"']*$/u;
/** Fewer words may be a command. */
const minWords = 8;
const minShare = 0.9;
const minLabels = 2;

/**
 * Takes monospaced type for text where all of it reads so: the typed head of a letter, or sentences set in Courier. One line of
 * code in the document leaves all of it code.
 */
export function unmarkTypedText(pages: readonly (readonly Line[])[]): void {
  const groups = pages.flatMap(listGroups);
  if (groups.length === 0 || !groups.every(isTyped)) return;
  for (const line of groups.flat()) line.mono = false;
}

/** The monospaced lines of a page without other lines between them, in drawing order. */
function listGroups(lines: readonly Line[]): Line[][] {
  const groups: Line[][] = [];
  let isOpen = false;
  for (const line of lines) {
    if (line.mono && isOpen) groups.at(-1)?.push(line);
    else if (line.mono) groups.push([line]);
    isOpen = line.mono;
  }
  return groups;
}

function isTyped(lines: readonly Line[]): boolean {
  const rows: string[] = [];
  let baseline: number | undefined;
  for (const line of lines) {
    if (baseline !== undefined && Math.abs(line.baseline - baseline) < 1) rows.push(`${rows.pop()} ${line.text}`);
    else rows.push(line.text);
    ({ baseline } = line);
  }
  if (rows.some((row) => codeSign.test(row))) return false;
  const labels = rows.filter((row) => labelled.test(row)).length;
  const others = rows.filter((row) => !labelled.test(row));
  if (labels >= minLabels && others.every((row) => !/\p{Ll}/u.test(row))) return true;
  const words = rows.flatMap((row) => row.split(' '));
  const natural = words.filter((word) => naturalWord.test(word)).length;
  return words.length >= minWords && natural >= minShare * words.length && /^["'(]?\p{Lu}/u.test(rows[0] ?? '');
}
