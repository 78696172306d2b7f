import { type Box, holds, measureOverlapX, measureOverlapY } from '../geometry/box';
import type { Font, Glyph } from '../geometry/page';
import type { Entry } from './forms';

/** As shares of the type size: letter width, line spacing, and distance of the baseline below the middle. */
const type = { width: 0.5, leading: 1.15, below: 0.28 };
/** Type size in points if no text is beside the entry, its minimum, and the share of a field's height that text fills. */
const sizes = { usual: 10, min: 4, share: 0.75 };
/** Fields higher than this, as a share of the type size, may contain several lines. */
const highLine = 2.2;
/** The most glyphs examined for labels on one page; a form of 500 fields and 5,000 letters needs 2.5 million. */
const maxLooks = 4_000_000;
/** Maximum overlap of a label with its field, in points. */
const slack = 2;
const plainFont: Font = { name: '', bold: false, italic: false, mono: false };

/** Replaces numbers by what their fields show; `left` are the drawn glyphs outside these fields. */
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
 * Inserts the glyphs of the entries, each beside its label: the words to the left (or to the right, for a checkbox), else those
 * above. Entries have no letter positions, so these are estimated.
 */
export function insertEntries(glyphs: readonly Glyph[], entries: readonly Entry[]): Glyph[] {
  // Text typed on the page may label the fields.
  const comments = entries.filter(({ kind }) => kind === 'comment');
  const fields = entries.filter(({ kind }) => kind !== 'comment');
  return insertGroup(insertGroup(glyphs, comments), fields);
}

function insertGroup(glyphs: readonly Glyph[], entries: readonly Entry[]): Glyph[] {
  if (entries.length === 0) return [...glyphs];
  // Each entry examines all glyphs; on maliciously large pages, the entries beyond the limit are placed at the end.
  const looking = Math.ceil(maxLooks / Math.max(glyphs.length, 1));
  const placed = entries.flatMap((entry, index) => {
    const isLooking = index < looking;
    if (isLooking && isPrinted(glyphs, entry)) return [];
    const label = isLooking ? findLabel(glyphs, entry) : { place: glyphs.length };
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

/** True if the value is also printed on the page, as some programs do. */
function isPrinted(glyphs: readonly Glyph[], { text, box }: Entry): boolean {
  const inside = glyphs.filter((glyph) => holds(box, glyph.box)).map((glyph) => glyph.text);
  const bare = (words: string) => words.replace(/\s/g, '');
  return bare(text) === bare(inside.join(''));
}

interface Label {
  /** Number of glyphs before the entry. */
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
    if (distance !== undefined && distance > -slack && distance < (best?.distance ?? Infinity))
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
  const size = beside?.size ?? Math.max(Math.min(sizes.usual, sizes.share * high), sizes.min);
  const font = beside ? { ...beside.font, bold: false, italic: false, mono: false } : plainFont;
  const middle = (box.b + box.t) / 2 - type.below * size;
  const style = { box, size, font, isEntry: kind === 'value' || kind === 'number' };
  const isHigh = kind !== 'sign' && high > highLine * size;
  const lines = isHigh ? wrap(text, (box.r - box.l) / (type.width * size)) : [text];
  if (!isHigh) return placeLetters(text, { ...style, baseline: beside?.baseline ?? middle });
  return lines.flatMap((line, index) =>
    placeLetters(line, { ...style, baseline: box.t - size - index * type.leading * size }),
  );
}

/** Splits a text into lines and breaks long ones between words. */
function wrap(text: string, maxLength: number): string[] {
  return text.split(/\r\n?|\n/).flatMap((line) => {
    const lines = [''];
    for (const word of line.split(/\s+/)) {
      const last = lines.at(-1) as string;
      if (last === '') lines[lines.length - 1] = word;
      else if (last.length + 1 + word.length <= maxLength) lines[lines.length - 1] = `${last} ${word}`;
      else lines.push(word);
    }
    return lines.filter((line) => line !== '');
  });
}

function placeLetters(
  text: string,
  style: Pick<Glyph, 'box' | 'baseline' | 'size' | 'font'> & { isEntry: boolean },
): Glyph[] {
  const { box, baseline, size, font, isEntry } = style;
  const letters = Array.from(text.replace(/\s/g, ' '));
  const width = Math.min(type.width * size, (box.r - box.l) / letters.length);
  return letters.map((letter, index) => {
    const l = box.l + index * width;
    return {
      text: letter,
      box: { l, r: l + width, b: baseline - 0.22 * size, t: baseline + 0.78 * size },
      baseline,
      size,
      font,
      rotation: 0,
      invisible: false,
      ...(isEntry ? { isEntry } : {}),
    };
  });
}
