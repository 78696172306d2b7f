import { isRightToLeft } from '../engine/characters';
import { itemLabel } from '../engine/tags';
import { type Box, measureOverlapY, union } from '../geometry/box';
import type { Glyph, Run } from '../geometry/page';
import { isMark } from '../lists/lists';
import { gapBetween, minLabel, splitAtCells } from './cell-starts';

/**
 * Gaps in type sizes: `line` ends a line, `ideographs` a line of Chinese or Japanese, whose space is as wide as a character,
 * `mark` after a list marker, `numbers` between numbers, `column` across columns, `beside` before text in another type.
 */
const gaps = { line: 1, ideographs: 1.3, mark: 4, numbers: 0.6, column: 0.35, beside: 0.6 };
/** Between the baseline of a line and that of a raised or lowered sign, in type sizes. */
const greatestDistance = 0.55;
/** A left edge at which this many lines begin is that of a column. */
const minColumnRows = 5;

/** Builds runs in drawing order. Glyphs must be upright. */
export function buildRuns(glyphs: readonly Glyph[]): Run[] {
  return joinRuns(splitAtCells(splitRuns(glyphs)));
}

/** Splits glyphs into runs that are continuous both in the file and on the page. */
function splitRuns(glyphs: readonly Glyph[]): Run[] {
  const runs: Run[] = [];
  let run: Run | undefined;
  let last: Glyph | undefined;
  for (const glyph of glyphs) {
    if (run && last && continues(run, last, glyph)) {
      run.glyphs.push(glyph);
      extend(run.box, glyph.box);
      if (glyph.size > run.size * 1.2) Object.assign(run, { baseline: glyph.baseline, size: glyph.size });
      run.rtl ||= isRightToLeft(glyph.text);
    } else {
      run = {
        glyphs: [glyph],
        box: { ...glyph.box },
        baseline: glyph.baseline,
        size: glyph.size,
        rtl: isRightToLeft(glyph.text),
        order: runs.length,
      };
      runs.push(run);
    }
    last = glyph;
  }
  return runs.filter(({ glyphs: inRun }) => inRun.some(({ text }) => text.trim() !== ''));
}

function extend(box: Box, { l, b, r, t }: Box): void {
  if (l < box.l) box.l = l;
  if (b < box.b) box.b = b;
  if (r > box.r) box.r = r;
  if (t > box.t) box.t = t;
}

function continues(run: Run, last: Glyph, glyph: Glyph): boolean {
  const size = Math.max(run.size, glyph.size);
  if (isLoweredLetter(last, glyph)) return true;
  if (!haveSameBaseline(run, glyph)) return false;
  const isRtl = run.rtl || isRightToLeft(glyph.text);
  if (isRtl) return Math.max(glyph.box.l - run.box.r, run.box.l - glyph.box.r) <= gaps.line * size;
  const gap = glyph.box.l - last.box.r;
  if (gap > gaps.column * size && isIndexChange(last, glyph)) return false;
  return (
    gap <= getLineGap(last, glyph) * size &&
    !areNumbers(last, glyph, gap / size) &&
    glyph.box.l >= last.box.l - 0.3 * size
  );
}

/** The widest gap between these glyphs within a line, in type sizes. */
function getLineGap(last: Glyph, glyph: Glyph): number {
  return ideograph.test(last.text) && ideograph.test(glyph.text) ? gaps.ideographs : gaps.line;
}

/** A character of Chinese or Japanese, or the space between two of them. */
const ideograph = /^[\u3000-\u3011\u3040-\u30ff\u3400-\u9fff\uff01-\uff60]/;

/** True for the E of the names TeX and XeTeX: a letter of full size that is lowered at the end of the letter before it. */
function isLoweredLetter(last: Glyph, glyph: Glyph): boolean {
  if (!/[TX]/.test(last.text) || glyph.text !== 'E' || Math.abs(last.size - glyph.size) > 0.05 * last.size)
    return false;
  const [lowered, overlap] = [last.baseline - glyph.baseline, last.box.r - glyph.box.l];
  const minGap = last.text === 'T' ? 0.05 : -0.1;
  return lowered > 0.1 * last.size && lowered < 0.35 * last.size && overlap > minGap * last.size;
}

