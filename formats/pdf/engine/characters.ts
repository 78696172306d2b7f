import { findGarbledFonts, type GarbledFonts, readInGlyphOrder } from '../characters/garbled-fonts';
import { findMisreadFonts } from '../characters/misread-letters';
import { findSignsInText, unknownSign } from '../characters/unnamed-signs';
import { createFrame, createFrameBox } from '../geometry/frame';
import type { Font, Glyph, RawPage } from '../geometry/page';
import { joinAccents, joinCircles, joinNegations } from './accents';
import { createShadowTest } from './shadows';
import {
  hasPlainLetters,
  isSymbolFont,
  readSymbolGreek,
  readTexSymbol,
  readTexText,
  readWingding,
  toPlainText,
} from './signs';

/** Letters of right-to-left scripts. */
export const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

/** True if the text contains a right-to-left letter; fast for a single character. */
export function isRightToLeft(text: string): boolean {
  return (text.length > 1 || text.charCodeAt(0) >= 0x590) && rightToLeft.test(text);
}

/** True if more than half of the lines contain a right-to-left letter. */
export function areRightToLeft(lines: readonly { text: string }[]): boolean {
  return lines.filter(({ text }) => rightToLeft.test(text)).length > 0.5 * lines.length;
}

/** Why a glyph that is text is not read. */
export type DropReason = 'hidden' | 'outside' | 'unnamed';

/**
 * Drops glyphs that should not be read: control characters, repeated prints of one glyph in one place (shadows), glyphs outside
 * the page or larger than it, and invisible text, unless it is most of the text (the text layer of a scan). `drop` receives
 * invisible glyphs, those outside the page, and those whose character the file does not name; inside text, these become U+FFFD.
 */
export function cleanGlyphs(page: RawPage, drop?: (glyph: Glyph, reason: DropReason) => void): Glyph[] {
  const isShadow = createShadowTest();
  const keepInvisible = isScanned(page.glyphs);
  const largest = Math.max(page.width, page.height);
  const shifted = findShiftedFonts(page.glyphs);
  const garbled = findGarbledFonts(page.glyphs);
  const misread = findMisreadFonts(page.glyphs);
  const isNamed = garbled.size === 0 && misread.size === 0;
  const signsInText = findSignsInText(page.glyphs, garbled);
  const isLatin = !page.glyphs.some(({ text }) => text.charCodeAt(0) >= 0x2e80 && cjk.test(text));
  const isPlainLetter = createLetterTest((font) => !garbled.has(font) && !misread.has(font) && !shifted.has(font));
  const cleaned: Glyph[] = [];
  let before: Glyph | undefined;
  for (const glyph of page.glyphs) {
    const last = before;
    before = glyph;
    if (glyph.invisible && !keepInvisible) {
      drop?.(glyph, 'hidden');
      continue;
    }
    // Larger than the page: the data is damaged.
    if (!(glyph.size <= largest) || !(glyph.box.r - glyph.box.l <= largest)) continue;
    if (glyph.box.r < 0 || glyph.box.l > page.width || glyph.box.t < 0 || glyph.box.b > page.height) {
      drop?.(glyph, 'outside');
      continue;
    }
    const isPlain = isPlainLetter(glyph);
    const named = isPlain || isNamed ? glyph : nameGlyph(glyph, garbled, misread.get(glyph.font));
    let { text } = glyph;
    if (!isPlain) {
      const isDot = named.text === hyphenCode && isBullet(glyph, last);
      const unshifted = isDot ? '·' : readSign(named, isLatin);
      const read = shifted.has(glyph.font) ? toUnshiftedText(named.text) : unshifted;
      text = isLost(named, read) && signsInText.has(glyph) ? unknownSign : read;
    }
    if (text === '') {
      if (unnamed.test(named.text)) drop?.(glyph, 'unnamed');
      continue;
    }
    const clean = text === glyph.text ? glyph : { ...glyph, text, ...getDash(glyph) };
    if (text === ' ' || !isShadow(clean)) cleaned.push(clean);
  }
  return swapLigatures(joinCircles(joinNegations(joinAccents(cleaned))));
}

/** Returns a test for ASCII characters of fonts that have them at these codes: most glyphs, which need no other rule. */
function createLetterTest(isRead: (font: Font) => boolean): (glyph: Glyph) => boolean {
  let font: Font | undefined;
  let isPlainFont = false;
  return (glyph) => {
    if (glyph.font !== font) {
      font = glyph.font;
      isPlainFont = hasPlainLetters(font.name) && isRead(font);
    }
    const code = glyph.text.charCodeAt(0);
    return isPlainFont && code >= 0x20 && code < 0x7f && glyph.text.length === 1;
  };
}

/** True for a visible sign that is read as nothing, as a space, or as the engine's hyphen. */
function isLost({ text, isUnnamed }: Glyph, read: string): boolean {
  return isUnnamed === true && (read === '' || read === ' ' || (read === '-' && text === hyphenCode));
}

