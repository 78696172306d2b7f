import { groupBy } from '../geometry/group-by';
import { isDate } from '../layout/heading-texts';
import type { Line, Word } from '../text/line';
import { findIdeographicMarks } from './ideographic-marks';
import { type ListMark, findListMark, isProxy } from './lists';

/** A list item whose number, such as [7], stays in its text. */
const unmarked: ListMark = { marker: '', enumerated: false, words: 0 };
/** Excludes vowels and 'y', which start lines by chance in too many languages. */
const bulletLetter = /^[bcdfghj-np-tv-xz]$/;
const bracketed = /^\[(\d{1,3})\]$/;
const dashed = /^(\d{1,2})-$/;

/**
 * Marks that depend on other lines. [7] at the start of a line is a reference number when another line starts with [6] or [8].
 * `3-` numbers a note when `2-` or `4-` starts another line. The same lower-case consonant at the start of three lines, at the
 * same x, is a bullet with a wrong character code. The initial in "A. Author" is not a mark, unless another line starts with the
 * letter before or after it; nor is a later letter, as in "(X) Not applicable", that is the only one in the column, nor the day of a
 * date. "i. V. Kumar" is an item where another line starts with "ii."
 */
export function findUnusualMarks(lines: readonly Line[]): Map<Line, ListMark | undefined> {
  const marks = new Map<Line, ListMark | undefined>();
  const numbers = new Set<number>();
  const lettersAtStart: Line[] = [];
  const numbered: { line: Line; number: number }[] = [];
  for (const line of lines) {
    const first = line.words[0];
    if (!first || line.words.length < 2) continue;
    const number = Number(bracketed.exec(first.text)?.[1] ?? 0);
    if (number > 0) numbered.push({ line, number });
    numbers.add(number);
    if (bulletLetter.test(first.text)) lettersAtStart.push(line);
  }
  const dashes = lines.filter(({ words }) => words.length > 1 && dashed.test((words[0] as Word).text));
  const counted = new Set(dashes.map((line) => computeDashNumber(line)));
  const letters = groupBy(lettersAtStart, ({ words, box }) => `${(words[0] as Word).text}${Math.round(box.l)}`);
  const initials = new Map(lines.filter(isName).map((line) => [line, line.text.charCodeAt(0)]));
  const lettered = new Set(lines.flatMap(({ text }) => (/^[A-Z]\. /.test(text) ? [text.charCodeAt(0)] : [])));
  for (const [line, code] of initials)
    if (!lettered.has(code - 1) && !lettered.has(code + 1)) marks.set(line, undefined);
  for (const line of findLoneLetters(lines)) marks.set(line, undefined);
  for (const line of lines) if (isDayFirst(line)) marks.set(line, undefined);
  if (lines.some(({ words }) => words[0]?.text === 'ii.'))
    for (const line of lines) if (isProxy(line.words)) marks.set(line, { marker: 'i.', enumerated: true, words: 1 });
  for (const line of lines) if (startsInline(line, lines)) marks.set(line, undefined);
  for (const { line, number } of numbered)
    if (numbers.has(number - 1 || -1) || numbers.has(number + 1)) marks.set(line, unmarked);
  for (const line of dashes)
    if (counted.has(computeDashNumber(line) - 1) || counted.has(computeDashNumber(line) + 1))
      marks.set(line, { marker: (line.words[0] as Word).text, enumerated: true, words: 1 });
  for (const group of letters.values()) {
    if (group.length < 3) continue;
    for (const line of group) marks.set(line, { marker: (line.words[0] as Word).text, enumerated: false, words: 1 });
  }
  for (const [line, mark] of findIdeographicMarks(lines)) marks.set(line, mark);
  return marks;
}

/** True for a date that begins with the day, as in German: "28. November 2026". */
function isDayFirst({ text }: Line): boolean {
  return /^\d{1,2}\. \p{L}/u.test(text) && isDate(text);
}

const letter = /^\(?([a-zA-Z])[.)]$/;

