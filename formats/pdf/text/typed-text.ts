import { findLargest } from '../../extremes';
import type { Line } from './line';

/** Signs that typed words have as well as code does not count here: a quotation, a company's name. */
const codeSign = /[{}[\]<>=+*\\|^%$#_`~;@]/;
/** The head of a memorandum or letter: "TO: All staff". Other labels with values are settings, or fields of a protocol. */
const label =
  /^(?:to|from|date|subject|re|cc|bcc|attention|attn|an|von|datum|betreff|betr|kopie|à|de|objet|para|fecha|asunto)\.? ?: ?\S/i;
const naturalWord = /^["'(]?\p{L}[\p{L}'’-]*[.,:;!?)"']*$/u;
/** Words have no more characters; files may have rows of any length. */
const longestWord = 40;
/** Fewer words may be a command. */
const minWords = 8;
/** Least shares: of words among all that white space separates, and of small letters among letters. */
const shares = { words: 0.9, small: 0.8 };
const minLabels = 2;
/** Lines further apart, as a multiple of the type size, are not of one paragraph. */
const maxLeading = 1.7;

/** The lines on one baseline. */
interface Row {
  text: string;
  left: number;
  right: number;
  first: Line;
}

/**
 * Takes monospaced type for text where all of it reads so: the typed head of a letter at the beginning of a page, or paragraphs set
 * in Courier. One line of code in the document leaves all of it code.
 */
export function unmarkTypedText(pages: readonly (readonly Line[])[]): void {
  const groups = pages.flatMap((lines) =>
    listGroups(lines).map((group, index) => ({ group, isFirst: index === 0, rows: joinRows(group) })),
  );
  const areTyped = groups.every(({ rows, isFirst }) => (isFirst && isHead(rows)) || isText(rows));
  if (groups.length === 0 || !areTyped) return;
  for (const line of groups.flatMap(({ group }) => group)) line.mono = false;
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

function joinRows(lines: readonly Line[]): Row[] {
  const rows: Row[] = [];
  for (const line of lines) {
    const { text, box } = line;
    const row = rows.at(-1);
    if (row && Math.abs(line.baseline - row.first.baseline) < 1) {
      row.text += ` ${text}`;
      row.left = Math.min(row.left, box.l);
      row.right = Math.max(row.right, box.r);
    } else rows.push({ text, left: box.l, right: box.r, first: line });
  }
  return rows;
}

/** True for the labels of a memorandum with their values, and lines in capitals, such as its title. */
function isHead(rows: readonly Row[]): boolean {
  if (rows.some(({ text }) => codeSign.test(text))) return false;
  const others = rows.filter(({ text }) => !/^\p{Lu}/u.test(text) || !label.test(text));
  const labels = rows.length - others.length;
  return labels >= minLabels && others.length <= labels && others.every(({ text }) => !/\p{Ll}/u.test(text));
}

function isText(rows: readonly Row[]): boolean {
  const paragraphs: Row[][] = [];
  for (const row of rows) {
    const above = paragraphs.at(-1)?.at(-1);
    const distance = above ? above.first.baseline - row.first.baseline : 0;
    if (above && distance > 0 && distance < maxLeading * row.first.size) paragraphs.at(-1)?.push(row);
    else paragraphs.push([row]);
  }
  return paragraphs.every(isParagraph);
}

/** True for sentences over several lines, each filled but the last: output of a program and commands end where they like. */
function isParagraph(rows: readonly Row[]): boolean {
  const [first, last] = [rows[0], rows.at(-1)];
  if (!first || !last || rows.length < 2 || rows.some(({ text }) => codeSign.test(text))) return false;
  if (!/^["'(]?\p{Lu}/u.test(first.text) || !/[.!?]["')]?$/.test(last.text)) return false;
  if (rows.some(({ left }) => Math.abs(left - first.left) > 1)) return false;
  const edge = findLargest(rows.map(({ right }) => right));
  const below = rows.slice(1);
  if (below.some((row, index) => leavesRoom(rows[index] as Row, row, edge))) return false;
  const continued = below.filter(({ text }) => /^\p{Ll}/u.test(text)).length;
  return 2 * continued >= below.length && areSentences(rows.map(({ text }) => text).join(' '));
}

/** True if the first word of the next row had room in the row. */
function leavesRoom({ right }: Row, { first }: Row, edge: number): boolean {
  const { box } = first.words[0] as Line['words'][number];
  return right + box.r - box.l + 0.6 * first.size < edge;
}

function areSentences(text: string): boolean {
  const words = text.split(' ');
  const natural = words.filter((word) => word.length <= longestWord && naturalWord.test(word)).length;
  const small = text.match(/\p{Ll}/gu)?.length ?? 0;
  const large = text.match(/\p{Lu}/gu)?.length ?? 0;
  return words.length >= minWords && natural >= shares.words * words.length && small >= shares.small * (small + large);
}