/** The glyph with the character that it shows, as far as it is known, if its font is garbled or misread. */
function nameGlyph(glyph: Glyph, garbled: GarbledFonts, characters: ReadonlyMap<string, string> | undefined): Glyph {
  const right = characters?.get(glyph.text);
  if (right !== undefined) return { ...glyph, text: right };
  const kind = garbled.get(glyph.font);
  if (!kind) return glyph;
  return { ...glyph, text: kind === 'glyph order' ? readInGlyphOrder(glyph.text) : unknownSign };
}

/** The replacement character, and control codes other than spaces. */
const unnamed = /\ufffd|[^\P{Cc}\t\n\v\f\r]/u;

/** Fonts with at least this many different signs at F021 to F07E, half of them letters, contain text there. */
const minShifted = 12;

/**
 * Fonts that list letters at F000 plus their code, as symbol fonts list their signs: fonts not named as symbol fonts that use
 * many different such codes.
 */
function findShiftedFonts(glyphs: readonly Glyph[]): Set<Font> {
  const signs = new Map<Font, Set<string>>();
  for (const { text, font } of glyphs) {
    const code = text.charCodeAt(0);
    if (code < 0xf020 || code > 0xf0ff) continue;
    const fontSigns = signs.get(font);
    if (fontSigns) fontSigns.add(text);
    else signs.set(font, new Set([text]));
  }
  const isText = ([font, own]: [Font, Set<string>]) => {
    const letters = [...own].filter((sign) => /\p{L}/u.test(toUnshiftedText(sign))).length;
    return own.size >= minShifted && letters >= 0.5 * own.size && !isSymbolFont(font.name);
  };
  return new Set([...signs].filter(isText).map(([font]) => font));
}

function toUnshiftedText(text: string): string {
  const code = text.charCodeAt(0);
  return code >= 0xf020 && code <= 0xf0ff ? toPlainText(String.fromCharCode(code - 0xf000)) : toPlainText(text);
}

function getDash({ text }: Glyph): Pick<Glyph, 'isDash' | 'isLongDash'> {
  if (!/[\u2013-\u2015]/.test(text)) return {};
  return text === '\u2013' ? { isDash: true } : { isDash: true, isLongDash: true };
}

const cjk = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/;

/**
 * The plain text of a glyph. Two kinds of characters are really bullets: control codes and full-width letters in a symbol font,
 * and half-width kana on a page without Chinese, Japanese or Korean, where a faulty font encoding maps a dot to them.
 */
function readSign({ text, font }: Glyph, isLatin: boolean): string {
  const code = text.charCodeAt(0);
  const isHidden = (code >= 0x80 && code < 0xa0) || (code > 0xff00 && code < 0xff5f);
  if (isHidden && isSymbolFont(font.name)) return '·';
  if (isLatin && code >= 0xff61 && code <= 0xff9f) return '·';
  return (
    readTexSymbol(code, font.name) ??
    readTexText(code, font.name) ??
    readWingding(text, font.name) ??
    readSymbolGreek(text, font.name) ??
    toPlainText(text)
  );
}

/** The engine's code of a hyphen at a line end. */
const hyphenCode = '\u0002';

/** True for that code without a letter before it: fonts without glyph names have a bullet there. */
function isBullet({ box, baseline, size }: Glyph, before: Glyph | undefined): boolean {
  return !before || Math.abs(before.baseline - baseline) > 0.2 * size || Math.abs(box.l - before.box.r) > 0.5 * size;
}

/** True if most of the text is invisible: the text layer of a scan. */
function isScanned(glyphs: readonly Glyph[]): boolean {
  let balance = 0;
  for (const { invisible, text } of glyphs) if (text !== ' ') balance += invisible ? 1 : -1;
  return balance > 0;
}

/** The letters of a right-to-left ligature share its box and arrive in visual order; this puts them in logical order. */
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

/** The quarter turn, in degrees, in which most glyphs are written. */
export function findMainRotation(glyphs: readonly Glyph[]): number {
  const counts = new Map<number, number>();
  for (let from = 0, to = 0; from < glyphs.length; from = to) {
    const { rotation } = glyphs[from] as Glyph;
    while (to < glyphs.length && glyphs[to]?.rotation === rotation) to += 1;
    if (rotation % 90 === 0) counts.set(rotation, (counts.get(rotation) ?? 0) + to - from);
  }
  return [...counts].toSorted((a, b) => b[1] - a[1])[0]?.[0] ?? 0;
}

/** The glyphs after a clockwise turn of a page of this size, which makes text with that rotation upright. */
export function turnGlyphs(
  glyphs: readonly Glyph[],
  rotation: number,
  size: { width: number; height: number },
): Glyph[] {
  if (rotation === 0) return [...glyphs];
  const frame = createFrame({ l: 0, b: 0, r: size.width, t: size.height }, rotation);
  return glyphs.map((glyph) => {
    const box = createFrameBox(frame, glyph.box.l, glyph.box.b, glyph.box.r, glyph.box.t);
    const upright = (glyph.rotation - rotation + 360) % 360;
    return { ...glyph, box, baseline: box.b + 0.22 * (box.t - box.b), rotation: upright };
  });
}
