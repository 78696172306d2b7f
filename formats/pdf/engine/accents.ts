import { isMathFont } from '../formula/mathematics';
import type { Glyph } from '../geometry/page';

/** Accents that are drawn as separate glyphs, with the combining character that adds them to a letter. */
const accents: Readonly<Record<string, string>> = {
  '`': '\u0300',
  '\u00b4': '\u0301',
  '^': '\u0302',
  '\u02c6': '\u0302',
  '~': '\u0303',
  '\u02dc': '\u0303',
  '\u00af': '\u0304',
  '\u02d8': '\u0306',
  '\u02d9': '\u0307',
  '\u00a8': '\u0308',
  '\u02da': '\u030a',
  '\u02dd': '\u030b',
  '\u02c7': '\u030c',
  '\u00b8': '\u0327',
  '\u02db': '\u0328',
};
const dotless: Readonly<Record<string, string>> = { '\u0131': 'i', '\u0237': 'j' };
/** Largest distance between the baselines of accent and letter, in type sizes: capitals raise their accents. */
const maxRaised = 0.4;

/**
 * Joins accents with the letters that they are printed over, as TeX draws them with fonts that have no accented letters. Signs
 * beside a letter, as in code, do not change, nor do accents that fit no letter.
 */
export function joinAccents(glyphs: Glyph[]): Glyph[] {
  if (!glyphs.some(isAccent)) return glyphs;
  const joined: Glyph[] = [];
  for (let index = 0; index < glyphs.length; index += 1) {
    const glyph = glyphs[index] as Glyph;
    const mark = accents[glyph.text];
    const next = mark === undefined ? undefined : addAccent(glyphs[index + 1], glyph, mark);
    const before = mark === undefined || next ? undefined : addAccent(joined.at(-1), glyph, mark);
    if (before) joined[joined.length - 1] = before;
    else joined.push(next ?? glyph);
    if (next) index += 1;
  }
  return joined;
}

/** The stroke with which TeX crosses out the sign after it. */
const negation = '\u0338';

/** Codes compare faster than texts. */
function includesSign(glyphs: readonly Glyph[], sign: string): boolean {
  const code = sign.charCodeAt(0);
  return glyphs.some(({ text }) => text.charCodeAt(0) === code);
}

/** Joins the stroke of TeX with the sign that it crosses out: \u2260 and \u2209. A stroke that crosses out nothing is dropped. */
export function joinNegations(glyphs: Glyph[]): Glyph[] {
  if (!includesSign(glyphs, negation)) return glyphs;
  return glyphs.flatMap((glyph, index) => {
    if (glyph.text === negation) return [];
    if (glyphs[index - 1]?.text !== negation) return [glyph];
    const text = (glyph.text + negation).normalize('NFC');
    return [text.length === 1 ? { ...glyph, text } : glyph];
  });
}

/** The circle of TeX, and the signs that it makes of the letter inside it. */
const circle = '\u25ef';
const circled: Readonly<Record<string, string>> = { c: '\u00a9', C: '\u00a9', R: '\u00ae', r: '\u00ae', P: '\u2117' };

/** Joins the circle of TeX with the letter that is drawn inside it: \u00a9 and \u00ae. */
export function joinCircles(glyphs: Glyph[]): Glyph[] {
  if (!includesSign(glyphs, circle)) return glyphs;
  const isInside = ({ box }: Glyph, { box: outer }: Glyph) => box.l >= outer.l && box.r <= outer.r;
  const joined: Glyph[] = [];
  for (const glyph of glyphs) {
    const last = joined.at(-1);
    const sign = circled[glyph.text];
    if (last?.text === circle && sign !== undefined && isInside(glyph, last))
      joined[joined.length - 1] = { ...glyph, text: sign, box: last.box };
    else joined.push(glyph);
  }
  return joined;
}

/** Compares codes first, because most glyphs are letters. */
function isAccent({ text }: Glyph): boolean {
  const code = text.charCodeAt(0);
  return (code >= 0xa8 || code === 0x5e || code === 0x60 || code === 0x7e) && accents[text] !== undefined;
}

/** The letter with the accent over or below it; undefined if the accent is beside it or no such letter exists. */
function addAccent(letter: Glyph | undefined, accent: Glyph, mark: string): Glyph | undefined {
  if (!letter || letter.rotation !== accent.rotation || !/^[\p{L}\u2206]$/u.test(letter.text)) return undefined;
  const { box, size } = letter;
  const middle = (accent.box.l + accent.box.r) / 2;
  const shared = Math.min(box.r, accent.box.r) - Math.max(box.l, accent.box.l);
  const isOver =
    middle > box.l && middle < box.r && shared > 0.5 * Math.min(box.r - box.l, accent.box.r - accent.box.l);
  if (!isOver || Math.abs(letter.baseline - accent.baseline) > maxRaised * size) return undefined;
  const text = ((dotless[letter.text] ?? letter.text) + mark).normalize('NFC');
  // Letters of formulas bear accents that no single character has.
  return text.length === 1 || isMathFont(letter.font) || letter.text === '\u2206' ? { ...letter, text } : undefined;
}