/** True for a change between a raised or lowered sign and full-sized text: a gap between them may contain something else. */
function isIndexChange(a: Glyph, b: Glyph): boolean {
  return (
    Math.abs(a.baseline - b.baseline) > 0.1 * Math.max(a.size, b.size) && Math.abs(a.size - b.size) > 0.15 * b.size
  );
}

/** True if a number ends and another begins after more than a word space: table cells. */
function areNumbers(end: Glyph, start: Glyph, gap: number): boolean {
  return gap > gaps.numbers && /^[\d)%]$/.test(end.text) && /^[\d(+$€£-]$/.test(start.text);
}

/** True for the same baseline, or one raised or lowered as for note numbers and indices. */
function haveSameBaseline(
  a: { baseline: number; size: number; box: Box },
  b: { baseline: number; size: number; box: Box },
): boolean {
  const distance = Math.abs(a.baseline - b.baseline);
  const size = Math.max(a.size, b.size);
  if (distance < 0.2 * size) return true;
  const smaller = Math.min(a.size, b.size);
  return smaller < 0.85 * size && distance < greatestDistance * size && measureOverlapY(a.box, b.box) > 0.4 * smaller;
}

/** True for the same baseline, also if one is the mark of a note. */
function areInOneLine(a: Run, b: Run): boolean {
  return haveSameBaseline(a, b) || isNoteMark(a, b) || isNoteMark(b, a);
}

/** True for the mark of a note that is raised but hardly smaller than the text next to it, as in notes in small type. */
function isNoteMark(mark: Run, text: Run): boolean {
  const { size } = text;
  const raised = (mark.baseline - text.baseline) / size;
  if (raised < 0.15 || raised > 0.5 || mark.size > 1.02 * size || mark.glyphs.length > 3) return false;
  const gap = Math.max(text.box.l - mark.box.r, mark.box.l - text.box.r) / size;
  if (gap <= -0.1 || gap >= 0.6 || !/\p{L}/u.test(getText(text))) return false;
  // A number of full size may be the cell of a row that is not quite level.
  const sign = getText(mark);
  return /^[*†‡§]{1,2}$/.test(sign) || (/^\d{1,2}$/.test(sign) && mark.size < 0.97 * size);
}

/** Joins runs that are side by side but drawn separately (a change of font, a move of the text position). */
function joinRuns(runs: Run[]): Run[] {
  const rows: Run[][] = [];
  const reach = greatestDistance * runs.reduce((largest, { size }) => Math.max(largest, size), 0);
  for (const run of runs.toSorted((a, b) => b.baseline - a.baseline || a.box.l - b.box.l)) {
    const row = rows.slice(-4).findLast((candidate) => belongsToRow(candidate, run, reach));
    if (row) row.push(run);
    else rows.push([run]);
  }
  const isMargin = findMargins(runs);
  return rows.flatMap((row) => joinRow(row, isMargin)).toSorted((a, b) => a.order - b.order);
}

/** True if a run of the row, which is in the order of baselines from the top, has the baseline of `run`, which is not above them. */
function belongsToRow(row: readonly Run[], run: Run, reach: number): boolean {
  for (let index = row.length - 1; index >= 0; index -= 1) {
    const other = row[index] as Run;
    if (other.baseline - run.baseline > reach) return false;
    if (areInOneLine(other, run)) return true;
  }
  return false;
}

/** Returns a test for the left edge of a column: lines in several rows begin there. */
function findMargins(runs: readonly Run[]): (run: Run) => boolean {
  const starts = new Map<number, Set<number>>();
  for (const { box, baseline } of runs) {
    const place = Math.round(box.l);
    starts.set(place, (starts.get(place) ?? new Set()).add(Math.round(baseline)));
  }
  const countRows = (place: number) => starts.get(place)?.size ?? 0;
  return ({ box }) => {
    const place = Math.round(box.l);
    return countRows(place - 1) + countRows(place) + countRows(place + 1) >= minColumnRows;
  };
}

