import { unknownSign } from '../characters/unnamed-signs';
import type { DropReason } from '../engine/characters';
import type { Glyph } from '../geometry/page';

/** The letters and digits of a page, for comparing them with those of the document. */
export interface PageText {
  /** How often each letter and digit occurs on the page, in the form that `listLetters` returns. */
  letters: ReadonlyMap<string, number>;
  /** Text that no viewer shows. */
  hidden: string;
  /** Text beside the visible part of the page. */
  outside: string;
  /** Approximate number of words whose characters the file does not name. */
  unreadable: number;
  /** Number of words that are read but for single characters, U+FFFD, which the file does not name; absent: none. */
  unnamed?: number;
}

/** Fewer unnamed characters next to each other are icons. */
const minUnnamed = 3;
/** The usual number of letters in a word, for estimating a number of words. */
export const lettersPerWord = 5;
const privateUse = /\p{Co}/gu;
/** Larger horizontal gaps, as a share of the type size, separate words. */
const wordGap = 0.2;

/** Describes the text of a page from the glyphs that are read and those that are not. */
export function describeText(
  read: readonly Glyph[],
  { hidden, outside, unnamed }: Readonly<Record<DropReason, readonly Glyph[]>>,
): PageText {
  const letters = new Map<string, number>();
  for (const { text } of read) addLetters(letters, text);
  const isNamed = !read.some(({ text }) => text >= '\ue000' && text.search(privateUse) >= 0);
  const strange = isNamed ? [] : joinGlyphs(read).split(/\s+/);
  const hasUnknown = read.some(({ text }) => text === unknownSign);
  return {
    letters,
    hidden: joinGlyphs(hidden),
    outside: joinGlyphs(outside),
    unreadable:
      countUnnamed(joinGlyphs(unnamed, unknownSign).match(/\ufffd+/g) ?? []) +
      countUnnamed(strange.map((word) => word.match(privateUse)?.join('') ?? '')),
    ...(hasUnknown ? { unnamed: joinGlyphs(read).match(/\S*\ufffd\S*/g)?.length ?? 0 } : {}),
  };
}

function countUnnamed(parts: readonly string[]): number {
  return parts.reduce((sum, { length }) => sum + (length < minUnnamed ? 0 : Math.ceil(length / lettersPerWord)), 0);
}

/** The text of glyphs in drawing order, with spaces where they are apart; `sign` replaces each glyph. */
function joinGlyphs(glyphs: readonly Glyph[], sign?: string): string {
  let text = '';
  let last: Glyph | undefined;
  for (const glyph of glyphs) {
    if (last && (Math.abs(last.baseline - glyph.baseline) > 0.5 * glyph.size || isApart(last, glyph))) text += ' ';
    text += sign ?? glyph.text;
    last = glyph;
  }
  return text.trim();
}

function isApart({ box: before }: Glyph, { box, size }: Glyph): boolean {
  return box.l - before.r > wordGap * size || before.l - box.r > wordGap * size;
}

const plainForms = new Map<string, readonly string[]>();
/** The forms of more characters than this are not cached. */
const maxForms = 20_000;

/** The letters and digits of a text in their simplest form: lower case, without marks, ligatures as their letters. */
export function listLetters(text: string): readonly string[] {
  return (
    text
      .normalize('NFKD')
      .toLowerCase()
      .match(/[\p{L}\p{N}]/gu) ?? []
  );
}

/** Adds the letters and digits of a text, and caches those of short ones, such as glyphs. */
export function addLetters(counts: Map<string, number>, text: string): void {
  let letters = plainForms.get(text);
  if (!letters) {
    letters = listLetters(text);
    if (text.length <= 2 && plainForms.size < maxForms) plainForms.set(text, letters);
  }
  for (const letter of letters) counts.set(letter, (counts.get(letter) ?? 0) + 1);
}
