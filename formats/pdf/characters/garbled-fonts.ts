import { extensionFont, isSymbolFont } from '../engine/signs';
import { isMathFont } from '../formula/mathematics';
import type { Font, Glyph } from '../geometry/page';

/**
 * A font is garbled if this share of its signs has codes that are no characters, if there are that many different ones, and if
 * half of them follow each other: those of bullets and icons stand alone.
 */
const garbled = { minShare: 0.2, minCodes: 8, minNeighbours: 0.5 };
/** The share for fonts without names: those of TeX have ligatures and accents in the places of control codes. */
const minNamelessShare = 0.6;
/** Their first codes are rare signs, unless codes were given in the order in which the text uses them. */
const inOrder = { below: '\u0009', min: 6 };
/** Text in the order of glyphs is recognised by this share of letters, and of words with a vowel among those of three letters. */
const plausible = { letters: 0.6, vowels: 0.75, minWords: 3 };

/**
 * What to do with the signs of a font whose file does not map them to characters: `glyph order` if the codes are the numbers of
 * glyphs in the order of Apple's TrueType fonts, which `readInGlyphOrder` reads; else `unreadable`, even where single codes look like
 * characters.
 */
export type GarbledFonts = ReadonlyMap<Font, 'glyph order' | 'unreadable'>;

/** The fonts of a page whose codes are no characters: control codes, replacement characters and private codes. */
export function findGarbledFonts(glyphs: readonly Glyph[]): GarbledFonts {
  const strange = new Map<Font, Strange>();
  const named = new Set<Font>();
  let last: Glyph | undefined;
  for (const glyph of glyphs) {
    const before = last;
    last = glyph;
    if (before?.font !== glyph.font) named.add(glyph.font);
    if (!isNoCharacter(glyph.text)) continue;
    const own = strange.get(glyph.font) ?? { codes: new Set(), count: 0, neighbours: 0 };
    strange.set(glyph.font, own);
    own.codes.add(glyph.text);
    own.count += 1;
    if (before?.font === glyph.font && Math.abs(before.baseline - glyph.baseline) < 0.1 * glyph.size)
      own.neighbours += 1;
  }
  const fonts = new Map<Font, 'glyph order' | 'unreadable'>();
  for (const [font, own] of strange) {
    const canBeOrder = own.codes.has(spaceInGlyphOrder) && own.count >= plausible.minWords;
    const canBeText = isText(font, own);
    if (!canBeOrder && !canBeText) continue;
    const signs = glyphs.filter((glyph) => glyph.font === font);
    const isInOrder = [...own.codes].filter((code) => code < inOrder.below).length >= inOrder.min;
    const minShare = font.name === '' && !isInOrder ? minNamelessShare : garbled.minShare;
    if (canBeOrder && isInGlyphOrder(signs)) fonts.set(font, 'glyph order');
    else if (canBeText && own.count >= minShare * signs.length) fonts.set(font, 'unreadable');
  }
  for (const font of named) {
    if (fonts.has(font)) continue;
    if (font.isExchanged && !isSymbolFont(font.name) && !isMathFont(font)) fonts.set(font, 'unreadable');
    if (font.isCoded && isCodedInOrder(glyphs.filter((glyph) => glyph.font === font))) fonts.set(font, 'glyph order');
  }
  return fonts;
}

/** The signs of a font whose codes are no characters. */
interface Strange {
  codes: Set<string>;
  count: number;
  /** How many follow a sign of the same font in the same line. */
  neighbours: number;
}

/** True if the signs can be text: other rules read those of symbols and formulas. */
function isText(font: Font, { codes, count, neighbours }: Strange): boolean {
  if (isSymbolFont(font.name) || extensionFont.test(font.name) || isMathFont(font)) return false;
  const isVaried = codes.size >= garbled.minCodes || codes.has('\ufffd');
  return isVaried && count >= garbled.minCodes && neighbours >= garbled.minNeighbours * count;
}

/** Fast for most glyphs. Symbol fonts list their signs from F000 on, and other rules read them. */
function isNoCharacter(text: string): boolean {
  const code = text.charCodeAt(0);
  if (code >= 0x20 && code < 0x7f) return false;
  if (code < 0x20) return code < 0x09 || code > 0x0d;
  return code < 0xa0 || code === 0xfffd || (code >= 0xe000 && code < 0xf000) || (code > 0xf0ff && code < 0xf900);
}

/** The standard order of glyphs in TrueType fonts: those of Mac Roman from the space, which is number 3, then these. */
const furtherGlyphs = 'ŁłŠšŽž¦ÐðÝýÞþ−×¹²³½¼¾₣ĞğİŞşĆćČčđ';
const firstFurther = 226;
/** The numbers of the Cyrillic letters, from А to я, in the usual fonts of Windows. */
const cyrillic = { first: 570, last: 633, code: 0x410 };
const spaceInGlyphOrder = '\u0003';
const firstBeyondAscii = 98;
/** From the number of a glyph to its code in ASCII: the space is number 3 and code 32. Mac Roman skips one more code, 127. */
const toAscii = 29;
const toMacRoman = 30;
const macRoman = new TextDecoder('macintosh');

/** The character of a glyph by its number in the standard order of TrueType fonts; a replacement character if it has none. */
export function readInGlyphOrder(text: string): string {
  const number = text.charCodeAt(0);
  if (number < 3) return '\ufffd';
  if (number >= cyrillic.first && number <= cyrillic.last)
    return String.fromCharCode(number - cyrillic.first + cyrillic.code);
  if (number < firstBeyondAscii) return String.fromCharCode(number + toAscii);
  if (number < firstFurther - 1) return macRoman.decode(new Uint8Array([number + toMacRoman]));
  return furtherGlyphs[number - firstFurther] ?? '\ufffd';
}

function isInGlyphOrder(signs: readonly Glyph[]): boolean {
  return isPlausible(signs.map((sign) => readInGlyphOrder(sign.text)).join(''), plausible.minWords);
}

/** Figures and their signs, which are words as numbers of glyphs. */
const figures = /^[\d.,:%$+\-()/\s]*$/;
/** Numbers of capitals are marks as characters; words without spaces are read by numbers only if they have this many different marks. */
const marks = /[!-/]/g;
const minMarks = 4;

/**
 * True for signs whose codes make words as numbers of glyphs, and as characters none. Many such fonts have their letters at the usual
 * codes: these have spaces there too, and no sign at the number of the space.
 */
function isCodedInOrder(signs: readonly Glyph[]): boolean {
  const text = signs.map((sign) => sign.text).join('');
  if (text.includes(' ') || figures.test(text)) return false;
  if (!text.includes(spaceInGlyphOrder)) {
    const count = new Set(text.match(marks)).size;
    const isCyrillic = /^[\u023a-\u0279]+$/.test(text);
    if (isPlausible(text, 1) || (count < minMarks && !isCyrillic)) return false;
  }
  return isPlausible(Array.from(text, readInGlyphOrder).join(''), 1);
}

function isPlausible(text: string, minWords: number): boolean {
  const words = text.match(/[A-Za-z\u0400-\u045f]{3,}/g) ?? [];
  const letters = text.match(/[\p{L}\s]/gu)?.length ?? 0;
  const withVowel = words.filter((word) =>
    /[aeiouy\u0430\u0435\u0451\u0438\u043e\u0443\u044b\u044d-\u044f]/i.test(word),
  ).length;
  return (
    words.length >= minWords && letters > plausible.letters * text.length && withVowel > plausible.vowels * words.length
  );
}
