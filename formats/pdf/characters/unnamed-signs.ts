import { extensionFont, isSymbolFont } from '../engine/signs';
import type { Font, Glyph } from '../geometry/page';

/** The replacement character, for signs whose character is unknown. */
export const unknownSign = '\ufffd';

/**
 * Distances as shares of the type size: signs of one word are closer than `touching`, words of one line closer than `near`, and a sign
 * before a number closer than `before`.
 */
const gap = { touching: 0.2, near: 1.5, before: 0.6 };
/** Signs of comparison and calculation are at least this wide, bullets narrower, as a share of the type size. */
const minOperator = 0.5;
/** Signs that share more of their width with a letter are accents, as a share of the type size. */
const maxOverlap = 0.2;
/** More unnamed signs beside each other are words of their own. */
const maxAlone = 2;

/**
 * The unnamed signs that belong to the text around them: those of a word with letters or digits, those between two words of a line, and
 * wide ones before a number. Without them the text would say something else, as `20 g` for `20 µg`. Others are bullets, icons and accents.
 * Fonts in `except` are read otherwise.
 */
export function findSignsInText(
  glyphs: readonly Glyph[],
  except: { has(font: Font): boolean } = new Set<Font>(),
): ReadonlySet<Glyph> {
  const found = new Set<Glyph>();
  for (let from = 0, to = 0; from < glyphs.length; from = to) {
    to = from + 1;
    const first = glyphs[from] as Glyph;
    if (!first.isUnnamed || except.has(first.font) || !isTextFont(first.font)) continue;
    while (glyphs[to]?.isUnnamed && isClose(glyphs[to - 1] as Glyph, glyphs[to], gap.touching)) to += 1;
    const signs = glyphs.slice(from, to);
    const before = findWord(glyphs, from, -1);
    const after = findWord(glyphs, to - 1, 1);
    if (signs.some((sign) => isOver(sign, before) || isOver(sign, after))) continue;
    if (isInText(signs, before, after)) for (const sign of signs) found.add(sign);
  }
  return found;
}

function isInText(signs: readonly Glyph[], before: Glyph | undefined, after: Glyph | undefined): boolean {
  const [first, last] = [signs[0] as Glyph, signs.at(-1) as Glyph];
  if (isClose(first, before, gap.touching) || isClose(last, after, gap.touching)) return true;
  if (signs.length > maxAlone) return false;
  if (isClose(first, before, gap.near) && isClose(last, after, gap.near)) return true;
  const isWide = first.box.r - first.box.l >= minOperator * first.size;
  return isWide && /^[\d.,]/.test(after?.text ?? '') && isClose(last, after, gap.before);
}

function isTextFont({ name }: Font): boolean {
  return !extensionFont.test(name) && (!isSymbolFont(name) || /^symbol/i.test(name));
}

/** The next letter, digit or other sign in this direction, across spaces. */
function findWord(glyphs: readonly Glyph[], index: number, step: 1 | -1): Glyph | undefined {
  let at = index + step;
  while (glyphs[at]?.text.trim() === '') at += step;
  const glyph = glyphs[at];
  return glyph && !glyph.isUnnamed && /[\p{L}\p{N}\p{P}\p{S}]/u.test(glyph.text) ? glyph : undefined;
}

/** True if both are in one line, at most this share of the type size apart. */
function isClose(sign: Glyph, other: Glyph | undefined, share: number): boolean {
  if (!other || sign.rotation !== other.rotation) return false;
  const { l, r, b, t } = sign.box;
  const size = Math.max(sign.size, other.size);
  if (sign.rotation % 180 === 0 && Math.abs(sign.baseline - other.baseline) > 0.5 * size) return false;
  return Math.max(other.box.l - r, l - other.box.r, 0) + Math.max(other.box.b - t, b - other.box.t, 0) < share * size;
}

/** True for a sign drawn over or under a letter. */
function isOver(sign: Glyph, other: Glyph | undefined): boolean {
  if (!other || sign.rotation !== 0 || other.rotation !== 0) return false;
  const shared = Math.min(sign.box.r, other.box.r) - Math.max(sign.box.l, other.box.l);
  return shared > maxOverlap * sign.size && isClose(sign, other, gap.touching);
}
