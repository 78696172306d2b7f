import { findLargest, findSmallest } from '../../extremes';
import type { Font, Glyph } from '../geometry/page';

/** Maximum difference between the sum of the letters' widths and the width of a ligature, as a share of the ligature. */
const tolerance = 0.14;
/** Minimum number of equally wide glyphs i from which the width of a missing f is estimated. */
const minNarrowWidth = 3;
/** The letters that may precede the last letter of a ligature, under which faulty font encodings list the whole ligature. */
const leads: Readonly<Record<string, readonly string[]>> = {
  i: ['f', 'ff'],
  l: ['f', 'ff'],
  f: ['f'],
  t: ['f'],
  h: ['T'],
};

/**
 * Some fonts map a ligature such as fi to its last letter only, so that `first` is read as `irst`. The width shows it: a glyph
 * as wide as f and i together is both, if the font also has a narrow i. The missing letters are inserted before it.
 */
export function restoreLigatures(glyphs: Glyph[]): Glyph[] {
  const fonts = collectWidths(glyphs);
  const wide = new Map<Font, Map<string, Ligature[]>>();
  for (const [font, widths] of fonts) {
    const ligatures = findLigatures(widths);
    if (ligatures.size > 0) wide.set(font, ligatures);
  }
  if (wide.size === 0) return glyphs;
  return glyphs.flatMap((glyph, index) => {
    const width = computeWidth(glyph);
    const wideLigature = wide.get(glyph.font)?.get(glyph.text);
    // The font may already map the ligature ti to both letters.
    if (glyphs[index - 1]?.text === 't' && glyph.text === 'i') return [glyph];
    const ligature = wideLigature?.find((ligature) => Math.abs(ligature.width - width) < 0.006);
    return ligature ? spread(glyph, ligature.lead) : [glyph];
  });
}

interface Ligature {
  width: number;
  /** The letters missing before the one that the font maps. */
  lead: string;
}

/** For each letter, how often each width occurs, as a share of the type size. */
type Widths = Map<string, Map<number, number>>;

function computeWidth({ box, size }: Glyph): number {
  return Math.round(((box.r - box.l) / size) * 100) / 100;
}

function collectWidths(glyphs: readonly Glyph[]): Map<Font, Widths> {
  const fonts = new Map<Font, Widths>();
  for (const glyph of glyphs) {
    const { text, font, rotation } = glyph;
    if (rotation !== 0 || !(text in leads || text === 'T')) continue;
    const widths = fonts.get(font) ?? new Map<string, Map<number, number>>();
    fonts.set(font, widths);
    const counts = widths.get(text) ?? new Map<number, number>();
    widths.set(text, counts);
    const width = computeWidth(glyph);
    counts.set(width, (counts.get(width) ?? 0) + 1);
  }
  return fonts;
}

function findLigatures(widths: Widths): Map<string, Ligature[]> {
  const ligatures = new Map<string, Ligature[]>();
  const usual = (letter: string) => {
    const counts = widths.get(letter);
    return counts && findSmallest(counts.keys());
  };
  const [f, T, thin] = [usual('f'), usual('T'), Math.min(usual('i') ?? Infinity, usual('l') ?? Infinity)];
  // If the page has no single f, assume the width usual in most typefaces: a little wider than an i.
  const hasWideLetters = findLargest(widths.get('i')?.values() ?? [0]) >= minNarrowWidth;
  const usualF = hasWideLetters ? 1.2 * thin : NaN;
  for (const [letter, counts] of widths) {
    // In every typeface, i and l are about equally wide.
    const letterWidth = letter === 'i' || letter === 'l' ? thin : (usual(letter) ?? Infinity);
    if (!(letter in leads)) continue;
    const widthOfF = f ?? (letter === 'i' ? usualF : NaN);
    for (const width of counts.keys()) {
      // A letter that is only a little wider is not a ligature.
      if (width < 1.5 * letterWidth) continue;
      const lead = (leads[letter] ?? []).find((candidate) => {
        // No other ligature ends with h, so the width of T need not be known.
        const before = candidate === 'T' ? (T ?? letterWidth) : widthOfF * candidate.length;
        return Math.abs(before + letterWidth - width) < tolerance * width;
      });
      if (lead !== undefined) ligatures.set(letter, [...(ligatures.get(letter) ?? []), { width, lead }]);
    }
  }
  return ligatures;
}

/** Splits the glyph's box evenly between the letters of the ligature. */
function spread(glyph: Glyph, lead: string): Glyph[] {
  const letters = Array.from(lead + glyph.text);
  const step = (glyph.box.r - glyph.box.l) / letters.length;
  return letters.map((text, index) => ({
    ...glyph,
    text,
    box: { ...glyph.box, l: glyph.box.l + index * step, r: glyph.box.l + (index + 1) * step },
  }));
}
