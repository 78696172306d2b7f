import { union } from '../geometry/box';
import type { Glyph } from '../geometry/page';
import type { Line, Word } from './line';

/** Largest distance between the centres of adjacent letters in a word and in a line, in type sizes. */
const reach = { word: 1.1, line: 2.5 };

/** Builds lines from text that is not at a multiple of 90°, such as a stamp across the page or slanted axis labels. */
export function findSlantedLines(glyphs: readonly Glyph[]): Line[] {
  const lines: Glyph[][][] = [];
  let last: Glyph | undefined;
  let isParted = false;
  for (const glyph of glyphs) {
    if (glyph.text.trim() === '') {
      isParted = true;
      continue;
    }
    const line = lines.at(-1);
    const distance = last && last.rotation === glyph.rotation ? computeDistance(last, glyph) / glyph.size : Infinity;
    if (!line || distance > reach.line) lines.push([[glyph]]);
    else if (isParted || distance > reach.word) line.push([glyph]);
    else line.at(-1)?.push(glyph);
    isParted = false;
    last = glyph;
  }
  return lines.map((words, order) => toLine(words.map(toWord), order));
}

function computeDistance(a: Glyph, b: Glyph): number {
  return Math.hypot(a.box.l + a.box.r - b.box.l - b.box.r, a.box.b + a.box.t - b.box.b - b.box.t) / 2;
}

function toWord(glyphs: readonly Glyph[]): Word {
  const { size, font } = glyphs[0] as Glyph;
  const text = glyphs.map((glyph) => glyph.text).join('');
  return { text, box: union(glyphs.map(({ box }) => box)), size, font, raised: false };
}

function toLine(words: Word[], order: number): Line {
  const { size, font } = words[0] as Word;
  const box = union(words.map((word) => word.box));
  return {
    text: words.map(({ text }) => text).join(' '),
    words,
    box,
    baseline: box.b,
    size,
    bold: font.bold,
    italic: font.italic,
    mono: font.mono,
    family: font.name,
    isAside: true,
    order,
  };
}
