import { findLargest, findSmallest } from '../../extremes';
import { createNeighbourSearch, getReach, getRightMargin, type NeighbourSearch } from '../blocks/near-lines';
import { createOpenBlocks, type OpenBlock, sentenceEnd } from '../blocks/open-blocks';
import { sortForReading } from '../blocks/sort-for-reading';
import { createUnspacedEnds, type EndsUnspaced } from '../blocks/unspaced-ends';
import { areRightToLeft } from '../engine/characters';
import { equationNumber, listSigns } from '../formula/write-formula';
import { type Box, computeMedian, union } from '../geometry/box';
import { beginsArticle } from '../lists/ideographic-marks';
import { findLoneDashes, findLoneLetters, findProseNumbers, findUnusualMarks } from '../lists/list-marks';
import { isMark, type ListMark, findListMark } from '../lists/lists';
import { toRows } from '../table/borderless';
import { joinLines, computeTypicalLeading } from '../table/tables';
import type { Line } from '../text/line';
import { isHeadingTag } from '../text/tags';
import { isCaption } from './captions';
import { findNames, type NamesBeside } from './names-beside';
import type { Block } from './part';
import { endsFarLeft, isBesideAddress, isTermAbove, leavesBlock, splitSeparateLines } from './separate-lines';

/** Joins all lines into one block, even if the rules would split them. */
export function joinBlock(lines: readonly Line[]): Block {
  const isRtl = areRightToLeft(lines);
  const rows = toRows(lines).map(({ lines: row }) => {
    if (row.length === 1) return row[0] as Line;
    if (row.every(({ mono }) => mono)) return mergeCode(row);
    return mergeLines(isRtl ? row.toReversed() : row);
  });
  return toBlock(rows, new Map());
}

/** Blocks of one column, in reading order; with `rtl`, lines start at the right. */
export function buildBlocks(lines: readonly Line[], rtl = false): Block[] {
  const marks = findUnusualMarks(lines);
  const dashes = findLoneDashes(lines);
  if (!rtl)
    return sortForReading(
      collectLines(lines).map((block) => {
        const built = toBlock(block, marks);
        return dashes.has(block[0] as Line) ? toNote(built) : built;
      }),
    );
  // Mirrored, right-to-left text follows the rules for left-to-right text.
  const original = new Map(lines.map((line) => [flipLine(line), line]));
  const flipBack = (line: Line) => original.get(line) ?? flipLine(line);
  return sortForReading(collectLines([...original.keys()]).map((block) => toBlock(block.map(flipBack), marks)));
}

/** Turns a list item into plain text that Markdown readers do not take for a list item either. */
function toNote(block: Block): Block {
  return { ...block, mark: undefined, text: block.text.replace(/^- /, '\u2014 ').replace(/^\* /, '*') };
}

function flipLine(line: Line): Line {
  return { ...line, box: flip(line.box), words: line.words.map((word) => ({ ...word, box: flip(word.box) })) };
}

function flip({ l, r, b, t }: Box): Box {
  return { l: -r, r: -l, b, t };
}

function collectLines(lines: readonly Line[]): Line[][] {
  const leadings = new Map<number, number>();
  const getLeading = (size: number) => {
    const key = Math.round(size * 2);
    const leading = leadings.get(key) ?? computeTypicalLeading(lines, size);
    leadings.set(key, leading);
    return leading;
  };
  const open = createOpenBlocks(lines);
  const margin = getRightMargin(lines);
  const marks = findUnusualMarks(lines);
  const prose = new Set([...findProseNumbers(lines), ...findLoneLetters(lines)]);
  const notes = findLoneDashes(lines);
  const rows = toRows(lines);
  const names = findNames(rows);
  const near = createNeighbourSearch(lines);
  const endsUnspaced = createUnspacedEnds(lines);
  for (const { lines: row } of rows) {
    for (const line of joinSpaced(row, near)) {
      const above = marks.has(line) && !prose.has(line) ? undefined : open.findAbove(line, names.names);
      // A monospaced line within a paragraph is spaced as the paragraph.
      const last = above?.lines.at(-1);
      const size = last && last.mono !== line.mono ? last.size : line.size;
      const column = { leading: getLeading(size), margin, isProse: prose.has(line), notes, names, endsUnspaced };
      if (above && continues(above, line, column)) open.extend(above, line);
      else open.start(line);
    }
  }
  const column = {
    left: findSmallest(lines.map(({ box }) => box.l)),
    right: findLargest(lines.map(({ box }) => box.r)),
    size: computeMedian(lines.map(({ size }) => size)),
    margin,
    reach: getReach(lines),
  };
  return open.blocks.flatMap((block) => splitSeparateLines(block.lines, column));
}

