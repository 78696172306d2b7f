import { keptHyphen, longDash } from '../engine/signs';
import { measureOverlapX } from '../geometry/box';
import type { Line, Word } from './line';

const wordPattern = /[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)*/gu;
const lastPart = /([\p{L}\p{N}]+)-$/u;
const firstPart = /^[\p{L}\p{N}]+/u;

/** Second parts of English compounds, before which no longer word is split: `community-based`, `machine-readable`. */
const compoundPart =
  /^(?:based|specific|readable|duty|term|scale|income|funded|driven|quality|effective|free|level|year|sectional|related|wide|oriented|eligible|adjusted|weighted|reported|administered|sponsored|owned|centered|aged|sized|style|mode|friendly|intensive|efficient|resistant|compliant|defined|class|sector|party|provided|supplied)$/;
/** Minimum length of the first part of such a compound; a word that occurs elsewhere in the document may be shorter. */
const shortestCompound = { unknown: 4, known: 3 };
/** Prefixes, which are joined to the next part without a hyphen. */
const prefix = /^(?:inter|under|over|super|multi|semi|anti|counter|trans|hyper|intra|micro|macro|cross)$/;
/** A short word inside a compound at the end of a line: `quality-of-` before `life`. */
const innerPart = /\p{L}-(?:of|the|to|in|and|by|up|on|or|a|for|at)-$/iu;

/** A word after a hyphen that stands for the second part of a compound: `2-` before `and 4-year colleges`. */
const conjunction = /^(?:and|or|to|und|oder|bis|et|ou|e|y|o)(?=\s|$)/;
/** The end of a web address that may continue on the next line. */
const openAddress = /(?:https?:\/\/|www\.)\S*[/._=&?%~-]$|^www\.$/i;
/** A part of an address that no word or sentence has: a slash, dot or similar sign before another letter or digit. */
const addressPart =
  /^(?!(?:and\/or|he\/she|his\/her|e\.g|i\.e)\b)(?:[+~]?\p{Ll}|\p{N}+[/_])\S*[/._=&?%~]\S*[\p{L}\p{N}]/u;
/** The extension of a page, after the dot at the end of a line. */
const extension = /^(?:html?|pdf|aspx?|php)\b/;

/** True if a hyphen at a line end stands for the rest of a compound, so that a space follows it. */
export function isSuspended(end: string, start: string): boolean {
  return conjunction.test(start) && (end.endsWith(keptHyphen) || /\p{N}-$/u.test(end));
}

