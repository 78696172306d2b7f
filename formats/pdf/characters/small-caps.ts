import type { Glyph } from '../geometry/page';

/** The size of small capitals, as a share of that of the capitals beside them. */
const share = { min: 0.62, max: 0.88 };
/** A small capital is at most this much wider than the small letter that it stands for, in type sizes. */
const widest = 0.42;
/** Fewer letters may be an index or a unit of measurement. */
const minLetters = 3;
/** Rounding of type sizes, in points. */
const slack = 0.1;
/** Glyphs on one baseline differ by at most this height, in points. */
const level = 0.2;

/** Most small capitals, by share, are at least this much wider than their small letters; I and P hardly are. */
const wider = { least: 0.08, share: 0.7 };

/**
 * Widens small letters that are drawn as small capitals. Their text is that of the small letters, and so are the widths that the
 * engine reports: the rest of the capital looks like a gap. Ordinary letters in smaller type have no gaps within words. Pages
 * without drawn spaces stay as they are.
 */
export function widenSmallCapitals(glyphs: readonly Glyph[]): void {
  let hasSpaces: boolean | undefined;
  for (let start = 0, end = 0; start < glyphs.length; start = end) {
    const { baseline, size } = glyphs[start] as Glyph;
    let isMixed = false;
    for (end = start + 1; end < glyphs.length; end += 1) {
      const glyph = glyphs[end] as Glyph;
      if (Math.abs(glyph.baseline - baseline) > level) break;
      isMixed ||= glyph.size !== size;
    }
    if (!isMixed) continue;
    hasSpaces ??= glyphs.some(isSpace);
    if (!hasSpaces) return;
    widenInRow(glyphs.slice(start, end));
  }
}

/** The glyphs are on one baseline, in drawing order. */
function widenInRow(row: readonly Glyph[]): void {
  const words = splitWords(row);
  const largest = new Map<string, Glyph>();
  for (const glyph of row)
    if (glyph.size > (largest.get(glyph.font.name)?.size ?? 0)) largest.set(glyph.font.name, glyph);
  const isSmall = (glyph: Glyph) =>
    /^\p{Ll}$/u.test(glyph.text) && isSmallBeside(glyph, largest.get(glyph.font.name) as Glyph);
  const wide = words.flatMap((word) => {
    const pairs = listPairs(word).filter(([glyph]) => isSmall(glyph));
    const apart = pairs.filter(([glyph, next]) => measureGap(glyph, next) >= wider.least);
    return apart.length > 0 && apart.length >= wider.share * pairs.length ? pairs : [];
  });
  if (wide.length < minLetters) return;
  for (const [glyph, next] of wide) glyph.box.r = Math.max(glyph.box.r, next.box.l);
}

/** The glyphs between drawn spaces and gaps wider than those after small capitals. */
function splitWords(row: readonly Glyph[]): Glyph[][] {
  const words: Glyph[][] = [];
  let last: Glyph | undefined;
  for (const glyph of row) {
    const isApart = !last || isSpace(last) || Math.abs(measureGap(last, glyph)) >= widest;
    if (!isSpace(glyph)) {
      if (isApart) words.push([]);
      words.at(-1)?.push(glyph);
    }
    last = glyph;
  }
  return words;
}

function isSpace({ text }: Glyph): boolean {
  return text === ' ';
}

function listPairs(word: readonly Glyph[]): [glyph: Glyph, next: Glyph][] {
  return word.slice(1).map((next, index) => [word[index] as Glyph, next]);
}

/** The gap after a glyph, in type sizes. */
function measureGap({ box, size }: Glyph, next: Glyph): number {
  return (next.box.l - box.r) / size;
}

/** True for a glyph in the same font and on the same baseline as another, and as much smaller as small capitals are. */
function isSmallBeside({ size, font, baseline }: Glyph, other: Glyph): boolean {
  return (
    size <= share.max * other.size &&
    size >= share.min * other.size &&
    Math.abs(baseline - other.baseline) <= level &&
    font.name === other.font.name
  );
}

/** The size of the capitals in a line of capitals and small capitals, whose common `size` is that of the small ones. */
export function findCapitalSize(glyphs: readonly Glyph[], size: number): number | undefined {
  const capital = glyphs.find((glyph) => glyph.size > size + slack);
  if (!capital) return undefined;
  const letters = glyphs.filter(({ text }) => /^\p{L}$/u.test(text));
  const small = letters.filter((glyph) => Math.abs(glyph.size - size) <= slack);
  const large = letters.filter((glyph) => Math.abs(glyph.size - size) > slack);
  if (small.length < minLetters || large.length === 0) return undefined;
  const lower = small.filter(({ text }) => /^\p{Ll}$/u.test(text)).length;
  const isOneCase = lower === 0 || lower === small.length;
  const areSmall = isOneCase && small.every((glyph) => isSmallBeside(glyph, capital));
  const areLarge = large.every(
    ({ text, size: own }) => /^\p{Lu}$/u.test(text) && Math.abs(own - capital.size) <= slack,
  );
  return areSmall && areLarge ? capital.size : undefined;
}
