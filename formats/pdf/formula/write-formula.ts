import { union } from '../geometry/box';
import type { Glyph, Rule } from '../geometry/page';
import type { Line, Word } from '../text/line';
import { writeTex } from './tex';

/** The number of a displayed formula in brackets, such as `(3.2a)`; the group is the number alone. */
export const equationNumber = /^\((\d{1,3}(?:\.\d{1,3})*[a-z]?)\)$/;

/** The glyphs of a line. If they were not kept, the letters of each word are spread evenly. */
export function listSigns(line: Line): readonly Glyph[] {
  return line.signs ?? line.words.flatMap((word) => spreadWord(word, line.baseline));
}

function spreadWord({ text, box, size, font, raised }: Word, baseline: number): Glyph[] {
  const letters = Array.from(text);
  const step = (box.r - box.l) / letters.length;
  const baselineY = raised ? box.b + 0.22 * size : baseline;
  return letters.map((letter, index) => ({
    text: letter,
    box: { ...box, l: box.l + index * step, r: box.l + (index + 1) * step },
    baseline: baselineY,
    size,
    font,
    rotation: 0,
    invisible: false,
  }));
}

/** The lines of a displayed formula as TeX, with its number as a tag; undefined if the signs do not show its structure. */
export function writeFormulaTex(lines: readonly Line[], rules: readonly Rule[]): string | undefined {
  const written = lines.map((line) => writeLineTex(line, rules));
  if (written.some((tex) => tex === undefined || tex === '')) return undefined;
  return written.length === 1 ? written[0] : `\\begin{aligned}${written.join(' \\\\ ')}\\end{aligned}`;
}

function writeLineTex(line: Line, rules: readonly Rule[]): string | undefined {
  const signs = listSigns(line).filter(({ text }) => text.trim() !== '');
  // The line was split or joined after its glyphs were kept.
  if (countLetters(signs.map(({ text }) => text).join('')) !== countLetters(line.text)) return undefined;
  const number = findNumberAtEnd(line);
  if (!number) return writeTex(signs, rules);
  const rest = signs.filter(({ box }) => (box.l + box.r) / 2 < number.box.l);
  const tex = writeTex(rest, rules);
  return tex === undefined ? undefined : `${tex}\\tag{${equationNumber.exec(number.text)?.[1]}}`;
}

/** The equation number at the right edge, separate from the formula. */
function findNumberAtEnd({ words }: Line): Word | undefined {
  const number = words.find(({ text }) => equationNumber.test(text));
  const others = words.filter((word) => word !== number);
  if (!number || others.length === 0) return undefined;
  return number.box.l - union(others.map(({ box }) => box)).r > number.size ? number : undefined;
}

function countLetters(text: string): number {
  return text.replaceAll(/\s/g, '').length;
}
