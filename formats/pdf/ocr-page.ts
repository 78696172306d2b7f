import type { OcrPage, OcrWord } from '../../model/ocr';
import { median } from './box';
import type { Glyph, RawPage } from './page';

/** Dots an inch at which pages are drawn to be read: more takes longer and reads no better. */
export const ocrDpi = 200;
const font = { name: 'ocr', bold: false, italic: false, mono: false };
/** Heights of lines vary with their letters: what differs less than this share from the usual one is of the same size. */
const sameSize = 0.2;
/** The share of a line's height that is its type size. */
const sizeShare = 0.85;

/** Whether a page has no text of its own and something that may show some. */
export function isScan({ glyphs, images, drawings, fills }: RawPage): boolean {
  return images.length + drawings.length + fills.length > 0 && glyphs.every(({ text }) => text.trim() === '');
}

/**
 * The words of an image as a page whose text is drawn there. `points` is the size of a pixel. The image is the page's
 * picture: where text was read, it is its background.
 */
export function pageOfWords(pageNo: number, read: OcrPage, points: number): RawPage {
  const [width, height] = [read.width * points, read.height * points];
  const sizes = sizesOf(read.words, points);
  const glyphs = read.words.flatMap((word, index) => {
    const next = read.words[index + 1];
    const own = signsOf(word, { points, height, size: sizes.get(word.line) ?? 10 });
    const last = own.at(-1);
    if (!last || next?.line !== word.line) return own;
    const space = {
      ...last,
      text: ' ',
      box: { ...last.box, l: last.box.r, r: Math.max(last.box.r, next.box.x0 * points) },
    };
    return [...own, space];
  });
  const images = [{ l: 0, b: 0, r: width, t: height }];
  const { turned, words } = read;
  const ocrScore = words.reduce((sum, { confidence }) => sum + confidence, 0) / words.length;
  const page = { pageNo, width, height, glyphs, rules: [], fills: [], drawings: [], images, links: [], turned };
  return words.length > 0 ? { ...page, ocrScore } : page;
}

/** Type sizes by line; those near the usual one are it, since bodies of text must not fall apart. */
function sizesOf(words: readonly OcrWord[], points: number): Map<number, number> {
  const heights = new Map(words.map(({ line, height }) => [line, height * points * sizeShare]));
  const usual = median([...heights.values()]);
  return new Map(
    [...heights].map(([line, size]) => [line, Math.abs(size - usual) <= sameSize * usual ? usual : Math.round(size)]),
  );
}

/** The signs of a word side by side in its box, on the baseline of its line. */
function signsOf(
  { text, box, baseline: y }: OcrWord,
  { points, height, size }: { points: number; height: number; size: number },
): Glyph[] {
  const signs = Array.from(text);
  const left = box.x0 * points;
  const step = ((box.x1 - box.x0) * points) / signs.length;
  const baseline = height - y * points;
  return signs.map((sign, index) => ({
    text: sign,
    box: { l: left + index * step, r: left + (index + 1) * step, b: baseline - 0.22 * size, t: baseline + 0.75 * size },
    baseline,
    size,
    font,
    rotation: 0,
    invisible: false,
  }));
}
