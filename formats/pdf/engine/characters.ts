import { createFrame, frameBox } from '../geometry/frame';
import type { Glyph, RawPage } from '../geometry/page';
import { createShadowTest } from './shadows';
import { isSymbolFont, plainText } from './signs';

/** Letters of scripts that are written from right to left. */
export const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

/** Whether the text holds a letter that is written from right to left; quick for a single sign. */
export function isRightToLeft(text: string): boolean {
  return (text.length > 1 || text.charCodeAt(0) >= 0x590) && rightToLeft.test(text);
}

/**
 * The glyphs worth reading: no controls, no second print of the same sign in the same place (shadows), nothing outside
 * the page or larger than it, and no invisible text unless the page has no other (the text layer of a scan).
 */
export function cleanGlyphs(page: RawPage): Glyph[] {
  const isShadow = createShadowTest();
  const keepInvisible = isScanned(page.glyphs);
  const largest = Math.max(page.width, page.height);
  const isLatin = !page.glyphs.some(({ text }) => text >= '\u2e80' && cjk.test(text));
  const cleaned: Glyph[] = [];
  for (const glyph of page.glyphs) {
    if (glyph.invisible && !keepInvisible) continue;
    // Larger than the page: damage.
    if (!(glyph.size <= largest) || !(glyph.box.r - glyph.box.l <= largest)) continue;
    if (glyph.box.r < 0 || glyph.box.l > page.width || glyph.box.t < 0 || glyph.box.b > page.height) continue;
    const text = readSign(glyph, isLatin);
    if (text === '') continue;
    const clean =
      text === glyph.text ? glyph : { ...glyph, text, ...(isDash.test(glyph.text) ? { isDash: true } : {}) };
    if (text === ' ' || !isShadow(clean)) cleaned.push(clean);
  }
  return swapLigatures(cleaned);
}

const isDash = /[\u2013-\u2015]/;
const cjk = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/;

/**
 * Plain text of a sign. Two kinds of bullets hide behind others: control codes and full-width letters in a font of signs, and, on
 * a page without Chinese, Japanese or Korean, the half-width kana that broken tables of fonts give for a dot.
 */
function readSign({ text, font }: Glyph, isLatin: boolean): string {
  const code = text.charCodeAt(0);
  const isHidden = (code >= 0x80 && code < 0xa0) || (code > 0xff00 && code < 0xff5f);
  if (isHidden && isSymbolFont(font.name)) return '·';
  if (isLatin && code >= 0xff61 && code <= 0xff9f) return '·';
  return plainText(text);
}

/** Most of the text is invisible: the text layer of a scan. */
function isScanned(glyphs: readonly Glyph[]): boolean {
  let balance = 0;
  for (const { invisible, text } of glyphs) if (text !== ' ') balance += invisible ? 1 : -1;
  return balance > 0;
}

/** The letters of a right-to-left ligature share its box and arrive in the order of sight; logical order is the other way. */
function swapLigatures(glyphs: Glyph[]): Glyph[] {
  for (let index = 1; index < glyphs.length; index += 1) {
    const second = glyphs[index] as Glyph;
    if (second.text !== '\u0644') continue;
    const first = glyphs[index - 1] as Glyph;
    if (!/^[\u0622\u0623\u0625\u0627]$/.test(first.text)) continue;
    const isOneGlyph = Math.abs(first.box.l - second.box.l) < 0.05 && Math.abs(first.box.r - second.box.r) < 0.05;
    if (isOneGlyph) [glyphs[index - 1], glyphs[index]] = [second, first];
  }
  return glyphs;
}

/** The quarter turn in which most of the page is written. */
export function mainRotation(glyphs: readonly Glyph[]): number {
  const counts = new Map<number, number>();
  for (let from = 0, to = 0; from < glyphs.length; from = to) {
    const { rotation } = glyphs[from] as Glyph;
    while (to < glyphs.length && glyphs[to]?.rotation === rotation) to += 1;
    if (rotation % 90 === 0) counts.set(rotation, (counts.get(rotation) ?? 0) + to - from);
  }
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
