import { createFrame, frameBox } from './frame';
import type { Glyph, RawPage } from './page';

/** Letters of scripts that are written from right to left. */
export const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

/** Symbol fonts put their signs at U+F000 and above; these are the ones that carry meaning in text. */
const symbolSigns: Record<string, string> = {
  '\uf0b7': '·',
  '\uf0a7': '▪',
  '\uf06f': '□',
  '\uf0a8': '□',
  '\uf0fe': '☑',
  '\uf0fc': '✓',
  '\uf0d8': '➢',
  '\uf0e0': '→',
  '\uf02d': '-',
};
const plainSigns: Record<string, string> = {
  '\u2018': "'",
  '\u2019': "'",
  '\u201a': "'",
  '\u201b': "'",
  '\u201c': '"',
  '\u201d': '"',
  '\u201e': '"',
  '\u2010': '-',
  '\u2011': '-',
  '\u2012': '-',
  '\u2013': '-',
  '\u2014': '-',
  '\u2015': '-',
  '\u2212': '-',
  '\u00ad': '-',
  '\u0002': '-',
  '\u2044': '/',
  '\u2022': '·',
  '\u00a0': ' ',
};

/**
 * The glyphs worth reading: no controls, no second print of the same sign in the same place (shadows), nothing outside
 * the page, and no invisible text unless the page has no other (the text layer of a scan).
 */
export function cleanGlyphs(page: RawPage): Glyph[] {
  const visible = page.glyphs.filter(({ invisible, text }) => !invisible && text.trim() !== '');
  const keepInvisible =
    visible.length < page.glyphs.filter(({ invisible, text }) => invisible && text.trim() !== '').length;
  const printed = new Map<string, Glyph[]>();
  const cleaned: Glyph[] = [];
  for (const glyph of page.glyphs) {
    if (glyph.invisible && !keepInvisible) continue;
    if (glyph.box.r < 0 || glyph.box.l > page.width || glyph.box.t < 0 || glyph.box.b > page.height) continue;
    const text = plainText(glyph.text);
    if (text === '') continue;
    if (text.trim() !== '' && isRepeated(printed, glyph, text)) continue;
    cleaned.push({ ...glyph, text });
  }
  return swapLigatures(cleaned);
}

/** The letters of a right-to-left ligature share its box and arrive in the order of sight; logical order is the other way. */
function swapLigatures(glyphs: Glyph[]): Glyph[] {
  for (let index = 1; index < glyphs.length; index += 1) {
    const [first, second] = [glyphs[index - 1] as Glyph, glyphs[index] as Glyph];
    if (!/^[\u0622\u0623\u0625\u0627]$/.test(first.text) || second.text !== '\u0644') continue;
    const isOneGlyph = Math.abs(first.box.l - second.box.l) < 0.05 && Math.abs(first.box.r - second.box.r) < 0.05;
    if (isOneGlyph) [glyphs[index - 1], glyphs[index]] = [second, first];
  }
  return glyphs;
}

/** Ligatures and presentation forms in their letters, quotes and dashes in their plain forms; controls give nothing. */
export function plainText(text: string): string {
  const sign = symbolSigns[text] ?? plainSigns[text];
  if (sign !== undefined) return sign;
  if (/[\ufb00-\ufdff\ufe70-\ufefc]/.test(text)) return text.normalize('NFKC');
  if (/[\t\n\r\u2000-\u200a\u202f\u3000]/.test(text)) return ' ';
  return /[\p{Cc}\u200b\u200e\u200f\u202a-\u202e\ufeff\ufffd]/u.test(text) ? '' : text;
}

/** The same sign printed again within a fraction of its width, as shadows and false bold are. */
function isRepeated(printed: Map<string, Glyph[]>, glyph: Glyph, text: string): boolean {
  const reach = Math.min(0.3 * (glyph.box.r - glyph.box.l), 0.12 * glyph.size);
  const cell = (x: number) => `${text}@${x},${Math.round(glyph.baseline / 4)}`;
  const column = Math.round(glyph.box.l / 4);
  const near = [column - 1, column, column + 1].flatMap((x) => printed.get(cell(x)) ?? []);
  const isShadow = near.some(
    (other) =>
      Math.abs(other.box.l - glyph.box.l) < reach &&
      Math.abs(other.baseline - glyph.baseline) < 0.12 * glyph.size &&
      Math.abs(other.size - glyph.size) < 0.1 * glyph.size,
  );
  if (!isShadow) printed.set(cell(column), [...(printed.get(cell(column)) ?? []), glyph]);
  return isShadow;
}

/** The direction in which most of the page is written. */
export function mainRotation(glyphs: readonly Glyph[]): number {
  const counts = new Map<number, number>();
  for (const { rotation } of glyphs) counts.set(rotation, (counts.get(rotation) ?? 0) + 1);
  return [...counts].toSorted((a, b) => b[1] - a[1])[0]?.[0] ?? 0;
}

/** Glyphs as they stand on a page of this size after a clockwise turn, which makes text of that rotation upright. */
export function turnGlyphs(
  glyphs: readonly Glyph[],
  rotation: number,
  size: { width: number; height: number },
): Glyph[] {
  if (rotation === 0) return [...glyphs];
  const frame = createFrame({ l: 0, b: 0, r: size.width, t: size.height }, rotation);
  return glyphs.map((glyph) => {
    const box = frameBox(frame, glyph.box.l, glyph.box.b, glyph.box.r, glyph.box.t);
    const upright = (glyph.rotation - rotation + 360) % 360;
    return { ...glyph, box, baseline: box.b + 0.22 * (box.t - box.b), rotation: upright };
  });
}