/** Joins pieces of a justified line with wide gaps if a line above or below spans the same width. */
function joinSpaced(row: readonly Line[], hasNeighbour: NeighbourSearch): Line[] {
  if (row.length < 2) return [...row];
  if (row.every(({ mono }) => mono)) return [mergeCode(row)];
  // The number in the margin belongs to the equation.
  if (row.length === 2 && equationNumber.test((row[1] as Line).text) && /[=<>≤≥≈∈→]/.test((row[0] as Line).text))
    return [mergeLines(row)];
  if (isNumberedTitle(row)) return [mergeLines(row)];
  const whole = union(row.map(({ box }) => box));
  const size = (row[0] as Line).size;
  const isGap = row.every((line, index) => index === 0 || line.box.l - (row[index - 1] as Line).box.r < 2.5 * size);
  if (!isGap || !hasNeighbour(whole, row[0] as Line)) return [...row];
  return [mergeLines(row)];
}

/** A section number of several levels, alone. */
const sectionNumber = /^\d{1,2}(?:\.(?:\d{1,2}|[A-Z])){1,6}\.?$/;

/** True for the number of an italic heading, apart from its title. Those of bold headings are in one line with it already. */
function isNumberedTitle(row: readonly Line[]): boolean {
  const [number, title] = row as [Line, Line];
  if (row.length !== 2 || !number.italic || !title.italic || !sectionNumber.test(number.text)) return false;
  const gap = (title.box.l - number.box.r) / title.size;
  return gap < 6 && Math.abs(title.size - number.size) < 0.3 && /^\p{L}/u.test(title.text);
}

/** Joins code on one baseline, with as many spaces between the pieces as their distance allows. */
function mergeCode(row: readonly Line[]): Line {
  const [first, ...others] = row as [Line, ...Line[]];
  const letter = Math.max((first.box.r - first.box.l) / Math.max(first.text.length, 1), 1);
  const text = others.reduce(
    (line, { text: piece, box }) =>
      line.padEnd(Math.max(Math.round((box.l - first.box.l) / letter), line.length + 1)) + piece,
    first.text,
  );
  return { ...mergeLines(row), text };
}

/** Merges lines on one baseline into one line. */
export function mergeLines(row: readonly Line[]): Line {
  const first = row[0] as Line;
  return {
    ...first,
    text: row.map(({ text }) => text).join(' '),
    words: row.flatMap(({ words }) => words),
    box: union(row.map(({ box }) => box)),
    bold: row.every(({ bold }) => bold),
    italic: row.every(({ italic }) => italic),
    mono: row.every(({ mono }) => mono),
    order: findSmallest(row.map(({ order }) => order)),
    ...(first.signs ? { signs: row.flatMap(listSigns) } : {}),
  };
}

/** The start of a note below a table, whatever precedes it. */
const noteLead = /^(?:NOTES?|SOURCES?|Notes?|Sources?|Quellen?|Anmerkung)[:.]\s/;

