import { findLargest, findSmallest } from '../../extremes';
import { computeMedian } from '../geometry/box';
import { areIndexEntries, isIndexEntry } from '../lists/index-entries';
import { findListMark, isMark } from '../lists/lists';
import type { Line } from '../text/line';
import { isCaption } from './captions';
import { isDateOrAddress, isEdition } from './heading-texts';

/** The edges of a column's text. */
export interface ColumnEdges {
  left: number;
  right: number;
  /** The largest right edge of long lines that begin at the same place as this one. */
  reach: (line: Line) => number;
  /** The usual type size. */
  size: number;
  /** The usual right edge of lines that begin near this one. */
  margin: (line: Line) => number;
}

/** Scripts that allow line breaks between any two characters. */
const unspaced = /[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]/;
/** At this line distance, as a multiple of the type size, a line that leaves room for the next word is a paragraph. */
const minApart = 1.6;
/** A line that ends this far before the right edge, as a share of the column's width, ends intentionally. */
const wideRoom = 0.35;
/** More lines of that many words are a paragraph, however narrow. */
const narrow = { lines: 3, words: 3 };
/** A line with a label and more words is text. */
const maxLabelled = 6;
/** A line that ends in a comma and has more words goes on below. */
const maxGreeting = 3;
/** Largest difference between the edges or centres of lines that are aligned, in points. */
const slack = 2;

/**
 * Splits a block at intentional line ends: in an address, the choices of a question, names below a title, a signature. There,
 * the line has room for the first word of the next one.
 */
export function splitSeparateLines(block: readonly Line[], column: ColumnEdges): Line[][] {
  if (block.length > 1 && areValues(block)) return block.map((line) => [line]);
  if (block.length > 1 && block.slice(0, -1).every((line, index) => endsInBlank(line, block[index + 1] as Line)))
    return block.map((line) => [line]);
  if (block.length > 1 && areIndexEntries(block))
    return splitWhere(block, (above, line) => isIndexEntry(above.text) || leavesRoom(above.box.r, column.right, line));
  if (!mayBeSeparate(block)) return [[...block]];
  if (areShortLines(block, column.size)) return block.map((line) => [line]);
  if (isListOfLines(block, column.right))
    return splitWhere(block, (above, line) => !isFilled(above, line, column.right) && !endsOpen(above));
  return splitUneven(block, column).flatMap((part) =>
    splitWide(part, column).flatMap((lines) => splitShort(lines, column)),
  );
}

/** True for lines with a name, a setting or a label with its value each. In monospaced type, they are code, which is kept together. */
function areValues(block: readonly Line[]): boolean {
  if (block.some(({ mono }) => mono)) return false;
  return areIdentifiers(block) || block.every(isSetting) || block.every(isLabelled);
}

/** True for names on lines of their own, but not for an address that is broken over several lines. */
function areIdentifiers(block: readonly Line[]): boolean {
  const isAddress = ({ text }: Line) => /^(?:\w+:\/\/|www\.)/.test(text);
  const [first] = block as [Line];
  return block.every(isIdentifier) && (!isAddress(first) || block.every(isAddress));
}

/** True for a line that is a name in a program or a file, which no author breaks a sentence around. */
function isIdentifier({ text, words }: Line): boolean {
  return (
    words.length === 1 &&
    /^[\p{L}_.$/:-][\p{L}\p{N}_.$/:()-]*$/u.test(text) &&
    /\p{Ll}\p{Lu}|\p{L}[_/]\p{L}/u.test(text)
  );
}

