import type { DoclingDocument, Provenance, TableItem, TextItem } from '../../../document/model';
import { toTopLeft } from '../../../document/pages';
import type { OcrPage } from '../../../model/page/ocr';
import type { Box } from '../geometry/box';
import type { RecognizedWord } from '../geometry/page';
import type { ReadPage } from './upright';

/** The member of `meta` with the words of an item; the document model allows members with a prefix and two underscores. */
const wordsMeta = 'docloom__words';
/** Items are looked up by strips of the page of this height, in points. */
const stripHeight = 20;
/** The text of an item may have this many words that were not recognized, or not as they stand there, before the next one. */
const maxPassed = 2;

/** A word of an item, as it is written to its `meta`. `charspan` is its place in the text, if the text has it in this form. */
interface NotedWord {
  text: string;
  confidence: number;
  page_no: number;
  bbox: Provenance['bbox'];
  charspan?: [from: number, to: number];
}

type Item = TextItem | TableItem;

/** The words of an image in points from the lower left corner. `points` is the size of a pixel. */
export function listRecognizedWords({ words, height }: OcrPage, points: number): RecognizedWord[] {
  return words.map(({ text, confidence, box: { x0, x1, y0, y1 } }) => ({
    text,
    confidence,
    box: { l: x0 * points, r: x1 * points, b: (height - y1) * points, t: (height - y0) * points },
  }));
}

/** Adds the words of the pages to the texts and tables in whose boxes they are; of several, to the smallest. */
export function noteWords(document: DoclingDocument, pages: readonly ReadPage[]): void {
  const recognized = pages.filter(({ page }) => page.words !== undefined);
  if (recognized.length === 0) return;
  const places = listPlaces(document);
  const noted = new Map<Item, NotedWord[]>();
  for (const { page } of recognized) {
    const find = createFinder(places.get(page.pageNo) ?? []);
    for (const { text, confidence, box } of page.words ?? []) {
      const item = find(box);
      if (!item) continue;
      const words = noted.get(item) ?? [];
      noted.set(item, words);
      words.push({ text, confidence: round(confidence, 1_000), page_no: page.pageNo, bbox: writeBox(box) });
    }
  }
  for (const [item, words] of noted) item.meta = { ...item.meta, [wordsMeta]: addSpans(item, words) };
}

interface Place {
  item: Item;
  box: Box;
}

/** Where the items are, by page. */
function listPlaces({ texts, tables, pages }: DoclingDocument): Map<number, Place[]> {
  const places = new Map<number, Place[]>();
  for (const item of [...texts, ...tables])
    for (const { page_no: pageNo, bbox } of item.prov) {
      const height = pages[String(pageNo)]?.size.height ?? 0;
      const [l = 0, t = 0, r = 0, b = 0] = toTopLeft(bbox, height);
      const list = places.get(pageNo) ?? [];
      places.set(pageNo, list);
      list.push({ item, box: { l, r, t: height - t, b: height - b } });
    }
  return places;
}

function createFinder(places: readonly Place[]): (word: Box) => Item | undefined {
  const computeArea = ({ box: { l, r, t, b } }: Place) => (r - l) * (t - b);
  const strips = new Map<number, Place[]>();
  for (const place of places.toSorted((a, b) => computeArea(a) - computeArea(b)))
    for (let strip = getStrip(place.box.b); strip <= getStrip(place.box.t); strip += 1) {
      const list = strips.get(strip) ?? [];
      strips.set(strip, list);
      list.push(place);
    }
  return ({ l, r, t, b }) => {
    const [x, y] = [(l + r) / 2, (t + b) / 2];
    const isAround = ({ box }: Place) => x >= box.l && x <= box.r && y >= box.b && y <= box.t;
    return strips.get(getStrip(y))?.find(isAround)?.item;
  };
}

function getStrip(y: number): number {
  return Math.floor(y / stripHeight);
}

/** The words with their places in the text, counted in characters (code points), as in `prov`. */
function addSpans(item: Item, words: readonly NotedWord[]): NotedWord[] {
  if (!('text' in item)) return [...words];
  const signs = Array.from(item.text);
  let from = 0;
  return words.map((word) => {
    const start = findWord(signs, Array.from(word.text), from);
    if (start === undefined) return word;
    from = start + Array.from(word.text).length;
    return { ...word, charspan: [start, from] };
  });
}

/** Where the text has the word at `from` (scripts without spaces), or as a whole word soon after it. */
function findWord(text: readonly string[], word: readonly string[], from: number): number | undefined {
  const isAt = (start: number) => word.every((sign, index) => text[start + index] === sign);
  const isEdge = (sign: string | undefined) => sign === undefined || /\s/u.test(sign);
  let passed = 0;
  for (let start = from; start < text.length; start += 1) {
    const isStart = start === from || isEdge(text[start - 1]);
    if (isStart && isAt(start) && (isEdge(text[start + word.length]) || isUnspaced(text[start]))) return start;
    if (isStart && !isEdge(text[start])) passed += 1;
    if (passed > maxPassed) return undefined;
  }
  return undefined;
}

function isUnspaced(sign = ''): boolean {
  return /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u.test(sign);
}

function writeBox({ l, r, t, b }: Box): Provenance['bbox'] {
  return { l: round(l, 100), t: round(t, 100), r: round(r, 100), b: round(b, 100), coord_origin: 'BOTTOMLEFT' };
}

function round(value: number, steps: number): number {
  return Math.round(value * steps) / steps;
}
