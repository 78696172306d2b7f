import { type Box, holds, measureOverlapX, measureOverlapY } from '../geometry/box';
import type { Font, Glyph } from '../geometry/page';
import type { Entry } from './forms';

/**
 * As shares of the type size: widths of letters and spaces, line spacing, and the extent of a letter below and above the baseline. Spaces
 * as wide as letters would be gaps between columns.
 */
const metrics = { letter: 0.5, space: 0.28, leading: 1.15, below: 0.22, above: 0.78 };
/** The largest estimated width of a line broken by hand, as a multiple of the width of its box. */
const handBroken = 1.2;
/** The type size, in points, of an entry without text beside it: the largest, the smallest, and its share of the field's height. */
const sizes = { largest: 10, smallest: 4, share: 0.75 };
/** A field higher than this multiple of the type size may contain several lines. */
const maxLineHeight = 2.2;
/** The most comparisons of an entry with a glyph on one page; a form of 500 fields and 5,000 letters needs 2.5 million. */
const maxComparisons = 4_000_000;
/** The most that a label may overlap its field, in points. */
const maxOverlap = 2;
const plainFont: Font = { name: '', bold: false, italic: false, mono: false };

/** Replaces the values of number fields with what the fields show. `left` holds the drawn glyphs outside these fields. */
export function takeDrawnNumbers(
  entries: readonly Entry[],
  drawn: readonly Glyph[],
): { entries: Entry[]; left: Glyph[] } {
  const fields = entries.filter(({ kind }) => kind === 'number');
  if (drawn.length === 0 || fields.length === 0) return { entries: [...entries], left: [...drawn] };
  const shown = new Map(fields.map((field) => [field, drawn.filter(({ box }) => holds(field.box, box))]));
  const taken = new Set([...shown.values()].flat());
  return {
    entries: entries.map((entry) => {
      const text = (shown.get(entry) ?? [])
        .map((glyph) => glyph.text)
        .join('')
        .trim();
      return /\d/.test(text) ? { ...entry, text } : entry;
    }),
    left: drawn.filter((glyph) => !taken.has(glyph)),
  };
}

/**
 * Inserts the letters of each entry next to its label: the words to its left, those to its right if they are closer to a
 * checkbox, or else those above it. Entries have no letter positions, so the positions are estimated.
 */
export function insertEntries(glyphs: readonly Glyph[], entries: readonly Entry[]): Glyph[] {
  // Text typed onto the page may label fields, so it comes first.
  const comments = entries.filter(({ kind }) => kind === 'comment');
  const fields = entries.filter(({ kind }) => kind !== 'comment');
  return insertGroup(insertGroup(glyphs, comments), fields);
}

function insertGroup(glyphs: readonly Glyph[], entries: readonly Entry[]): Glyph[] {
  if (entries.length === 0) return [...glyphs];
  // Each entry is compared with all glyphs. On maliciously large pages, entries beyond the limit follow all text.
  const maxCompared = Math.ceil(maxComparisons / Math.max(glyphs.length, 1));
  const placed = entries.flatMap((entry, index) => {
    const isCompared = index < maxCompared;
    if (isCompared && isPrinted(glyphs, entry)) return [];
    const label = isCompared ? findLabel(glyphs, entry) : { place: glyphs.length };
    return [{ place: label.place, glyphs: listGlyphs(entry, label.beside) }];
  });
  // The sort is stable, so entries with the same label keep their order.
  const sorted = placed.toSorted((a, b) => a.place - b.place);
  const all: Glyph[] = [];
  let next = 0;
  for (const { place, glyphs: entryGlyphs } of sorted) {
    for (; next < place; next += 1) all.push(glyphs[next] as Glyph);
    for (const glyph of entryGlyphs) all.push(glyph);
  }
  for (; next < glyphs.length; next += 1) all.push(glyphs[next] as Glyph);
  return all;
}

/** True if the text of the page already shows the value in the field, as some programs print it. */
function isPrinted(glyphs: readonly Glyph[], { text, box }: Entry): boolean {
  const inside = glyphs.filter((glyph) => holds(box, glyph.box)).map((glyph) => glyph.text);
  const removeBlanks = (value: string) => value.replace(/\s/g, '');
  return removeBlanks(text) === removeBlanks(inside.join(''));
}

interface Label {
  /** The number of glyphs before the entry. */
  place: number;
  /** A glyph in the same row as the entry. */
  beside?: Glyph | undefined;
}