/** The only line that starts with a letter as a mark, unless it is the first of its alphabet. */
export function findLoneLetters(lines: readonly Line[]): Line[] {
  const lettered = lines.filter(({ words }) => words.length > 1 && letter.test((words[0] as Word).text));
  const [only] = lettered;
  return only && lettered.length === 1 && !/[ai]/i.test((only.words[0] as Word).text) ? [only] : [];
}

/** The number of a line that starts with a mark such as `3-`. */
function computeDashNumber({ words }: Line): number {
  return Number(dashed.exec((words[0] as Word).text)?.[1]);
}

/** True for initials and one or two capitalized words. */
function isName({ text }: Line): boolean {
  return /^[A-Z]\. (?:[A-Z]\. )*\p{Lu}[\p{L}'-]+(?: \p{Lu}[\p{L}'-]+)?$/u.test(text);
}

const figure = /^\(?(\d{1,3})[.)]$/;
/** Abbreviations that a number follows, at the end of a line. */
const beforeNumber = /(?:^|[\s(])(?:pp?|no|nos|nr|vol|sec|art|fig|ch|vgl|cf|s)\.$/i;

/**
 * Lines that start with a number by chance: the sentence above breaks off before it ("a ratio of" / "2. This report"), and no
 * other line starts with the number before or after it.
 */
export function findProseNumbers(lines: readonly Line[]): Set<Line> {
  const numbers = new Map<number, number>();
  const numberedLines: { line: Line; number: number }[] = [];
  for (const line of lines) {
    const number = figure.exec(line.words[0]?.text ?? '')?.[1];
    if (number === undefined || line.words.length < 2) continue;
    numberedLines.push({ line, number: Number(number) });
    numbers.set(Number(number), (numbers.get(Number(number)) ?? 0) + 1);
  }
  return new Set(
    numberedLines.flatMap(({ line, number }) => {
      if (startsInline(line, lines)) return [line];
      const isCounted = numbers.has(number - 1) || numbers.has(number + 1);
      return !isCounted && lines.some((above) => breaksOff(above, line)) ? [line] : [];
    }),
  );
}

/** True for the first of several numbers within a sentence, as in "(1) ask the pilot, (2) read the gauge". */
function startsInline({ text }: Line, lines: readonly Line[]): boolean {
  const number = Number(/^\((\d{1,2})\) /.exec(text)?.[1] ?? NaN);
  const next = `(${number + 1}) `;
  return text.includes(` ${next}`) && !lines.some((line) => line.text.startsWith(next));
}

/** True if `above` is just above, at the same margin, as wide, and does not end a sentence. */
function breaksOff(above: Line, line: Line): boolean {
  const distance = above.baseline - line.baseline;
  if (distance < 0.5 * line.size || distance > 1.8 * line.size || above.mono !== line.mono) return false;
  if (Math.abs(above.size - line.size) > 0.05 * line.size || above.words.length < 5) return false;
  if (Math.abs(above.box.l - line.box.l) > 2.5 * line.size && !findListMark(above)) return false;
  if (above.box.r < line.box.r - 4 * line.size) return false;
  return beforeNumber.test(above.text) || !/[.!?:;。]["')\]]?$/.test(above.text);
}

/**
 * Lines whose dash or asterisk is the only one in the column; it marks a note ("— Not available"), not a list item, unless the line
 * is indented below another item.
 */
export function findLoneDashes(lines: readonly Line[]): Set<Line> {
  const dashed = lines.filter(({ words }) => words.length > 1 && isLoneSign(words[0] as Word));
  const signs = groupBy(dashed, ({ words }) => (words[0] as Word).text);
  return new Set(
    [...signs.values()].flatMap((group) => {
      const [only] = group as [Line];
      return group.length === 1 && lines.length > 1 && !isBelowItem(only, lines) ? group : [];
    }),
  );
}

function isLoneSign({ text, raised }: Word): boolean {
  return text === '-' || (text === '*' && !raised);
}

/** True for a line to the right of the list item just above it. */
function isBelowItem(line: Line, lines: readonly Line[]): boolean {
  let above: Line | undefined;
  for (const other of lines)
    if (other.baseline > line.baseline + 1 && (!above || other.baseline < above.baseline)) above = other;
  return above !== undefined && findListMark(above)?.enumerated === false && line.box.l > above.box.l + 0.5 * line.size;
}