/** The marks of notes below a table; a second one begins another note. */
const starMark = /^(?:\*{1,6}|[†‡§¶#]{1,2})\s?[\p{L}(]/u;

interface Column {
  leading: number;
  margin: (line: Line) => number;
  /** True if the number at the start of the line is not a list number. */
  isProse: boolean;
  /** Lines that begin with a dash but are not list items. */
  notes: ReadonlySet<Line>;
  names: NamesBeside;
  endsUnspaced: EndsUnspaced;
}

function continues(open: OpenBlock, line: Line, column: Column): boolean {
  const { leading, margin, isProse, notes, names } = column;
  const block = open.lines;
  const last = block.at(-1) as Line;
  const first = block[0] as Line;
  const distance = last.baseline - line.baseline;
  if (last.isFormula || line.isFormula) return false;
  if (last.tag !== line.tag && (isHeadingTag(last.tag) || isHeadingTag(line.tag))) return false;
  if (line.words[0]?.raised && /^(?:\d{1,3}\)?|[a-z*†‡])$/.test(line.words[0].text)) return false;
  if (noteLead.test(line.text) && !line.bold) return false;
  const isFull = last.box.r >= margin(last) - 3 * line.size;
  if (beginsArticle(line, last, isFull)) return false;
  if (startsWithTitle(first) && startsWithTitle(line) && sentenceEnd.test(last.text)) return false;
  if (!line.mono && starMark.test(first.text) && starMark.test(line.text)) return false;
  // A printed bullet before monospaced words starts an item; an operator in code does not.
  if (line.words[0]?.font.mono === false && !isProse && findListMark(line)) return false;
  // Code below a paragraph whose last line is a monospaced name begins after white space.
  const room = first.mono ? 3.2 * line.size : 1.3 * leading;
  if (last.mono && line.mono) return distance < room && !names.names.has(last) && !names.names.has(line);
  const isBroken = isBrokenWord(last, line) && distance < 1.3 * leading;
  if (last.mono !== line.mono && !isBroken && !isRunOn(last, line, leading, margin)) return false;
  // Monospaced names are often smaller than the text around them.
  const isName = last.mono !== line.mono && Math.min(last.size, line.size) > 0.8 * Math.max(last.size, line.size);
  if (!isSizedLike(last, line) && !isBroken && !isName) return false;
  const isFar = distance > Math.max(1.3 * leading, 1.15 * line.size) || distance > 2.2 * line.size;
  if (isCaptionBelow(last, line, isFull)) return false;
  if (isFar && !(isFull && distance < maxSpaced * line.size && isMidSentence(last, line))) return false;
  // A caption is slightly smaller than the text below it.
  if (isCaption(first.text) && Math.abs(last.size - line.size) > 0.04 * line.size) return false;
  const isOtherType = last.family !== line.family || last.italic !== line.italic;
  if (isOtherType && !isBroken && !isName && Math.abs(last.size - line.size) > 0.04 * line.size) return false;
  if (block.every(({ italic }) => italic) && !line.italic && leavesItalic(last, line)) return false;
  const isInStyle = isPlainBreak(last, line) || (isFull && isBoldBreak(last, line));
  if (last.bold !== line.bold && !isInStyle && (last.bold ? open.bold : line.bold)) return false;
  if (!isProse && findListMark(line)) return false;
  if (names.described.has(line) && /^[\p{Lu}\p{N}]/u.test(line.text)) return false;
  const mark = notes.has(first) && !sentenceEnd.test(last.text) ? undefined : findListMark(first);
  if (mark && leavesItem(block, line, isFull)) return false;
  const indent = (line.box.l - last.box.l) / line.size;
  const isIndented = isFull ? indent > 0.8 : indent > 0.6 && sentenceEnd.test(last.text);
  if (isIndented && !(mark && block.length === 1) && block.length > 1) return false;
  if (!mark && !isFull && startsIndented(last, line, margin)) return false;
  if (!mark && block.length === 1 && isTermAbove(last, line, Math.max(margin(last), margin(line)))) return false;
  if (!mark && leavesBlock(block, line, Math.max(margin(last), margin(line)))) return false;
  if (isEntryOfContents(first, line, isFull)) return false;
  if (line.words[0]?.text.startsWith('※')) return false;
  if (column.endsUnspaced(block, line, Math.max(margin(last), margin(line)))) return false;
  return !endsParagraph(open, line, margin) || isTitleBreak(last, line);
}

/** True for a caption below text that ends there. A sentence may go on with "Table 3 shows" as well. */
function isCaptionBelow(last: Line, line: Line, isFull: boolean): boolean {
  if (!isCaption(line.text) || (!sentenceEnd.test(last.text) && mentionStart.test(line.text))) return false;
  return !isFull || Math.abs(last.box.l - line.box.l) > 2 * line.size;
}

/** A word, a number, and a word in small letters or a comma. */
const mentionStart = /^\p{L}+\.?\s\S*\d\S*?(?:,|\s\p{Ll})/u;

/** True for bold words with a full stop or colon before plain text: the title of a paragraph, on its first line. */
function startsWithTitle({ words, bold }: Line): boolean {
  const end = words.findIndex(({ font }) => !font.bold);
  return !bold && end > 0 && /[.:?]$/.test((words[end - 1] as Line['words'][number]).text);
}

/** True for an upright sentence that begins elsewhere than the italic lines above it: speech below a stage direction. */
function leavesItalic(last: Line, line: Line): boolean {
  return Math.abs(last.box.l - line.box.l) > 0.8 * line.size && /[.!?)]$/.test(last.text) && /^\p{Lu}/u.test(line.text);
}

