import type { OcrPage, OcrWord, PixelRule } from '../../../model/page/ocr';
import { computeMedian } from '../geometry/box';
import type { Glyph, RawPage, Rule } from '../geometry/page';
import { listRecognizedWords } from './recognized-words';

/** Resolution in dpi at which pages are rendered for OCR: more takes longer and reads no better. */
export const ocrDpi = 200;
const font = { name: 'ocr', bold: false, italic: false, mono: false };
/** Line heights vary with their letters: a height that differs from the usual by less than this share is the same size. */
const sameSize = 0.2;
/** Gaps, in type sizes, that separate cells: of two nearby lines with a gap there, one has `alone`, the other `beside`. */
const cellGap = { alone: 1.3, beside: 0.9 };
const nearLines = 5;
/** Type size in shares of the line height. */
const sizeShare = 0.85;

/** A page with fewer signs may be just an ornament. */
const minSigns = 40;

/**
 * True for a page that needs OCR: it has no text but images, drawings or fills that may show some, or its fonts do not map most
 * of its signs.
 */
export function isScan({ glyphs, images, drawings, fills }: RawPage): boolean {
  const signs = glyphs.filter(({ text }) => text.trim() !== '');
  if (signs.length === 0) return images.length + drawings.length + fills.length > 0;
  if (signs.length < minSigns) return false;
  return signs.filter(({ text }) => text === '\ufffd').length > 0.5 * signs.length;
}

/**
 * Builds a page from the words of an image. `points` is the size of a pixel. The page keeps the image as a picture: it is
 * the background of the recognised text. `keepsWords` adds the words themselves.
 */
export function buildPageOfWords(pageNo: number, read: OcrPage, points: number, keepsWords = false): RawPage {
  const [width, height] = [read.width * points, read.height * points];
  const sizes = computeSizes(read.words, points);
  const gaps = collectCellGaps(read.words, ({ line }) => (sizes.get(line) ?? 10) / points);
  const glyphs = read.words.flatMap((word, index) => {
    const next = read.words[index + 1];
    const options = { points, height, size: sizes.get(word.line) ?? 10 };
    if (next?.line !== word.line || gaps.has(word)) return listSigns(word, options);
    // A sign of these scripts fills a square, of which its box is a part; some boxes reach over their neighbours.
    if (isUnspaced(word.text, next.text) && next.box.x0 > word.box.x0)
      return listSigns({ ...word, box: { ...word.box, x1: next.box.x0 } }, options);
    const wordSigns = listSigns(word, options);
    const last = wordSigns.at(-1);
    if (!last) return [];
    const space = {
      ...last,
      text: ' ',
      box: { ...last.box, l: last.box.r, r: Math.max(last.box.r, next.box.x0 * points) },
    };
    return [...wordSigns, space];
  });
  const images = [{ l: 0, b: 0, r: width, t: height }];
  const { turned, words } = read;
  const rules = (read.rules ?? []).map((rule) => buildRule(rule, points, height));
  // Words without a reading count as 0.
  const ocrScore = words.reduce((sum, { confidence }) => sum + confidence, 0) / (words.length + (read.unread ?? 0));
  const kept = keepsWords ? { words: listRecognizedWords(read, points) } : {};
  const page = { pageNo, width, height, glyphs, rules, fills: [], drawings: [], images, links: [], turned, ...kept };
  if (read.isUnreadable) return { ...page, ocrScore: 0 };
  return words.length > 0 ? { ...page, ocrScore } : page;
}

const ideographs = '\\u3001-\\u3011\\u3040-\\u30ff\\u3400-\\u9fff\\uff01-\\uff60';
const unspaced = { end: new RegExp(`[${ideographs}][,.:;!?]?$`), start: new RegExp(`^[,.:;!?)]?[${ideographs}]`) };

/** True between two pieces of Chinese or Japanese: the engine returns each sign or two as a word. */
function isUnspaced(word: string, next: string): boolean {
  return unspaced.end.test(word) && unspaced.start.test(next);
}

/** Words before a gap between table columns: it is wide, and a line above or below has it too. */
function collectCellGaps(words: readonly OcrWord[], getSize: (word: OcrWord) => number): Set<OcrWord> {
  const wide = words.flatMap((word, index) => {
    const next = words[index + 1];
    // A single character at the start of a line is a bullet.
    const isMark = words[index - 1]?.line !== word.line && word.text.length === 1 && !/\d/.test(word.text);
    if (next?.line !== word.line || isMark) return [];
    const share = (next.box.x0 - word.box.x1) / getSize(word);
    return share < cellGap.beside ? [] : [{ word, from: word.box.x1, to: next.box.x0, share }];
  });
  const isShared = ({ word, from, to, share }: (typeof wide)[number]) =>
    wide.some(
      (other) =>
        other.word.line !== word.line &&
        Math.max(share, other.share) >= cellGap.alone &&
        Math.abs(other.word.baseline - word.baseline) < nearLines * getSize(word) &&
        Math.min(to, other.to) - Math.max(from, other.from) > 0.5 * getSize(word),
    );
  return new Set(wide.filter(isShared).map(({ word }) => word));
}

function buildRule({ axis, at, from, to }: PixelRule, points: number, height: number): Rule {
  if (axis === 'v') return { axis, at: at * points, from: height - to * points, to: height - from * points };
  return { axis, at: height - at * points, from: from * points, to: to * points };
}

/** Type sizes by line. Sizes near the usual one become equal to it, so that body text is not split. */
function computeSizes(words: readonly OcrWord[], points: number): Map<number, number> {
  const heights = new Map(words.map(({ line, height }) => [line, height * points * sizeShare]));
  const typicalHeight = computeMedian([...heights.values()]);
  return new Map(
    [...heights].map(([line, size]) => [
      line,
      Math.abs(size - typicalHeight) <= sameSize * typicalHeight ? typicalHeight : Math.round(size),
    ]),
  );
}

/** The glyphs of a word, evenly spaced in its box on the baseline of its line. */
function listSigns(
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
