import { type Box, overlapY, union } from './box';
import { rightToLeft } from './characters';
import { isMark } from './lists';
import type { Font, Glyph } from './page';

/** Glyphs that stand together without a space. */
export interface Word {
  text: string;
  box: Box;
  size: number;
  font: Font;
  /** Baseline above or below that of the line, as for note numbers. */
  raised: boolean;
}

/** Words on one baseline with no wide gap between them: a line of a column, or the text of a table cell. */
export interface Line {
  text: string;
  words: Word[];
  box: Box;
  baseline: number;
  /** The size of most characters. */
  size: number;
  bold: boolean;
  italic: boolean;
  mono: boolean;
  /** The family in which most characters are set, without weight and slant. */
  family: string;
  /** Set across the rest of the page. */
  isAside: boolean;
  /** Place in the order in which the page is drawn. */
  order: number;
}

interface Run {
  glyphs: Glyph[];
  box: Box;
  baseline: number;
  size: number;
  rtl: boolean;
  order: number;
}

/** Gaps in shares of the type size: beyond `word` a new word begins, beyond `line` a new line, after a list mark beyond `mark`. */
const gaps = { word: 0.17, line: 1, mark: 4 };

/** Lines in drawing order. Glyphs must be upright. */
export function buildLines(glyphs: readonly Glyph[]): Line[] {
  return joinRuns(splitRuns(glyphs))
    .map(toLine)
    .filter(({ words }) => words.length > 0);
}

/** Stretches of glyphs that follow each other both in the file and on the page. */
function splitRuns(glyphs: readonly Glyph[]): Run[] {
  const runs: Run[] = [];
  let run: Run | undefined;
  let last: Glyph | undefined;
  for (const glyph of glyphs) {
    if (run && last && continues(run, last, glyph)) {
      run.glyphs.push(glyph);
      run.box = union([run.box, glyph.box]);
      if (glyph.size > run.size * 1.2) Object.assign(run, { baseline: glyph.baseline, size: glyph.size });
      run.rtl ||= rightToLeft.test(glyph.text);
    } else {
      run = {
        glyphs: [glyph],
        box: glyph.box,
        baseline: glyph.baseline,
        size: glyph.size,
        rtl: rightToLeft.test(glyph.text),
        order: runs.length,
      };
      runs.push(run);
    }
    last = glyph;
  }
  return runs.filter(({ glyphs: inRun }) => inRun.some(({ text }) => text.trim() !== ''));
}

function continues(run: Run, last: Glyph, glyph: Glyph): boolean {
  const size = Math.max(run.size, glyph.size);
  if (!sameBaseline(run, glyph)) return false;
  const isRtl = run.rtl || rightToLeft.test(glyph.text);
  if (isRtl) return Math.max(glyph.box.l - run.box.r, run.box.l - glyph.box.r) <= gaps.line * size;
  return glyph.box.l - last.box.r <= gaps.line * size && glyph.box.l >= last.box.l - 0.3 * size;
}

/** Same height, or raised or lowered as note numbers and indices are. */
function sameBaseline(
  a: { baseline: number; size: number; box: Box },
  b: { baseline: number; size: number; box: Box },
): boolean {
  const distance = Math.abs(a.baseline - b.baseline);
  const size = Math.max(a.size, b.size);
  if (distance < 0.15 * size) return true;
  const smaller = Math.min(a.size, b.size);
  return smaller < 0.85 * size && distance < 0.55 * size && overlapY(a.box, b.box) > 0.4 * smaller;
}

/** Joins runs that the file drew apart (a change of font, a jump of the pen) but that stand side by side. */
function joinRuns(runs: Run[]): Run[] {
  const rows: Run[][] = [];
  for (const run of runs.toSorted((a, b) => b.baseline - a.baseline || a.box.l - b.box.l)) {
    const row = rows.slice(-4).findLast((candidate) => candidate.some((other) => sameBaseline(other, run)));
    if (row) row.push(run);
    else rows.push([run]);
  }
  return rows.flatMap(joinRow).toSorted((a, b) => a.order - b.order);
}