/** True if `right` begins the next column: drawn separately from `left`, at a place where several lines begin. */
function isNextColumn(left: Run, right: Run, gap: number, isMargin: (run: Run) => boolean): boolean {
  if (gap < gaps.column || left.rtl || right.rtl || isLoneMark(left)) return false;
  const step = right.order - (left.lastOrder ?? left.order);
  if (step >= 0 && step <= 2) return false;
  return isMargin(right) || (gap > gaps.beside && isOtherType(left, right));
}

/** True if `right` begins where cells begin, after a label rather than a list marker. */
function isNextCell(left: Run, right: Run, gap: number): boolean {
  if (right.startsCell !== true || gap < gapBetween * right.size) return false;
  return left.box.r - left.box.l > minLabel * left.size && !isLoneMark(left);
}

/** True for text in another size and font, such as a caption beside a paragraph; an index is not. */
function isOtherType(left: Run, right: Run): boolean {
  const [a, b] = [left.glyphs.at(-1) as Glyph, right.glyphs[0] as Glyph];
  const isOtherSize = Math.abs(left.size - right.size) > 0.1 * Math.max(left.size, right.size);
  return isOtherSize && a.font !== b.font && Math.abs(left.baseline - right.baseline) < 2 && right.glyphs.length > 6;
}

function joinRow(row: Run[], isMargin: (run: Run) => boolean): Run[] {
  const joined: Run[] = [];
  const isRtl = isMostlyRtl(row);
  const sorted = row.toSorted((a, b) => a.box.l - b.box.l);
  for (const [index, run] of sorted.entries()) {
    const left = joined.at(-1);
    const size = left ? Math.max(left.size, run.size) : 0;
    const gap = left ? run.box.l - left.box.r : 0;
    if (left && !isRtl && haveSameBaseline(left, run) && fitsInto(left, run)) {
      joined[joined.length - 1] = {
        ...left,
        glyphs: [...left.glyphs, ...run.glyphs].toSorted((a, b) => a.box.l - b.box.l),
      };
      continue;
    }
    if (
      !left ||
      run.isSeparate === true ||
      isApart(left, run, gap / size) ||
      gap < -0.5 * size ||
      !areInOneLine(left, run) ||
      isPrintedOver(left, run, gap / size) ||
      isNextColumn(left, run, gap / size, isMargin) ||
      isNextCell(left, run, gap) ||
      (areNumbers(left.glyphs.at(-1) as Glyph, run.glyphs[0] as Glyph, gap / size) &&
        !isHeadingNumber(left, run) &&
        !(index === sorted.length - 1 && isLetterMark(left, run)))
    ) {
      joined.push(run);
      continue;
    }
    const isMain = isNoteMark(left, run) || (run.size > left.size && !isNoteMark(run, left));
    const main = isMain ? run : left;
    joined[joined.length - 1] = {
      glyphs: isRtl ? [...run.glyphs, ...left.glyphs] : [...left.glyphs, ...run.glyphs],
      box: union([left.box, run.box]),
      baseline: main.baseline,
      size: main.size,
      rtl: left.rtl || run.rtl,
      order: Math.min(left.order, run.order),
      lastOrder: run.order,
    };
  }
  return joined;
}

/** True if more than half of the runs with letters are right-to-left. */
function isMostlyRtl(row: readonly Run[]): boolean {
  const rtl = row.filter((run) => run.rtl).length;
  if (rtl === 0) return false;
  return rtl > 0.5 * row.filter(({ glyphs }) => glyphs.some(({ text }) => /\p{L}/u.test(text))).length;
}

/** True if letters of another font begin within the last letter: unrelated text printed over it. */
function isPrintedOver(left: Run, right: Run, gap: number): boolean {
  const [end, start] = [left.glyphs.at(-1), right.glyphs[0]];
  if (!end || !start || gap > -0.12 || left.order + 1 === right.order || left.rtl || right.rtl) return false;
  return end.font !== start.font && /\p{L}/u.test(end.text) && /\p{L}/u.test(start.text);
}

