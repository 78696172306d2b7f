import type { OcrPage, OcrWord } from '../../../model/page/ocr';
import { toPlainText } from '../engine/signs';
import { type Box, holds, union } from '../geometry/box';
import type { Font, Glyph, RawPage } from '../geometry/page';
import { listRecognizedWords } from '../text/recognized-words';
import { findGarbledFonts } from './garbled-fonts';
import { findSignsInText, unknownSign } from './unnamed-signs';

/** The fonts of a page whose signs only recognition of its image can read. */
export function findUnreadableFonts({ glyphs }: RawPage): Set<Font> {
  return new Set([...findGarbledFonts(glyphs)].flatMap(([font, kind]) => (kind === 'unreadable' ? [font] : [])));
}

/**
 * The page with the words of its image in place of the signs of these fonts. Place, size and style are those of the signs, so
 * that headings and columns are found as on other pages. `points` is the size of a pixel. `keepsWords` adds the words themselves.
 */
export function replaceSigns(
  page: RawPage,
  fonts: ReadonlySet<Font>,
  read: OcrPage,
  { points, keepsWords = false }: { points: number; keepsWords?: boolean | undefined },
): RawPage {
  if (read.isUnreadable) return { ...page, ocrScore: 0 };
  const words = read.words.map((word) => ({ word, box: getBox(word, points, page.height), signs: [] as Glyph[] }));
  for (const glyph of page.glyphs) {
    if (!fonts.has(glyph.font)) continue;
    words.find(({ box }) => holds(box, glyph.box))?.signs.push(glyph);
  }
  const byFirst = new Map(words.flatMap((entry) => (entry.signs[0] ? [[entry.signs[0], entry] as const] : [])));
  const recognizedSigns = new Set(words.flatMap(({ signs }) => signs));
  const glyphs = page.glyphs.flatMap((glyph) => {
    if (!fonts.has(glyph.font)) return [glyph];
    const entry = byFirst.get(glyph);
    if (entry) return spell(entry.word.text, glyph, union(entry.signs.map(({ box }) => box)));
    return recognizedSigns.has(glyph) ? [] : [{ ...glyph, text: unknownSign }];
  });
  const used = [...byFirst.values()].map(({ word }) => word);
  if (used.length === 0) return page;
  const ocrScore = used.reduce((sum, { confidence }) => sum + confidence, 0) / used.length;
  const kept = keepsWords ? { words: listRecognizedWords({ ...read, words: used }, points) } : {};
  return { ...page, glyphs, ocrScore, ...kept };
}

/** Words with at least this many known letters are recognised with certainty enough to take a missing letter from the image. */
const minKnown = 4;
/** A sign of the page stands for one letter or the few of a ligature. */
const maxLigature = 3;
/** Words with more unknown signs are not compared with the image. */
const maxUnknown = 4;

/** The visible signs in the text of a page whose characters the file does not name; those of unreadable fonts are not among them. */
export function findUnknownSigns({ glyphs }: RawPage): ReadonlySet<Glyph> {
  return glyphs.some(({ isUnnamed }) => isUnnamed) ? findSignsInText(glyphs, findGarbledFonts(glyphs)) : new Set();
}

/**
 * The page with the characters of these signs that recognition of its image shows. Only missing letters of long words, and brackets and
 * punctuation of words without digits, are taken from the image: recognition reads `µg` as `ug` and `pg`, and `≤ 5` as `< 5`.
 */
export function fillSigns(page: RawPage, signs: ReadonlySet<Glyph>, read: OcrPage, points: number): RawPage {
  const texts = new Map<Glyph, string>();
  for (const word of read.words) {
    const box = getBox(word, points, page.height);
    if (![...signs].some((sign) => holds(box, sign.box))) continue;
    const glyphs = page.glyphs.filter((glyph) => glyph.text.trim() !== '' && holds(box, glyph.box));
    const unknown = glyphs.filter((glyph) => signs.has(glyph));
    const found = matchUnknown(
      glyphs.map((glyph) => (signs.has(glyph) ? undefined : glyph.text)),
      word.text,
    );
    for (const [index, text] of (found ?? []).entries()) texts.set(unknown[index] as Glyph, text);
  }
  if (texts.size === 0) return page;
  const glyphs = page.glyphs.map((glyph) => {
    const text = texts.get(glyph);
    return text === undefined ? glyph : { ...glyph, text, isUnnamed: false };
  });
  return { ...page, glyphs };
}

/** The texts in place of the unknown signs if the recognised word is otherwise the same, and they can be trusted. */
function matchUnknown(signs: readonly (string | undefined)[], word: string): string[] | undefined {
  const known = toPlainWord(signs.join(''));
  const places = signs.flatMap((sign, index) => (sign === undefined ? [index] : []));
  if (/\p{N}/u.test(known) || places.length > maxUnknown) return undefined;
  const pattern = signs.map((sign) =>
    sign === undefined ? `(\\P{N}{1,${maxLigature}})` : toPlainWord(sign).replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'),
  );
  const [, ...found] = new RegExp(`^${pattern.join('')}$`, 'u').exec(toPlainWord(word)) ?? [];
  const isLong = (known.match(/\p{L}/gu)?.length ?? 0) >= minKnown;
  const isTrusted = (text: string, index: number) => {
    if (/^[()[\]"'.,:;!?]$/.test(text)) return true;
    // The first letter of a unit says how much.
    const isInside = text.length > 1 || /\p{L}$/u.test(signs[(places[index] as number) - 1] ?? '');
    return isLong && isInside && /^\p{L}+$/u.test(text);
  };
  return found.length > 0 && found.every(isTrusted) ? found : undefined;
}

/** Recognition and files differ in quotation marks and dashes. */
function toPlainWord(text: string): string {
  return Array.from(text, toPlainText).join('');
}

function getBox({ box }: OcrWord, points: number, height: number): Box {
  return { l: box.x0 * points, r: box.x1 * points, b: height - box.y1 * points, t: height - box.y0 * points };
}

/** The letters of a word, evenly spaced in the box, in the style of its first sign. */
function spell(text: string, first: Glyph, box: Box): Glyph[] {
  const letters = Array.from(text);
  const step = (box.r - box.l) / letters.length;
  return letters.map((letter, index) => ({
    ...first,
    text: letter,
    box: { ...first.box, l: box.l + index * step, r: box.l + (index + 1) * step },
  }));
}