function joinRow(row: Run[]): Run[] {
  const joined: Run[] = [];
  const isRtl =
    row.filter(({ rtl }) => rtl).length >
    0.5 * row.filter(({ glyphs }) => glyphs.some(({ text }) => /\p{L}/u.test(text))).length;
  for (const run of row.toSorted((a, b) => a.box.l - b.box.l)) {
    const left = joined.at(-1);
    const size = left ? Math.max(left.size, run.size) : 0;
    const gap = left ? run.box.l - left.box.r : 0;
    if (
      !left ||
      gap > (isLoneMark(left) || isHeadingNumber(left, run) ? gaps.mark : gaps.line) * size ||
      gap < -0.5 * size ||
      !sameBaseline(left, run)
    ) {
      joined.push(run);
      continue;
    }
    const main = run.size > left.size ? run : left;
    joined[joined.length - 1] = {
      glyphs: isRtl ? [...run.glyphs, ...left.glyphs] : [...left.glyphs, ...run.glyphs],
      box: union([left.box, run.box]),
      baseline: main.baseline,
      size: main.size,
      rtl: left.rtl || run.rtl,
      order: Math.min(left.order, run.order),
    };
  }
  return joined;
}

/** A bullet or number that stands alone: its text may begin well to the right of it. */
function isLoneMark(run: Run): boolean {
  return (
    run.glyphs.length <= 6 &&
    isMark(
      run.glyphs
        .map(({ text }) => text)
        .join('')
        .trim(),
    )
  );
}

/** The number of a bold heading, set apart from its words. */
function isHeadingNumber(left: Run, right: Run): boolean {
  const isBold = (run: Run) => run.glyphs.every(({ font, text }) => font.bold || text.trim() === '');
  const words = right.glyphs
    .map(({ text }) => text)
    .join('')
    .trim();
  const number = left.glyphs
    .map(({ text }) => text)
    .join('')
    .trim();
  return /^\d{1,2}(?:\.\d{1,2})*\.?$/.test(number) && /^\p{L}/u.test(words) && isBold(left) && isBold(right);
}

function toLine(run: Run): Line {
  const words = toWords(run);
  const letters = run.glyphs.filter(({ text }) => text.trim() !== '');
  const most = (test: (font: Font) => boolean, share = 0.8) =>
    letters.filter(({ font }) => test(font)).length >= share * letters.length;
  return {
    text: words.map(({ text }) => text).join(' '),
    words,
    box: words.length > 0 ? union(words.map(({ box }) => box)) : run.box,
    baseline: run.baseline,
    size: commonSize(letters),
    bold: most(({ bold }) => bold),
    italic: most(({ italic }) => italic),
    mono: most(({ mono }) => mono),
    family: commonFamily(letters),
    isAside: false,
    order: run.order,
  };
}

function toWords(run: Run): Word[] {
  const words: Word[] = [];
  let current: Glyph[] = [];
  const flush = () => {
    if (current.length > 0) words.push(toWord(current, run));
    current = [];
  };
  for (const glyph of run.glyphs) {
    const last = current.at(-1);
    if (glyph.text.trim() === '') flush();
    else if (last && gapBetween(last, glyph) > gaps.word * Math.max(last.size, glyph.size)) {
      flush();
      current.push(glyph);
    } else current.push(glyph);
  }
  flush();
  return words;
}

/** White between two glyphs, in either direction of writing. */
function gapBetween(a: Glyph, b: Glyph): number {
  return Math.max(b.box.l - a.box.r, a.box.l - b.box.r);
}

function toWord(glyphs: Glyph[], run: Run): Word {
  const first = glyphs[0] as Glyph;
  return {
    text: glyphs.map(({ text }) => text).join(''),
    box: union(glyphs.map(({ box }) => box)),
    size: first.size,
    font: first.font,
    raised: Math.abs(first.baseline - run.baseline) > 0.15 * run.size,
  };
}

const styleWords = /(?:[-,].*|(?:bold|italic|oblique|regular|roman|light|medium|book|semi|demi|mt|ps)+)$/gi;

function commonFamily(glyphs: readonly Glyph[]): string {
  const counts = new Map<string, number>();
  for (const { font } of glyphs) counts.set(font.name, (counts.get(font.name) ?? 0) + 1);
  const name = [...counts].toSorted((a, b) => b[1] - a[1])[0]?.[0] ?? '';
  return name.replace(styleWords, '').replace(/\d+$/, '').toLowerCase();
}

function commonSize(glyphs: readonly Glyph[]): number {
  const counts = new Map<number, number>();
  for (const { size } of glyphs) {
    const rounded = Math.round(size * 10) / 10;
    counts.set(rounded, (counts.get(rounded) ?? 0) + 1);
  }
  return [...counts].toSorted((a, b) => b[1] - a[1])[0]?.[0] ?? 0;
}
