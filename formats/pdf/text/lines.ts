import { findCapitalSize, widenSmallCapitals } from '../characters/small-caps';
import { longDash } from '../engine/signs';
import { itemLabel } from '../engine/tags';
import { isMathematics, isMathFont, isRelation } from '../formula/mathematics';
import { computeMedian, union } from '../geometry/box';
import type { Font, Glyph, Run } from '../geometry/page';
import { readRightToLeft } from './bidi';
import { attachDropCaps } from './drop-caps';
import type { Line, ScriptPart, StyledPart, Word } from './line';
import { buildRuns } from './runs';

/** Longer numbers, in glyphs, are not part of a formula. */
const longestSign = 6;
/** Longer ones, in glyphs, are no section numbers. */
const longestNumber = 16;
/** Gap between words, as a fraction of the type size. */
const wordGap = 0.17;
/** The same after a comma or a lowered index, where only a word space moves the next glyph away. */
const edgeGap = 0.12;
/** The same for shaped scripts with known spaces: their boxes are too inexact for narrow gaps to be meaningful. */
const shapedGap = 0.5;
const shaped = /[\u0600-\u07ff\ufb50-\ufdff\ufe70-\ufefc]/;

/** Builds lines in drawing order. Glyphs must be upright. */
export function buildLines(glyphs: readonly Glyph[]): Line[] {
  widenSmallCapitals(glyphs);
  return attachDropCaps(buildRuns(glyphs))
    .map(toLine)
    .filter(({ words }) => words.length > 0);
}

function toLine(run: Run): Line {
  const { size, isMostly, family, fonts } = findCommonStyle(run.glyphs);
  const hasMath = fonts.some(isMathFont);
  const words = toWords(run, hasMath);
  // In a right-to-left line, the dot of a leading number is at its left.
  if (run.rtl && words[0]) words[0].text = words[0].text.replace(/^([.)])(\d{1,3})$/, '$2$1');
  markDash(run, words);
  simplifyEdges(words);
  const tag = findSharedTag(run.glyphs);
  const text = words.map((word) => word.text).join(' ');
  const isMath = hasMath && (isMathematics(words) || isRelation(text, words));
  return {
    text,
    words,
    box: words.length > 0 ? union(words.map(({ box }) => box)) : run.box,
    baseline: run.baseline,
    size,
    bold: isMostly(({ bold }) => bold),
    italic: isMostly(({ italic }) => italic),
    mono: isMostly(({ mono }) => mono),
    family,
    isAside: false,
    order: run.order,
    ...(tag === undefined ? {} : { tag }),
    ...(isMath ? { signs: run.glyphs } : {}),
  };
}

/** The tag that all letters share. */
function findSharedTag(glyphs: readonly Glyph[]): string | undefined {
  const tag = glyphs.find(({ text }) => !isBlank(text))?.tag;
  if (tag === undefined) return undefined;
  return glyphs.every((glyph) => glyph.tag === tag || isBlank(glyph.text)) ? tag : undefined;
}

/** Marks a dash after a word at the end of a line: it does not join two halves of a word. */
function markDash({ glyphs, rtl }: Run, words: readonly Word[]): void {
  const [last, glyph] = [words.at(-1), glyphs.findLast(({ text }) => !isBlank(text))];
  if (rtl || !last || glyph?.isDash !== true || !/\p{L}-$/u.test(last.text)) return;
  last.text = last.text.slice(0, -1) + longDash;
}

/** A dash at the start of a line may mark a list item or an empty cell, and one at its end the half of a word. */
function simplifyEdges(words: readonly Word[]): void {
  for (const word of [words[0], words.at(-1)]) if (word?.text === longDash) word.text = '-';
}

function toWords(run: Run, hasMath: boolean): Word[] {
  const words: Word[] = [];
  let current: Glyph[] = [];
  const flush = () => {
    if (current.length > 0) words.push(addSigns(toWord(current, run), hasMath && !run.rtl ? current : []));
    current = [];
  };
  const hasSpaces = run.rtl && run.glyphs.some(({ text }) => text === ' ');
  const tracked = computeTracking(run);
  const usualGap = hasMath ? wordGap : chooseWordGap(run);
  const chooseGap = (a: Glyph, b: Glyph) => {
    if (hasSpaces && shaped.test(a.text) && shaped.test(b.text)) return shapedGap;
    return tracked + (!run.rtl && isWordEdge(a, b, current) ? edgeGap : usualGap);
  };
  for (const glyph of run.rtl ? readRightToLeft(run.glyphs) : run.glyphs) {
    const last = current.at(-1);
    if (isBlank(glyph.text)) flush();
    else if (
      last &&
      (isGap(last, glyph, chooseGap(last, glyph)) ||
        isNoteEdge(last, glyph) ||
        last.cell !== glyph.cell ||
        (last.tag === itemLabel) !== (glyph.tag === itemLabel))
    ) {
      flush();
      current.push(glyph);
    } else current.push(glyph);
  }
  flush();
  return isLetterSpaced(words) ? joinLetters(run, words) : words;
}