/** True if `inner` fits a gap of `outer`: a glyph drawn separately, such as a raised star. */
function fitsInto(outer: Run, inner: Run): boolean {
  if (inner.box.l < outer.box.l || inner.box.r > outer.box.r) return false;
  // A narrow sign, such as a full stop, may begin below the end of an index.
  const maxGap = inner.size < 0.85 * outer.size ? 0.4 : 0.2;
  return outer.glyphs.every(
    ({ text, box }) =>
      text === ' ' || Math.min(box.r, inner.box.r) - Math.max(box.l, inner.box.l) < maxGap * (box.r - box.l),
  );
}

/** True if the runs are too far apart for one line; after a marker, the gap may be wider than between words. */
function isApart(left: Run, right: Run, gap: number): boolean {
  const lineGap = getLineGap(left.glyphs.at(-1) as Glyph, right.glyphs[0] as Glyph);
  if (gap <= lineGap || gap > gaps.mark) return gap > lineGap;
  return !isLoneMark(left) && !isRaisedMark(left, right) && !isHeadingNumber(left, right) && !isClause(left, right);
}

/** True for a lone bullet or number: its text may begin well to the right. */
function isLoneMark(run: Run): boolean {
  const text = getText(run);
  if (run.glyphs.length > 8) return false;
  const isLabel = run.glyphs.every((glyph) => glyph.tag === itemLabel || glyph.text === ' ');
  return isLabel || (run.glyphs.length <= 6 && (isMark(text) || /^\d{1,2}-$/.test(text)));
}

/**
 * True for the letter or Roman number of a list item before an amount and words, as in "(a) £250,000; and", but not before another
 * mark. An amount alone is a cell.
 */
function isLetterMark(left: Run, right: Run): boolean {
  const text = getText(left);
  if (left.glyphs.length > 6 || !/^\(?[a-z]{1,4}[.)]$/i.test(text) || !isMark(text)) return false;
  return right.glyphs[0]?.text !== '(' && right.glyphs.some((glyph) => /\p{L}/u.test(glyph.text));
}

/** True for a raised note letter or number before its words. */
function isRaisedMark(left: Run, right: Run): boolean {
  const isSmall = left.size < 0.85 * right.size && left.baseline > right.baseline + 0.1 * right.size;
  return isSmall && /^[a-z\d*†‡]{1,2}$/.test(getText(left)) && /^\p{L}/u.test(getText(right));
}

function getText(run: Run): string {
  return run.glyphs
    .map(({ text }) => text)
    .join('')
    .trim();
}

/** True for the number of a contract clause, such as 4.2, before a line of words rather than a cell. */
function isClause(left: Run, right: Run): boolean {
  if (left.glyphs.length > 12 || !/^\d{1,2}(?:\.\d{1,2}){1,4}\.?$/.test(getText(left))) return false;
  const wide = right.box.r - right.box.l;
  return wide > 15 * right.size && /^["'(]?\p{L}/u.test(getText(right));
}

/** A start in a script without spaces. */
const unspaced = /^[\u3040-\u30ff\u3400-\u9fff]/;
const oneNumber = /^(?:\d{1,2}|[A-Z](?=\.\d))(?:\.(?:\d{1,2}|[A-Z]))*\.?$/;
const deepNumber = /^\d{1,2}(?:\.\d{1,2}){1,4}\.?$/;

/** True for the number of a bold heading, set apart from its words or, if the number has several levels, from another number. */
function isHeadingNumber(left: Run, right: Run): boolean {
  // Names of functions in a heading are monospaced instead of bold.
  const isBold = (run: Run) =>
    run.glyphs.some(({ font }) => font.bold) &&
    run.glyphs.every(({ font, text }) => font.bold || font.mono || text.trim() === '');
  const words = getText(right);
  const number = getText(left);
  const isNumber = /^[¿¡"'(«]?\p{L}/u.test(words)
    ? oneNumber.test(number)
    : deepNumber.test(number) && /^\d{4}$/.test(words);
  // Fonts for Chinese, Japanese and Korean often have no bold style.
  const isAlike = Math.abs(left.size - right.size) < 0.1 * left.size;
  return isNumber && isBold(left) && (isBold(right) || (isAlike && unspaced.test(words)));
}