function findLabel(glyphs: readonly Glyph[], { box, kind }: Entry): Label {
  const left = findNearest(glyphs, (glyph) => (isLevel(glyph.box, box) ? box.l - glyph.box.r : undefined));
  const right = findNearest(glyphs, (glyph) => (isLevel(glyph.box, box) ? glyph.box.l - box.r : undefined));
  const isRight = right !== undefined && (left === undefined || (kind === 'sign' && right.distance < left.distance));
  if (isRight) return { place: findRunStart(glyphs, right.index), beside: glyphs[right.index] };
  if (left) return { place: left.index + 1, beside: glyphs[left.index] };
  const above = findNearest(glyphs, (glyph) => (measureOverlapX(glyph.box, box) > 0 ? glyph.box.b - box.t : undefined));
  if (above) return { place: findRunEnd(glyphs, above.index) };
  return { place: glyphs.findLastIndex((glyph) => glyph.box.b >= box.t) + 1 };
}

function isLevel(glyph: Box, field: Box): boolean {
  return measureOverlapY(glyph, field) > 0.5 * (glyph.t - glyph.b);
}

/** The closest glyph that does not overlap the field; glyphs with an undefined distance are skipped. */
function findNearest(
  glyphs: readonly Glyph[],
  measureDistance: (glyph: Glyph) => number | undefined,
): { index: number; distance: number } | undefined {
  let best: { index: number; distance: number } | undefined;
  for (const [index, glyph] of glyphs.entries()) {
    if (glyph.text === ' ') continue;
    const distance = measureDistance(glyph);
    if (distance !== undefined && distance > -maxOverlap && distance < (best?.distance ?? Infinity))
      best = { index, distance };
  }
  return best;
}

/** The index at which the run of words containing a glyph begins. */
function findRunStart(glyphs: readonly Glyph[], index: number): number {
  let start = index;
  while (start > 0 && areBeside(glyphs[start - 1] as Glyph, glyphs[start] as Glyph)) start -= 1;
  return start;
}

/** The index after the run of words containing a glyph. */
function findRunEnd(glyphs: readonly Glyph[], index: number): number {
  let end = index + 1;
  while (end < glyphs.length && areBeside(glyphs[end - 1] as Glyph, glyphs[end] as Glyph)) end += 1;
  return end;
}

function areBeside(a: Glyph, b: Glyph): boolean {
  const size = Math.max(a.size, b.size);
  return Math.abs(a.baseline - b.baseline) < 0.2 * size && Math.abs(b.box.l - a.box.r) < size;
}

/** The letters of an entry, in the font and size of the text beside it. */
function listGlyphs({ text, box, kind }: Entry, beside: Glyph | undefined): Glyph[] {
  const high = box.t - box.b;
  const size = beside?.size ?? Math.max(Math.min(sizes.largest, sizes.share * high), sizes.smallest);
  const font = beside ? { ...beside.font, bold: false, italic: false, mono: false } : plainFont;
  const centred = (box.b + box.t - (metrics.above - metrics.below) * size) / 2;
  const style = { box, size, font, isEntry: kind === 'value' || kind === 'number' };
  const isHigh = kind !== 'sign' && high > maxLineHeight * size;
  const lines = isHigh ? wrap(text, (box.r - box.l) / size) : [text];
  if (!isHigh) return placeLetters(text, { ...style, baseline: beside?.baseline ?? centred });
  return lines.flatMap((line, index) =>
    placeLetters(line, { ...style, baseline: box.t - size - index * metrics.leading * size }),
  );
}

/** The estimated width of a text in type sizes. */
function estimateWidth(text: string): number {
  const letters = Array.from(text);
  const spaces = letters.filter((letter) => letter === ' ').length;
  return spaces * metrics.space + (letters.length - spaces) * metrics.letter;
}

/**
 * Keeps the line breaks of a text and breaks lines between words that are wider than this many type sizes. Lines of a text that was
 * broken by hand fit their box, even if their estimated width is a little larger.
 */
function wrap(text: string, maxWidth: number): string[] {
  const broken = text.split(/\r\n?|\n/);
  const limit = broken.length > 1 ? maxWidth * handBroken : maxWidth;
  return broken.flatMap((line) => {
    const lines: string[][] = [];
    let right = Infinity;
    for (const word of line.split(/\s+/).filter((part) => part !== '')) {
      const width = estimateWidth(word);
      right += metrics.space + width;
      if (right <= limit) lines.at(-1)?.push(word);
      else {
        lines.push([word]);
        right = width;
      }
    }
    return lines.map((words) => words.join(' '));
  });
}

function placeLetters(
  text: string,
  style: Pick<Glyph, 'box' | 'baseline' | 'size' | 'font'> & { isEntry: boolean },
): Glyph[] {
  const { box, baseline, size, font, isEntry } = style;
  const letters = Array.from(text.replace(/\s/g, ' '));
  const scale = Math.min(size, (box.r - box.l) / estimateWidth(letters.join('')));
  let r = box.l;
  return letters.map((letter) => {
    const l = r;
    r += scale * (letter === ' ' ? metrics.space : metrics.letter);
    return {
      text: letter,
      box: { l, r, b: baseline - metrics.below * size, t: baseline + metrics.above * size },
      baseline,
      size,
      font,
      rotation: 0,
      invisible: false,
      ...(isEntry ? { isEntry } : {}),
    };
  });
}