/**
 * True for a line left of an item, or left of its hanging text. An item whose first line is indented continues at the margin in
 * the middle of its sentence.
 */
function leavesItem(block: readonly Line[], line: Line, isFull: boolean): boolean {
  const [first, last] = [block[0] as Line, block.at(-1) as Line];
  const isHanging = block.length > 1 && last.box.l > first.box.l + line.size;
  if (isHanging && line.box.l < last.box.l - 0.5 * line.size && /^\p{Lu}/u.test(line.text)) return true;
  const outdent = (first.box.l - line.box.l) / line.size;
  if (outdent < 0.3 || (block.length > 1 && Math.abs(last.box.l - line.box.l) < 1)) return false;
  const isIndented = block.length === 1 && isFull && outdent > 0.8 && outdent < 3;
  return !(isIndented && /^\p{Ll}/u.test(line.text) && /[\p{L},]$/u.test(last.text));
}

/** True for lines of one type size, and if the words on both sides of the line break have one, after smaller words. */
function isSizedLike(last: Line, line: Line): boolean {
  const isClose = (a: number, b: number) => Math.abs(a - b) <= 0.12 * Math.max(a, b);
  if (isClose(last.size, line.size)) return true;
  const [end, start] = [last.words.at(-1), line.words[0]];
  return last.words.length > 4 && last.size < line.size && !!end && !!start && isClose(end.size, start.size);
}

/** Largest line distance, as a multiple of the type size, within one paragraph when a sentence continues. */
const maxSpaced = 2.7;

/** True if the next line starts in lower case at the left margin of the line above, which does not end a sentence. */
function isMidSentence(last: Line, line: Line): boolean {
  const isBelow = Math.abs(last.box.l - line.box.l) < 1 || last.box.l - line.box.l > 1.5 * line.size;
  const isAlike = last.family === line.family && last.bold === line.bold && last.words.length > 5;
  return isAlike && isBelow && /^\p{Ll}/u.test(line.text) && /[\p{L},]$/u.test(last.text);
}

/** True if the words on both sides of the line break are not bold, though other words in the lines are. */
function isPlainBreak(last: Line, line: Line): boolean {
  return last.words.at(-1)?.font.bold === false && line.words[0]?.font.bold === false;
}

/** True if bold words within a sentence continue in the next line, which they may fill. */
function isBoldBreak(last: Line, line: Line): boolean {
  const [end, start] = [last.words.at(-1), line.words[0]];
  return (
    !last.bold &&
    last.words.length > 4 &&
    end?.font.bold === true &&
    start?.font.bold === true &&
    /^\p{Ll}/u.test(line.text)
  );
}

/** True if the line break splits a word, in one font, at a hyphen; the rest of the second line may be monospaced. */
function isBrokenWord(last: Line, line: Line): boolean {
  const [end, start] = [last.words.at(-1), line.words[0]];
  if (!end || !start || last.mono || end.font.mono || Math.abs(last.box.l - line.box.l) > 2.5 * last.size) return false;
  const isOneFont = end.font.name === start.font.name && Math.abs(end.size - start.size) < 0.5;
  return isOneFont && /\p{L}[-\u2010]$/u.test(end.text) && /^\p{Ll}/u.test(start.text);
}

/**
 * A monospaced name may begin and fill a line of a paragraph or item: the line before it has no room for it, and both start at the
 * same margin.
 */
function isRunOn(last: Line, line: Line, leading: number, margin: (line: Line) => number): boolean {
  const [word] = line.words;
  const needed = word && line.mono ? word.box.r - word.box.l : 0;
  const start = last.words[findListMark(last)?.words ?? 0]?.box.l ?? last.box.l;
  return (
    last.baseline - line.baseline < 1.1 * leading &&
    (Math.abs(last.box.l - line.box.l) < 1 || Math.abs(start - line.box.l) < 1 || isFirstLine(last, line)) &&
    last.box.r > margin(last) - Math.max(needed, 4 * last.size) &&
    !/[:.]$/.test(last.text)
  );
}

/** True for a plain line with the indent of a paragraph, as wide as the next one. */
function isFirstLine(first: Line, { box, size }: Line): boolean {
  const indent = (first.box.l - box.l) / size;
  return !first.mono && indent > 0.8 && indent < 2.5 && Math.abs(first.box.r - box.r) < 1;
}

