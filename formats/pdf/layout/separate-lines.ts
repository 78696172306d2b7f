import { areIndexEntries, isIndexEntry } from '../lists/index-entries';
import { findListMark, isMark } from '../lists/lists';
import type { Line } from '../text/line';
import { isCaption } from './captions';
import { isDateOrAddress, isEdition } from './heading-texts';

/** The edges of a column's text. */
export interface ColumnEdges {
  left: number;
  right: number;
  /** The usual type size. */
  size: number;
  /** The usual right edge of lines that begin near this one. */
  margin: (line: Line) => number;
}

/** Scripts that allow line breaks between any two characters. */
const unspaced = /[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]/;
/** At this line distance, as a multiple of the type size, a line that leaves room for the next word is a paragraph. */
const minApart = 1.6;
/** Largest difference between the edges or centres of lines that are aligned, in points. */
const slack = 2;

/**
 * Splits a block at intentional line ends: in an address, the choices of a question, names below a title, a signature. There,
 * the line has room for the first word of the next one.
 */
export function splitSeparateLines(block: readonly Line[], column: ColumnEdges): Line[][] {
  if (block.length > 1 && areIndexEntries(block))
    return splitWhere(block, (above, line) => isIndexEntry(above.text) || leavesRoom(above.box.r, column.right, line));
  if (!mayBeSeparate(block)) return [[...block]];
  if (isListOfLines(block, column.right))
    return splitWhere(block, (above, line) => !isFilled(above, line, column.right));
  return splitUneven(block, column).flatMap((part) => splitWide(part, column));
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
  const longestEnd = Math.max(...block.map(({ box }) => box.r));
  // Beside a table or picture, lines are shorter than above and below it.
  const endNear = (index: number) =>
    Math.max(...block.slice(Math.max(index - 2, 0), index + 4).map(({ box }) => box.r));
  const meant = block
    .slice(1)
    .filter((line, index) => leavesRoom((block[index] as Line).box.r, endNear(index), line)).length;
  const isNarrow = longestEnd < first.box.l + 0.6 * (right - first.box.l);
  return meant >= (isNarrow ? 1 : 2) && meant >= 0.5 * (block.length - 1);
}

/** True for a line that fills the column, if the next line continues its sentence. */
function isFilled({ box, text }: Line, next: Line, right: number): boolean {
  return right - box.r < 1 && /[\p{L}\p{N},]$/u.test(text) && /^\p{Ll}/u.test(next.text);
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

/** True between an e-mail address on a line of its own and the name or town above it, or the next name below it. */
export function isBesideAddress(last: Line, next: Line): boolean {
  const isAlone = ({ text }: Line) => /^[<(]?[\w.+-]+@[\w-]+(?:\.[\w-]+)+[>)]?$/.test(text);
  if (isAlone(next)) return isAlone(last) || (last.words.length <= 5 && /\p{Lu}\S+$/u.test(last.text));
  return isAlone(last) && next.words.length <= 5 && /^\p{Lu}/u.test(next.text);
}

/** Splits centred and right-aligned lines at intentional ends. Titles are broken wherever it looks good. */
function splitUneven(block: readonly Line[], { left, right, size }: ColumnEdges): Line[][] {
  const [first] = block as [Line];
  const edges = block.map(({ box }) => box);
  const spread = (place: (box: Line['box']) => number) => Math.max(...edges.map(place)) - Math.min(...edges.map(place));
  const isUnderTitle = block.slice(1).some(({ text }) => isDateOrAddress(text) || isEdition(text));
  if (isUnderTitle && spread(({ l, r }) => (l + r) / 2) < slack) return block.map((line) => [line]);
  if (spread(({ l }) => l) < first.size || first.size > 1.1 * size || isCaption(first.text)) return [[...block]];
  const isRight = spread(({ r }) => r) < slack && Math.abs(first.box.r - right) < slack;
  const isCentred = spread(({ l, r }) => (l + r) / 2) < slack && block.every(({ bold }) => !bold);
  if (!isRight && !isCentred) return [[...block]];
  const widest = Math.max(...edges.map(({ l, r }) => r - l));
  const room = ({ l, r }: Line['box']) => (isRight ? l - left : widest - (r - l));
  return splitWhere(block, (above, line) => leavesRoom(0, room(above.box), line) && !/,$/.test(above.text));
}