/** Letters this far apart, in type sizes, are letter-spaced; the rule needs `minGlyphs` pairs, `minShare` of them that far apart. */
const tracking = { from: 0.07, to: 0.35, minGlyphs: 12, minShare: 0.75 };

/** The usual gap between the letters of a letter-spaced line, which does not separate words; 0 for other lines. */
function computeTracking({ glyphs, rtl }: Run): number {
  if (rtl || glyphs.length <= tracking.minGlyphs) return 0;
  let [pairs, apart, sum] = [0, 0, 0];
  for (let index = 1; index < glyphs.length; index += 1) {
    const [a, b] = [glyphs[index - 1] as Glyph, glyphs[index] as Glyph];
    const gap = (b.box.l - a.box.r) / b.size;
    if (gap > tracking.to || isBlank(a.text) || isBlank(b.text)) continue;
    pairs += 1;
    if (gap < tracking.from) continue;
    apart += 1;
    sum += gap;
  }
  return pairs >= tracking.minGlyphs && apart > tracking.minShare * pairs ? sum / apart : 0;
}

/**
 * Squeezed lines, in type sizes: letters are less than `letters` apart, and `min` or more gaps between words are narrower than
 * usual, but wider than `words`. Shorter lines, in glyphs, are not compared.
 */
const squeezed = { letters: 0.06, words: 0.1, min: 3, shortest: 30 };

/** The gap between words: smaller in a squeezed line, whose letters touch and whose words nearly do, without drawn spaces. */
function chooseWordGap({ glyphs, rtl }: Run): number {
  if (rtl || glyphs.length < squeezed.shortest) return wordGap;
  let [narrow, usual] = [0, 0];
  for (let index = 1; index < glyphs.length; index += 1) {
    const [a, b] = [glyphs[index - 1] as Glyph, glyphs[index] as Glyph];
    const gap = measureGap(a, b) / Math.max(a.size, b.size);
    if (isBlank(a.text) || (gap > squeezed.letters && gap < squeezed.words)) return wordGap;
    if (gap > wordGap) usual += 1;
    else if (gap >= squeezed.words && /\p{L}/u.test(b.text)) narrow += 1;
  }
  return narrow >= squeezed.min && narrow > usual ? squeezed.words : wordGap;
}

/** Fewer pieces may be axis labels or column headers. */
const minPieces = 4;

/** True for letter-spaced text, as in headings: `E X P O N E :` is one word. Some pairs may be closer than others. */
function isLetterSpaced(words: readonly Word[]): boolean {
  if (words.length < minPieces) return false;
  let [letters, singles] = [0, 0];
  for (const { text } of words) {
    const letterCount = text.match(/\p{L}/gu)?.length ?? 0;
    if (letterCount > 3 || text.length > letterCount + 2 || /\p{N}/u.test(text)) return false;
    letters += letterCount;
    if (letterCount === 1) singles += 1;
  }
  return singles >= minPieces && letters < 1.7 * words.length;
}

/** Joins letter-spaced glyphs into words: gaps between words are much wider than between letters. */
function joinLetters(run: Run, words: readonly Word[]): Word[] {
  const glyphs = run.glyphs.filter(({ text }) => !isBlank(text));
  const whites = glyphs.slice(1).map((glyph, index) => measureGap(glyphs[index] as Glyph, glyph));
  const typicalGap = computeMedian(whites);
  if (run.rtl || !(typicalGap > 0)) return [...words];
  const parts: Glyph[][] = [];
  for (const [index, glyph] of glyphs.entries()) {
    if (index > 0 && (whites[index - 1] as number) < 1.6 * typicalGap) parts.at(-1)?.push(glyph);
    else parts.push([glyph]);
  }
  return parts.map((part) => toWord(part, run));
}

function isGap(last: Glyph, glyph: Glyph, share: number): boolean {
  return measureGap(last, glyph) > share * Math.max(last.size, glyph.size);
}

