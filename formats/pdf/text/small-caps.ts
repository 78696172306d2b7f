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

/**
 * Widens small letters that are drawn as small capitals. Their text is that of the small letters, and so are the widths that the
 * engine reports: the rest of the capital looks like a gap. Pages without drawn spaces stay as they are.
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
    hasSpaces ??= glyphs.some(({ text }) => text === ' ');
    if (!hasSpaces) return;
    widenInRow(glyphs.slice(start, end));
  }
}

/** The glyphs are on one baseline, in drawing order. */
function widenInRow(row: readonly Glyph[]): void {
  const largest = new Map<string, Glyph>();
  for (const glyph of row)
    if (glyph.size > (largest.get(glyph.font.name)?.size ?? 0)) largest.set(glyph.font.name, glyph);
  for (const [index, glyph] of row.entries()) {
    const next = row[index + 1];
    if (!next || !/^\p{Ll}$/u.test(glyph.text) || !isSmallBeside(glyph, largest.get(glyph.font.name) as Glyph))
      continue;
    const gap = (next.box.l - glyph.box.r) / glyph.size;
    if (gap > 0 && gap < widest) glyph.box.r = next.box.l;
  }
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