/** True for a label with its value: "Datum: 02.09.2024", "Telefax 03999 555". */
function isLabelled({ text, words }: Line): boolean {
  if (words.length > maxLabelled) return false;
  return startsWithLabel(text) || /^(?:tel|fax|phone|telephone|telefon|telefax|mobile|mobil)\.? [+(]?\d/i.test(text);
}

/** True for a line of a form that ends in a blank to be filled in, unless the sentence continues below. */
function endsInBlank({ text }: Line, next: Line): boolean {
  return /_{3}[.:]?$/.test(text) && !/^\p{Ll}/u.test(next.text);
}

/** True for a line that gives a name its value: "TmpDirSize = 900". */
function isSetting({ text }: Line): boolean {
  return /^[^\s=]+(?: [^\s=]+){0,3} = [^=]+$/.test(text);
}

/**
 * True for a line above text that begins further to the right, if it has room for the first word of this text: a heading or term
 * above its description. The second of two centred lines reaches less far.
 */
export function isTermAbove(above: Line, line: Line, margin: number): boolean {
  const edge = Math.max(margin, line.box.r);
  const indent = (line.box.l - above.box.l) / line.size;
  // A hanging paragraph may be filled to a margin of its own.
  const isSentence = /^\p{Ll}/u.test(line.text) && edge - above.box.r < wideRoom * (edge - above.box.l);
  return indent > 0.9 && line.box.r > above.box.r && !isSentence && leavesRoom(above.box.r, edge, line);
}

function mayBeSeparate(block: readonly Line[]): boolean {
  const [first] = block;
  if (!first || block.length < 2 || findListMark(first)) return false;
  if (block.some(({ mono, isFormula, text }) => mono || isFormula || unspaced.test(text))) return false;
  // A hyphenated word continues on the next line.
  return !block.slice(0, -1).some(({ text }) => /\p{L}[-\u2010]$/u.test(text));
}

/** True for lines with one left edge if at least half have room for the first word of the next line. */
function isListOfLines(block: readonly Line[], right: number): boolean {
  const [first] = block as [Line];
  if (block.length < 3 || block.some(({ bold, box }) => bold || Math.abs(box.l - first.box.l) > 1)) return false;
  const longestEnd = findLargest(block.map(({ box }) => box.r));
  // Beside a table or picture, lines are shorter than above and below it.
  const endNear = (index: number) =>
    findLargest(block.slice(Math.max(index - 2, 0), index + 4).map(({ box }) => box.r));
  const meant = block
    .slice(1)
    .filter((line, index) => leavesRoom((block[index] as Line).box.r, endNear(index), line)).length;
  const isNarrow = longestEnd < first.box.l + 0.6 * (right - first.box.l);
  return meant >= (isNarrow ? 1 : 2) && meant >= 0.5 * (block.length - 1);
}

/** Fewer lines may all begin with a capital by chance; lines of more words are text. */
const capitals = { minLines: 3, maxWords: 10 };

/** The postal code and town of an address: "04107 Leipzig". */
const postalTown = /^\d{4,5} \p{Lu}[\p{L} -]+$/u;

/**
 * True for the lines of an address, a list without bullets or a verse: each begins as a sentence or name does, and at least one
 * has room for the first word of the next one, which no line within a paragraph has. Titles are broken wherever it looks good.
 */
function areShortLines(block: readonly Line[], size: number): boolean {
  const [first] = block as [Line];
  const end = findLargest(block.map(({ box }) => box.r));
  if (block.length < capitals.minLines || isCaption(first.text) || block.every(({ words }) => words.length < 2))
    return false;
  if (block.some(({ bold, words }) => bold || words.length > capitals.maxWords)) return false;
  if (first.size > 1.1 * size || !block.some(({ text }) => /\p{Ll}/u.test(text))) return false;
  const places = block.map(({ box }) => box.l + box.r);
  const isCentred = findLargest(places) - findSmallest(places) < 2 * slack;
  if (isCentred && block.some(({ box }) => Math.abs(box.l - first.box.l) > 1)) return false;
  if (!block.every(({ text }) => /^["'“„«([]?[\p{Lu}\p{N}+]/u.test(text))) return false;
  if (block.slice(0, -1).some(({ text }) => /(?:^|\s)\p{Ll}{1,3}$/u.test(text))) return false;
  return block.slice(1).some((line, index) => {
    const above = block[index] as Line;
    // Within a paragraph, only the first line is indented.
    const isContact = postalTown.test(line.text) || telephone.test(line.text);
    return isContact || leavesRoom(above.box.r, end, line) || (index > 0 && above.box.l - line.box.l > 0.8 * line.size);
  });
}

/** True for a line that fills the column, if the next line continues its sentence. */
function isFilled({ box, text }: Line, next: Line, right: number): boolean {
  return right - box.r < 1 && /[\p{L}\p{N},]$/u.test(text) && /^\p{Ll}/u.test(next.text);
}

/**
 * True for a line that ends in a conjunction, an article or a preposition, in several languages. Particles are left out, because
 * lines end in them, too ("Log in"), as are units ("Weight kg").
 */
function endsOpen({ text }: Line): boolean {
  return /\p{L}{3,} (?:of|or|and|the|by|de|du|des|di|da|et|ou|le|la|el|y|und|oder|der|von)$/u.test(text);
}

function leavesRoom(end: number, edge: number, next: Line): boolean {
  const { box } = next.words[0] as Line['words'][number];
  return end + box.r - box.l + 0.4 * next.size < edge;
}

/** Splits lines with wide spacing if they have room for the next word. */
function splitWide(block: readonly Line[], { margin }: ColumnEdges): Line[][] {
  return splitWhere(block, (above, line) => {
    const isWide = above.baseline - line.baseline > minApart * line.size;
    return isWide && leavesRoom(above.box.r + 0.6 * above.size, margin(above), line);
  });
}

/** Splits plain lines that leave much of the column empty before a line that may begin a sentence: a greeting, a setting. */
function splitShort(block: readonly Line[], { margin, reach, size }: ColumnEdges): Line[][] {
  const [first] = block as [Line];
  if (isCaption(first.text) || first.size > 1.1 * size) return [[...block]];
  const isBold = block.every(({ bold }) => bold);
  const right = findLargest(block.map(({ box }) => box.r));
  const isNarrow = block.length > narrow.lines && computeMedian(block.map(({ words }) => words.length)) >= narrow.words;
  return splitWhere(block, (above, line) => {
    const edge = isNarrow ? right : Math.max(margin(above), reach(above), right);
    if (Math.abs(above.box.l - line.box.l) >= 1 || !leavesRoom(above.box.r, edge, line)) return false;
    if (startsEntry(above.text) && startsEntry(line.text)) return true;
    return edge - above.box.r > wideRoom * (edge - above.box.l) && mayEnd(above, line, isBold);
  });
}

/** True if what is above may be complete. Bold titles are broken wherever it looks good, beside pictures any text is narrow. */
function mayEnd({ text, words }: Line, line: Line, isBold: boolean): boolean {
  if (/[.;]$/.test(text) || startsWithLabel(line.text)) return true;
  // In a sentence, a telephone number may begin a line.
  if (telephone.test(line.text) && (words.length <= maxLabelled || /[,:!?]$/.test(text))) return true;
  if (isBold || /(?:^|[^\d]\s)\p{Ll}{1,3}$/u.test(text)) return false;
  if (/[,:!?]$/.test(text)) return words.length <= maxGreeting;
  return /^["'“„«([]?[\p{Lu}\p{N}]/u.test(line.text);
}

/** A telephone number on a line of its own. */
const telephone = /^[+(]?\d[\d ()/-]{7,17}\d$/;

/** True for a word before a colon, as in "cc: Mr Smith". */
function startsWithLabel(text: string): boolean {
  return /^\p{L}[\p{L}.-]{1,14}: \S/u.test(text);
}

/** True for a line that begins with a label of a few words: "Place of delivery: northern pier". */
function startsEntry(text: string): boolean {
  return /^\p{Lu}[^\s:;,.]*(?: [^\s:;,.]+){0,4}: \S/u.test(text);
}

function splitWhere(block: readonly Line[], isParted: (above: Line, line: Line) => boolean): Line[][] {
  const split: Line[][] = [];
  for (const line of block) {
    const part = split.at(-1);
    const above = part?.at(-1);
    if (part && above && !isParted(above, line)) part.push(line);
    else split.push([line]);
  }
  return split;
}

/** True for a line much shorter than its neighbours that a capital follows: the owner of a copyright, then its licence. */
export function endsFarLeft(block: readonly Line[], next: Line): boolean {
  const [above, last] = [block.at(-2), block.at(-1) as Line];
  const width = next.box.r - next.box.l;
  const isStepped = (edge: number) => edge - last.box.r > 0.3 * width;
  if (next.words.length < 5 || last.bold || next.bold || last.family !== next.family || isMark(last.text)) return false;
  return (
    isStepped(next.box.r) &&
    (!above || isStepped(above.box.r)) &&
    /^\p{Lu}\p{Ll}/u.test(next.text) &&
    /[\p{L}\p{N})>]$/u.test(last.text)
  );
}

/** True for a line to the left of a block whose lines begin at one place, if its last line has room for the next word. */
export function leavesBlock(block: readonly Line[], line: Line, margin: number): boolean {
  const last = block.at(-1) as Line;
  if (last.box.l - line.box.l <= line.size || block.some(({ box }) => Math.abs(box.l - last.box.l) >= 1)) return false;
  const mayBegin = block.length > 1 || (/^\p{Lu}/u.test(line.text) && /[.;:!?]$/.test(last.text));
  const isCentred = Math.abs(last.box.l + last.box.r - line.box.l - line.box.r) < 2 * slack;
  return mayBegin && !isCentred && leavesRoom(last.box.r, Math.max(margin, line.box.r), line);
}

/** True between an e-mail address on a line of its own and the name or town above it, or the next name below it. */
export function isBesideAddress(last: Line, next: Line): boolean {
  const isAlone = ({ text }: Line) => /^[<(]?[\w.+-]+@[\w-]+(?:\.[\w-]+)+[>)]?$/.test(text);
  if (isAlone(next)) return isAlone(last) || (last.words.length <= 5 && /(?:\p{Lu}\S+|\d)$/u.test(last.text));
  return isAlone(last) && next.words.length <= 5 && /^\p{Lu}/u.test(next.text);
}

/** Splits centred and right-aligned lines at intentional ends. Titles are broken wherever it looks good. */
function splitUneven(block: readonly Line[], { left, right, size }: ColumnEdges): Line[][] {
  const [first] = block as [Line];
  const edges = block.map(({ box }) => box);
  const spread = (place: (box: Line['box']) => number) =>
    findLargest(edges.map(place)) - findSmallest(edges.map(place));
  const isUnderTitle = block.slice(1).some(({ text }) => isDateOrAddress(text) || isEdition(text));
  if (isUnderTitle && spread(({ l, r }) => (l + r) / 2) < slack) return block.map((line) => [line]);
  if (spread(({ l }) => l) < first.size || first.size > 1.1 * size || isCaption(first.text)) return [[...block]];
  const isRight = spread(({ r }) => r) < slack && Math.abs(first.box.r - right) < slack;
  const isCentred = spread(({ l, r }) => (l + r) / 2) < slack && block.every(({ bold }) => !bold);
  if (!isRight && !isCentred) return [[...block]];
  const widest = findLargest(edges.map(({ l, r }) => r - l));
  const isInMiddle = isCentred && Math.abs(first.box.l + first.box.r - left - right) < 2 * slack;
  // Far from both edges of the column, lines are broken where the author wants it.
  const width = isInMiddle && widest < 0.6 * (right - left) ? right - left : widest;
  const room = ({ l, r }: Line['box']) => (isRight ? l - left : width - (r - l));
  return splitWhere(
    block,
    (above, line) =>
      leavesRoom(0, room(above.box), line) && !/,$/.test(above.text) && !(width > widest && /^\p{Ll}/u.test(line.text)),
  );
}