/** True after a section number, after a comma that is close to the glyph before it, and between a lowered index and a letter of the text. */
function isWordEdge(last: Glyph, glyph: Glyph, word: readonly Glyph[]): boolean {
  if (!/[\p{L}\p{N}]/u.test(glyph.text)) return false;
  if (/[\dA-Z]/.test(last.text) && /\p{Lu}/u.test(glyph.text) && isSectionNumber(word)) return true;
  const before = word.at(-2);
  if (/[,;]/.test(last.text)) return before !== undefined && measureGap(before, last) < 0.04 * last.size;
  return (
    /\p{L}/u.test(glyph.text) &&
    last.size < 0.85 * glyph.size &&
    glyph.baseline - last.baseline > 0.1 * glyph.size &&
    /[\p{L}\p{N}]/u.test(last.text)
  );
}

/** True for a number before a title, as in "2.10 General" and "2.1.S Substance". */
function isSectionNumber(word: readonly Glyph[]): boolean {
  if (word.length < 3 || word.length > longestNumber) return false;
  return /(?:\.\d{1,2}|^\d{1,2}\.[\d.]*\.[A-Z])$/.test(word.map(({ text }) => text).join(''));
}

/** True where a raised note number or mark begins or ends: it is not part of the word. */
function isNoteEdge(a: Glyph, b: Glyph): boolean {
  if (a.size === b.size) return false;
  // The raised A of LaTeX is a part of the name: the next letter overlaps it.
  if (a.size < b.size && /\p{L}/u.test(a.text) && measureGap(a, b) < -0.05 * b.size) return false;
  const [small, large] = a.size < b.size ? [a, b] : [b, a];
  return (
    small.size < 0.85 * large.size &&
    small.baseline - large.baseline > 0.15 * large.size &&
    (a === small || /[\d*†‡§]/.test(b.text)) &&
    (b === small || /\p{L}/u.test(b.text))
  );
}

/** The gap between two glyphs, in either writing direction. */
function measureGap(a: Glyph, b: Glyph): number {
  return Math.max(b.box.l - a.box.r, a.box.l - b.box.r);
}

function toWord(glyphs: Glyph[], run: Run): Word {
  const first = glyphs[0] as Glyph;
  const isUniform = glyphs.every(({ font }) => font === first.font);
  const main = isUniform ? first.font : findMainFont(glyphs);
  const styles = isUniform ? [] : listStyles(glyphs);
  const raised = Math.abs(first.baseline - run.baseline) > 0.15 * run.size;
  const scripts = raised || glyphs.every(({ size }) => size === first.size) ? [] : listScripts(glyphs);
  return {
    ...(main === first.font ? {} : { main }),
    ...(styles.length > 1 ? { styles } : {}),
    ...(scripts.length > 1 ? { scripts } : {}),
    text: getText(glyphs),
    box: union(glyphs.map(({ box }) => box)),
    size: first.size,
    font: first.font,
    raised,
    ...(first.baseline < run.baseline ? { lowered: true } : {}),
    ...(first.cell ? { cell: first.cell } : {}),
    ...(first.isEntry ? { isEntry: true } : {}),
    ...(first.tag === itemLabel ? { isLabel: true } : {}),
  };
}

/** The parts of a word that differ in weight or slant. */
function listStyles(glyphs: readonly Glyph[]): StyledPart[] {
  const parts: StyledPart[] = [];
  for (const { text, font } of glyphs) {
    const last = parts.at(-1);
    if (last?.font.bold === font.bold && last.font.italic === font.italic) last.length += text.length;
    else parts.push({ length: text.length, font });
  }
  return parts;
}

/** The parts of a word whose first letter is on the baseline that differ in height. */
function listScripts(glyphs: readonly Glyph[]): ScriptPart[] {
  const parts: ScriptPart[] = [];
  for (const [index, glyph] of glyphs.entries()) {
    const script = findScript(glyph, glyphs[0] as Glyph, glyphs[index + 1]);
    const last = parts.at(-1);
    if (last?.script === script) last.length += glyph.text.length;
    else parts.push({ length: glyph.text.length, script });
  }
  return parts;
}

