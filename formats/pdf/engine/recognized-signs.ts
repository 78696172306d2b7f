import type { OcrPage, OcrWord } from '../../../model/page/ocr';
import { type Box, holds, union } from '../geometry/box';
import type { Font, Glyph, RawPage } from '../geometry/page';
import { findGarbledFonts } from './garbled-fonts';

/** The replacement character, for signs that recognition has not read. */
const unknownSign = '\ufffd';

/** The fonts of a page whose signs only recognition of its image can read. */
export function findUnreadableFonts({ glyphs }: RawPage): Set<Font> {
  return new Set([...findGarbledFonts(glyphs)].flatMap(([font, kind]) => (kind === 'unreadable' ? [font] : [])));
}

/**
 * The page with the words of its image in place of the signs of these fonts. Place, size and style are those of the signs, so
 * that headings and columns are found as on other pages. `points` is the size of a pixel.
 */
export function replaceSigns(page: RawPage, fonts: ReadonlySet<Font>, read: OcrPage, points: number): RawPage {
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
  return { ...page, glyphs, ocrScore };
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