/** True for two words that a slash joins, with the line end after it: `racial/` before `ethnic`. */
export function isSlashBreak(end: string, start: string): boolean {
  return end.endsWith('/') && /(?:^|[\s(])\p{L}[\p{L}-]*\/$/u.test(end) && /^\p{L}/u.test(start);
}

/** True if a web address continues on the next line. */
export function isAddressBreak(end: string, start: string): boolean {
  const last = end.slice(end.lastIndexOf(' ') + 1);
  return openAddress.test(last) && (addressPart.test(start) || (last.endsWith('.') && extension.test(start)));
}

interface Words {
  /** Words with inner hyphens. */
  hyphened: ReadonlySet<string>;
  whole: ReadonlySet<string>;
}

/** A hyphen at the end of a line, between two parts of a word. */
interface Break {
  line: Line;
  before: string;
  after: string;
  /** True if the line ends within a compound, after one of its short words. */
  isInner: boolean;
  /** True if a conjunction is below. */
  isSuspended: boolean;
}

/**
 * Marks the line-end hyphens to keep when lines are joined: `open-` before `source` if the document contains `open-source`
 * elsewhere, hyphens after figures or before capitals, and hyphens of compounds such as `heavy-duty`. If the document contains
 * both parts as words but not the whole, the hyphen is kept too, unless most of its lines break within words.
 */
export function markHyphens(pages: readonly (readonly Line[])[]): void {
  const breaks = pages.flatMap(listBreaks);
  if (breaks.length === 0) return;
  const words = collectWords(pages);
  const votes = breaks.map((item) => ({ line: item.line, vote: getVote(item, words) }));
  const parted = votes.filter(({ vote }) => vote === 'parted').length;
  for (const { line, vote } of votes)
    if (vote === 'kept' || (vote === 'both' && parted < 0.5 * votes.length)) endWith(line, keptHyphen);
}

/** Turns dashes into hyphens, as the reference does. */
export function unmarkDashes(pages: readonly (readonly Line[])[]): void {
  for (const line of pages.flat()) {
    if (!line.text.includes(longDash)) continue;
    line.text = line.text.replaceAll(longDash, '-');
    for (const word of line.words) word.text = word.text.replaceAll(longDash, '-');
  }
}

/** Replaces the last character of a line and of its last word. */
function endWith(line: Pick<Line, 'text' | 'words'>, sign: string): void {
  const last = line.words.at(-1) as Word;
  last.text = last.text.slice(0, -1) + sign;
  line.text = line.text.slice(0, -1) + sign;
}

function getVote(
  { before, after, isInner, isSuspended: isOpen }: Break,
  { hyphened, whole }: Words,
): 'kept' | 'parted' | 'both' {
  const [first, second] = [before.toLowerCase(), after.toLowerCase()];
  if (isInner || hyphened.has(`${first}-${second}`) || (first === 'in' && second === 'depth')) return 'kept';
  if (whole.has(first + second)) return 'parted';
  if (isOpen && first.length > 1 && whole.has(first)) return 'kept';
  const shortest = whole.has(first) ? shortestCompound.known : shortestCompound.unknown;
  if (first.length >= shortest && compoundPart.test(second) && !prefix.test(first)) return 'kept';
  const isUpper = (text: string) => /^\p{Lu}/u.test(text);
  if (/\p{N}/u.test(before) || (isUpper(after) && /\p{Ll}/u.test(before + after.slice(1)))) return 'kept';
  return first.length > 2 && second.length > 2 && whole.has(first) && whole.has(second) ? 'both' : 'parted';
}

function listBreaks(lines: readonly Line[]): Break[] {
  return lines.flatMap((line) => {
    const before = line.text.endsWith('-') ? lastPart.exec(line.text)?.[1] : undefined;
    const next = before === undefined ? '' : (findLineBelow(line, lines)?.text ?? '');
    const after = firstPart.exec(next)?.[0];
    return before === undefined || after === undefined
      ? []
      : [{ line, before, after, isInner: innerPart.test(line.text), isSuspended: conjunction.test(next) }];
  });
}

/** The nearest overlapping line below, at most 2.5 type sizes away. */
function findLineBelow(line: Line, lines: readonly Line[]): Line | undefined {
  let nearest: Line | undefined;
  for (const other of lines) {
    const distance = line.baseline - other.baseline;
    if (distance < 0.5 * line.size || distance > 2.5 * line.size || measureOverlapX(line.box, other.box) <= 0) continue;
    if (!nearest || other.baseline > nearest.baseline) nearest = other;
  }
  return nearest;
}

function collectWords(pages: readonly (readonly Line[])[]): Words {
  const [hyphened, whole] = [new Set<string>(), new Set<string>()];
  for (const lines of pages) {
    for (const { text } of lines) {
      const isBroken = text.endsWith('-');
      const match = text.toLowerCase().match(wordPattern) ?? [];
      // The part before a line-end hyphen may be half a word.
      for (const word of isBroken ? match.slice(0, -1) : match) {
        if (!word.includes('-')) whole.add(word);
        else {
          hyphened.add(word);
          const parts = word.split('-');
          // Each pair of adjacent parts: a line may end after the second of three.
          for (let index = 1; index < parts.length; index += 1) hyphened.add(`${parts[index - 1]}-${parts[index]}`);
        }
      }
    }
  }
  return { hyphened, whole };
}
