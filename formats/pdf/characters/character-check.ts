import type { Pdfium, Scratch } from '../engine/pdfium';
import type { Font, Glyph } from '../geometry/page';

/** The code of the replacement character. */
const unknownCode = 0xfffd;
/** The ink of a visible sign is higher and wider than this share of the type size. */
const minInk = 0.02;
/** Letters reach below the baseline if their ink goes this far down, as a share of the type size. */
const minDescent = 0.1;
/** A font with at least this many letters on each side of the contradiction shows other letters than the file says. */
const minContradictions = 2;
/** Narrower spaces are marks above other letters, as a share of the type size. */
const minSpace = 0.1;
/** A font with one letter only, in this many signs whose widths differ this much, as a share of the type size. */
const minOneForAll = 6;
const minDifference = 0.1;
const descending = 'gpqyj';
/** Without f, Q and J, which reach below the baseline in some typefaces. */
const standing = 'abcdehiklmnorstuvwxz';
const firstLetter = 0x61;
const lastLetter = 0x7a;
const space = 0x20;

/** What is known of the signs of one font on a page. */
interface FontSigns {
  /** 1 for each small letter, from a, whose shape was looked at. */
  seen: Uint8Array;
  /** How many letters that should reach below the baseline do not, and the reverse. */
  standing: number;
  descending: number;
  /** The width of a space without ink, as a share of the type size. */
  blank: number;
  isCoded: boolean;
  /** Only the shapes of fonts in the file are those that viewers show. */
  isEmbedded: boolean;
  /** The code of all signs so far; 0 if there are different ones. */
  only: number;
  count: number;
  narrowest: number;
  widest: number;
}

/** True if the file gives one letter for signs of different widths. */
function isOneForAll({ only, count, narrowest, widest }: FontSigns): boolean {
  return count >= minOneForAll && widest - narrowest > minDifference && /[\p{L}\p{N}]/u.test(String.fromCharCode(only));
}

/** Compares each sign of a page with what the file says of it; `finish` states the result for whole fonts. */
export interface CharacterCheck {
  checkCharacter(glyph: Glyph, index: number): void;
  finish(): void;
}

/** The text of a page in the engine, and memory for the results of calls. */
interface PageText {
  pdfium: Pdfium;
  text: number;
  address: number;
}

/**
 * Finds signs and fonts whose characters in the file cannot be right: visible signs without a character (for most of them, the engine
 * returns the code in the font as if it were that of a character), spaces with ink, and fonts whose letters reach below the baseline
 * where they should not, or that have one letter for all signs. Looks at the shape of each letter of a font once, and only if the page
 * is upright in the file (`isUpright`).
 */
export function createCharacterCheck(
  pdfium: Pdfium,
  text: number,
  { address }: Scratch,
  isUpright: boolean,
): CharacterCheck {
  const page: PageText = { pdfium, text, address };
  const fonts = new Map<Font, FontSigns>();
  let font: Font | undefined;
  let signs: FontSigns;
  return {
    checkCharacter(glyph, index) {
      const code = glyph.text.charCodeAt(0);
      if (glyph.font !== font) {
        font = glyph.font;
        const known = fonts.get(font);
        signs = known ?? createSigns(page, index, code);
        if (!known) fonts.set(font, signs);
      }
      if (signs.isCoded && !isUnmapped(page, index)) signs.isCoded = false;
      if (signs.only !== 0 && code !== space) countOnly(signs, glyph, code);
      if (code >= firstLetter && code <= lastLetter) {
        if (signs.seen[code - firstLetter] === 0 && signs.isEmbedded && isUpright)
          checkShape(page, signs, glyph, index);
      } else if (code === space || code === 0xa0) {
        if (isSpaceWithInk(page, signs, glyph, index)) {
          glyph.text = String.fromCharCode(unknownCode);
          glyph.isUnnamed = true;
        }
      } else if (code < space || code === unknownCode || (code >= 0x7f && code < 0xa0)) {
        const isNoCharacter = code === unknownCode || isUnmapped(page, index);
        if (isNoCharacter && hasInk(page, index, glyph.size)) glyph.isUnnamed = true;
      }
    },
    finish() {
      for (const [of, found] of fonts) {
        if (found.isCoded) of.isCoded = true;
        const isContradicted = Math.min(found.standing, found.descending) >= minContradictions;
        if (isContradicted || isOneForAll(found)) of.isExchanged = true;
      }
    },
  };
}

function createSigns(page: PageText, index: number, code: number): FontSigns {
  const { pdfium, text } = page;
  const handle = pdfium._FPDFTextObj_GetFont(pdfium._FPDFText_GetTextObject(text, index));
  return {
    seen: new Uint8Array(26),
    standing: 0,
    descending: 0,
    blank: -1,
    isCoded: isUnmapped(page, index),
    isEmbedded: pdfium._FPDFFont_GetIsEmbedded(handle) === 1,
    only: code,
    count: 0,
    narrowest: Infinity,
    widest: 0,
  };
}

function isUnmapped({ pdfium, text }: PageText, index: number): boolean {
  return pdfium._FPDFText_HasUnicodeMapError(text, index) === 1;
}

/** Left, right, bottom and top of the ink of a sign in file coordinates; undefined if unknown. */
function readInk({ pdfium, text, address }: PageText, index: number): Float64Array | undefined {
  const isKnown = pdfium._FPDFText_GetCharBox(text, index, address, address + 8, address + 16, address + 24) !== 0;
  return isKnown ? pdfium.HEAPF64.subarray(address >> 3, (address >> 3) + 4) : undefined;
}

/** The box of a blank is flat. */
function hasInk(page: PageText, index: number, size: number): boolean {
  const ink = readInk(page, index);
  if (!ink) return false;
  const [x1 = 0, x2 = 0, y1 = 0, y2 = 0] = ink;
  return Math.min(Math.abs(x2 - x1), Math.abs(y2 - y1)) > minInk * size;
}

function countOnly(signs: FontSigns, { box, size }: Glyph, code: number): void {
  if (signs.only === space) signs.only = code;
  if (code !== signs.only) signs.only = 0;
  const width = (box.r - box.l) / size;
  signs.count += 1;
  signs.narrowest = Math.min(signs.narrowest, width);
  signs.widest = Math.max(signs.widest, width);
}

function checkShape(page: PageText, signs: FontSigns, glyph: Glyph, index: number): void {
  if (glyph.rotation !== 0) return;
  signs.seen[glyph.text.charCodeAt(0) - firstLetter] = 1;
  const bottom = readInk(page, index)?.[2];
  if (bottom === undefined) return;
  const { pdfium, text, address } = page;
  pdfium._FPDFText_GetCharOrigin(text, index, address, address + 8);
  const rise = bottom - (pdfium.HEAPF64[(address >> 3) + 1] as number);
  if (standing.includes(glyph.text) && rise < -minDescent * glyph.size) signs.descending += 1;
  if (descending.includes(glyph.text) && rise > -0.5 * minDescent * glyph.size) signs.standing += 1;
}

/** Fonts without names draw their signs as pictures, whose ink is not known. */
function isSpaceWithInk(page: PageText, signs: FontSigns, glyph: Glyph, index: number): boolean {
  const { box, size, invisible, font } = glyph;
  const width = (box.r - box.l) / size;
  if (width < minSpace || Math.abs(width - signs.blank) < 0.005) return false;
  if (invisible || !signs.isEmbedded || font.name === '') return false;
  if (hasInk(page, index, size)) return true;
  signs.blank = width;
  return false;
}