/** True for a line with the indent of a paragraph below a line that leaves room for several of its words. */
function startsIndented(last: Line, line: Line, margin: (line: Line) => number): boolean {
  const indent = (line.box.l - last.box.l) / line.size;
  const [word] = line.words;
  if (!word || indent < 0.8 || indent > 4 || !/^[\p{Lu}"'“„«([]/u.test(line.text)) return false;
  const end = last.box.r + 2 * (word.box.r - word.box.l) + 2 * line.size;
  return end < margin(last) && end < line.box.r && !last.bold && !/[,–—-]$/.test(last.text);
}

/**
 * True for the next section in a list of contents: both lines begin with a number, the second one with several levels. Below a
 * line that fills the column, both have several.
 */
function isEntryOfContents(first: Line, line: Line, isFull: boolean): boolean {
  if (!/^(?:[A-Z]|\d{1,3})(?:\.\d{1,3})+\.?\s+\p{Lu}/u.test(line.text)) return false;
  return (isFull ? /^(?:[A-Z]|\d{1,3})(?:\.\d{1,3})+\.?\s/ : /^(?:[A-Z]|\d{1,3})(?:\.\d{1,3})*\.?\s/).test(first.text);
}

/** True if the next line's first word would have fitted on this line, so the break is intentional. */
function endsParagraph(block: OpenBlock, next: Line, margin: (line: Line) => number): boolean {
  const last = block.lines.at(-1) as Line;
  const firstWord = next.words[0];
  if (!firstWord || isMark(last.text)) return false;
  const needed = firstWord.box.r - firstWord.box.l + last.size;
  // A much longer line below shows that the text is at least that wide.
  const isBelow = Math.abs(next.box.l - last.box.l) < 1;
  const isShort =
    (findLocalEdge(block, next) ?? margin(last)) - last.box.r > needed ||
    (isBelow && next.box.r - last.box.r > needed + 1.5 * last.size);
  if (isBesideAddress(last, next) || (isShort && isBelow && endsFarLeft(block.lines, next))) return true;
  return isShort && sentenceEnd.test(last.text) && /^[\p{Lu}\p{Lo}\p{N}("'[]/u.test(next.text);
}

/** The right edge of at least four lines of running text, which may be narrower than the column, as beside a picture. */
function findLocalEdge({ lines, box, ends }: OpenBlock, next: Line): number | undefined {
  if (lines.length < 4 || ends > 0.4 * lines.length) return undefined;
  return Math.max(next.box.r, box.r);
}

/** True for a break after the colon of a bold title, because authors break titles wherever it looks good. */
function isTitleBreak(last: Line, next: Line): boolean {
  return last.bold && next.bold && last.size === next.size && last.words.length > 4 && last.text.endsWith(':');
}

function toBlock(lines: readonly Line[], marks: ReadonlyMap<Line, ListMark | undefined>): Block {
  const first = lines[0] as Line;
  const mono = lines.every((line) => line.mono);
  return {
    lines: [...lines],
    box: union(lines.map(({ box }) => box)),
    text: mono && lines.length > 1 ? joinCodeLines(lines) : joinLines(lines.map(({ text }) => text)),
    size: lines.length > 1 ? ((lines[1] as Line).size + first.size) / 2 : first.size,
    bold: lines.every(({ bold }) => bold),
    italic: lines.every(({ italic }) => italic),
    mono,
    family: first.family,
    ...(first.tag !== undefined && lines.every(({ tag }) => tag === first.tag) ? { tag: first.tag } : {}),
    mark: marks.has(first) ? marks.get(first) : findListMark(first),
    order: findSmallest(lines.map(({ order }) => order)),
  };
}

/** Keeps the line breaks of code, and its indents as spaces of character width. */
function joinCodeLines(lines: readonly Line[]): string {
  const left = findSmallest(lines.map(({ box }) => box.l));
  const getDistance = (index: number) => (lines[index - 1] as Line).baseline - (lines[index] as Line).baseline;
  // Widely set code has no blank line below each of its lines.
  const usual = findSmallest(lines.slice(1).map((_, index) => getDistance(index + 1)));
  return lines
    .map((line, index) => {
      const width = (line.box.r - line.box.l) / Math.max(line.text.length, 1);
      const isAfterBlank = index > 0 && getDistance(index) > Math.max(1.8 * line.size, 1.5 * usual);
      return (
        (isAfterBlank ? '\n' : '') +
        ' '.repeat(Math.max(0, Math.round((line.box.l - left) / Math.max(width, 1)))) +
        line.text
      );
    })
    .join('\n');
}