/** The raised A of LaTeX, which the `next` letter overlaps, is on the baseline like the rest of the name. */
function findScript(glyph: Glyph, first: Glyph, next: Glyph | undefined): ScriptPart['script'] {
  const height = glyph.baseline - first.baseline;
  const isSmall = glyph.size < 0.85 * first.size && Math.abs(height) > 0.15 * first.size;
  if (!isSmall || (next && measureGap(glyph, next) < -0.05 * next.size)) return 'baseline';
  return height > 0 ? 'super' : 'sub';
}

/** Keeps the glyphs of words in a math font, and of adjacent numbers and signs. */
function addSigns(word: Word, glyphs: readonly Glyph[]): Word {
  const isPart = glyphs.length <= longestSign && !/\p{L}{2}/u.test(word.text);
  return glyphs.length > 0 && (isPart || glyphs.some(({ font }) => isMathFont(font)))
    ? { ...word, signs: glyphs }
    : word;
}

/** The text of a word; long dashes inside a word and alone are kept, since they separate words. */
function getText(glyphs: readonly Glyph[]): string {
  const last = glyphs.length - 1;
  let written = '';
  for (const [index, { text, isLongDash }] of glyphs.entries())
    written += isLongDash === true && (last === 0 || (index > 0 && index < last)) ? longDash : text;
  return written;
}

/** The font of most letters and digits: a bracket before them may have a different one. */
function findMainFont(glyphs: readonly Glyph[]): Font {
  const { font } = glyphs[0] as Glyph;
  const counts = new Map<Font, number>();
  for (const glyph of glyphs)
    if (/[\p{L}\p{N}]/u.test(glyph.text)) counts.set(glyph.font, (counts.get(glyph.font) ?? 0) + 1);
  return findMostFrequent(counts) ?? font;
}

const styleWords = /(?:[-,].*|(?:bold|italic|oblique|regular|roman|light|medium|book|semi|demi|mt|ps)+)$/gi;

/** At least this many letters beside monospaced names are text. */
const minLetters = 3;

/** The most common size and family; `isMostly` is true if four fifths of the glyphs have a font that passes the test. */
function findCommonStyle(glyphs: readonly Glyph[]): {
  size: number;
  family: string;
  fonts: Font[];
  isMostly: (test: (font: Font) => boolean) => boolean;
} {
  const drawn = glyphs.filter(({ text }) => !isBlank(text));
  const fonts = countFonts(drawn);
  const isMostly = (test: (font: Font) => boolean) => {
    let count = 0;
    for (const [font, letterCount] of fonts) if (test(font)) count += letterCount;
    return count >= 0.8 * drawn.length;
  };
  // Monospaced names are often smaller than the text around them.
  const letters = drawn.filter(({ text, font }) => !font.mono && /\p{L}/u.test(text));
  const isMixed = letters.length >= minLetters && drawn.some(({ font }) => font.mono) && !isMostly(({ mono }) => mono);
  const sizes = new Map<number, number>();
  const names = new Map<string, number>();
  for (const { size, font } of isMixed ? letters : drawn) {
    const rounded = Math.round(size * 10) / 10;
    sizes.set(rounded, (sizes.get(rounded) ?? 0) + 1);
    names.set(font.name, (names.get(font.name) ?? 0) + 1);
  }
  const common = findMostFrequent(sizes) ?? 0;
  return {
    size: (sizes.size > 1 ? findCapitalSize(drawn, common) : undefined) ?? common,
    family: getFamily(findMostFrequent(names) ?? ''),
    fonts: [...fonts.keys()],
    isMostly,
  };
}

function countFonts(glyphs: readonly Glyph[]): Map<Font, number> {
  const fonts = new Map<Font, number>();
  for (const { font } of glyphs) fonts.set(font, (fonts.get(font) ?? 0) + 1);
  return fonts;
}

/** The most frequent key; on a tie, the first. */
function findMostFrequent<K>(counts: ReadonlyMap<K, number>): K | undefined {
  let best: K | undefined;
  let maxCount = 0;
  for (const [key, count] of counts) if (count > maxCount) [best, maxCount] = [key, count];
  return best;
}

function isBlank(text: string): boolean {
  const code = text.charCodeAt(0);
  return (code <= 0x20 || code > 0x7e) && text.trim() === '';
}

function getFamily(name: string): string {
  return name.replace(styleWords, '').replace(/\d+$/, '').toLowerCase();
}

/** The line reduced to the given words; there must be at least one. */
export function cutLine(line: Line, words: readonly Word[]): Line {
  return {
    ...line,
    words: [...words],
    text: words.map(({ text }) => text).join(' '),
    box: union(words.map(({ box }) => box)),
  };
}
