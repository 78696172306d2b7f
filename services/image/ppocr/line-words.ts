import type { OcrWord, PixelBox } from '../../../model/page/ocr';
import { computePaper, type GreyImage } from '../grey-image';
import type { ReadSign } from './read-signs';

/** Pixels darker than this share of the paper's brightness are ink; edges of letters, which a coarse scan blurs, are lighter. */
const inkShare = { letters: 0.7, edges: 0.87 };
/**
 * The darkest share of the pixels of a line is ink, or `less` of them if that share is nearly as light as the paper, as beside a single
 * dash; the edges of pale letters are this far from it to the paper.
 */
const darkest = { share: 0.01, less: 0.001, light: 0.85, between: 0.5 };
/** A space of this probability divides words where the gap has this share of the white that other words need. */
const likelySpace = { probability: 0.2, gap: 0.6 };
/**
 * White gaps that divide words where no space was read: as a share of the usual space of the line, but not less than `least`; in
 * lines without a space; too small for a space that was read; between the signs of a figure and between ideographs; and those before
 * ink that is not of the word. All but the first in type sizes.
 */
const gaps = { likeSpace: 0.75, least: 0.18, alone: 0.22, none: 0.12, loose: 0.6, edge: 0.2 };
/** Signs with much white between them: ideographs, and those of figures, of which faint signs vanish. */
const loose = /[\d.,:\-\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]/u;
/** The usual height of capitals and figures, of small letters and of ideographs, in type sizes. */
const heights = { capital: 0.72, small: 0.52, ideograph: 0.88 };
/** How far ideographs reach below the baseline, in type sizes. */
const ideographDepth = 0.12;
/** The height of a line is that of its type by this share, as for the other engine. */
const sizeShare = 0.85;
/**
 * How much is left of a line above and below its letters, as a share of their height, and how much at least, as a share of that of the
 * line: small letters alone would look like capitals. Ink of less than `ink` of its height does not show where letters are.
 */
const cut = { margin: 0.2, least: 0.55, ink: 0.25 };
const isIdeograph = /[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]/u;
const isTall = /[\p{Lu}\p{N}bdfhklßþ]/u;

/**
 * The words of one line with their boxes in the page. `image` is the part of the page at `box`; places of signs are shares of its
 * width. Words are divided where a space was read or the gap is as wide as one; edges are those of the ink.
 */
export function divideLine(
  signs: readonly ReadSign[],
  { image, box, line }: { image: GreyImage; box: PixelBox; line: number },
): OcrWord[] {
  const text = signs.map((sign) => sign.text).join('');
  if (text.trim() === '') return [];
  const paper = computePaper(image.pixels);
  const letters = measureLetters(countInk(image, findInkLimit(image, paper)).rows, text);
  const { columns } = countInk(image, inkShare.edges * paper, letters);
  const words: OcrWord[] = [];
  const addWord = (word: readonly ReadSign[], from: number, to: number) => {
    const [first, last] = [word[0], word.at(-1)].map((sign) => Math.round((sign?.at ?? 0) * image.width));
    const free = gaps.edge * letters.size;
    const edges = {
      from: findEdge(columns, { start: Math.max(first ?? 0, from), end: from, free }),
      to: findEdge(columns, { start: Math.min(last ?? 0, to - 1), end: to - 1, free }) + 1,
    };
    words.push({
      text: word.map((sign) => sign.text).join(''),
      confidence: word.reduce((sum, { confidence }) => sum + confidence, 0) / word.length,
      box: { x0: box.x0 + edges.from, x1: box.x0 + edges.to, y0: box.y0 + letters.top, y1: box.y0 + letters.bottom },
      line,
      baseline: box.y0 + letters.baseline,
      height: letters.size / sizeShare,
    });
  };
  const places = listPlaces(signs, columns);
  const isEnd = createDivider(places, letters.size);
  let from = 0;
  let word: ReadSign[] = [];
  for (const place of places) {
    word.push(place.sign);
    if (!isEnd(place)) continue;
    const to = place.gap ? Math.round((place.gap.from + place.gap.to) / 2) : image.width;
    addWord(word, from, to);
    from = to;
    word = [];
  }
  return words;
}

/** A visible sign, and what is between it and the next one. */
interface Place {
  sign: ReadSign;
  next: ReadSign | undefined;
  gap: { from: number; to: number } | undefined;
  isSpaced: boolean;
}

function listPlaces(signs: readonly ReadSign[], columns: Uint32Array): Place[] {
  const visible = [...signs.keys()].filter((index) => signs[index]?.text.trim() !== '');
  return visible.map((index, place) => {
    const after = visible[place + 1];
    const [sign, next] = [signs[index] as ReadSign, after === undefined ? undefined : signs[after]];
    const gap = next && findWidestGap(columns, sign.at * columns.length, next.at * columns.length);
    return { sign, next, gap, isSpaced: after !== undefined && after > index + 1 };
  });
}

/** Decides where words end. The model leaves out spaces, above all beside figures: a gap like those where it read one is a space. */
function createDivider(places: readonly Place[], size: number): (place: Place) => boolean {
  const measure = ({ gap }: Place) => (gap ? gap.to - gap.from : 0);
  const spaces = places
    .filter(({ isSpaced }) => isSpaced)
    .map(measure)
    .toSorted((a, b) => a - b);
  const usual = spaces[Math.floor(spaces.length / 2)];
  const wide = Math.max(usual === undefined ? gaps.alone * size : gaps.likeSpace * usual, gaps.least * size);
  return (place) => {
    const { sign, next, isSpaced } = place;
    if (!next) return true;
    if (isSpaced) return measure(place) > gaps.none * size;
    const isLoose = loose.test(sign.text) && loose.test(next.text);
    if (isLoose) return measure(place) > gaps.loose * size;
    return measure(place) > (next.space >= likelySpace.probability ? likelySpace.gap * wide : wide);
  };
}

/** Pixels darker than this are ink. The darkest pixels of the line set the limit, because pale print is hardly darker than paper. */
function findInkLimit({ pixels }: GreyImage, paper: number): number {
  const counts = new Uint32Array(256);
  for (const value of pixels) counts[value] = (counts[value] as number) + 1;
  const findDarkest = (share: number) => {
    let left = share * pixels.length;
    return counts.findIndex((count) => (left -= count) < 0);
  };
  const most = findDarkest(darkest.share);
  const dark = most > darkest.light * paper ? findDarkest(darkest.less) : most;
  return Math.max(inkShare.letters * paper, darkest.between * paper + (1 - darkest.between) * dark);
}

/** The count of dark pixels by column and by row, between two rows. */
function countInk(
  { pixels, width, height }: GreyImage,
  limit: number,
  { top, bottom }: { top: number; bottom: number } = { top: 0, bottom: height },
): { columns: Uint32Array; rows: Uint32Array } {
  const [columns, rows] = [new Uint32Array(width), new Uint32Array(height)];
  for (let y = top; y < bottom; y += 1)
    for (let x = 0; x < width; x += 1) {
      if ((pixels[y * width + x] as number) >= limit) continue;
      columns[x] = (columns[x] as number) + 1;
      rows[y] = (rows[y] as number) + 1;
    }
  return { columns, rows };
}

/** The rows with ink around the middle of a line. */
function findLetterRows(rows: Uint32Array): { top: number; bottom: number } {
  const most = Math.max(...rows);
  // A few dark pixels are noise, or a letter of the line above.
  const isInk = (row: number) => (rows[row] as number) > 0.03 * most;
  let [top, bottom] = [Math.floor(rows.length / 2), Math.floor(rows.length / 2)];
  const isNear = (row: number, step: number) => [1, 2].some((distance) => isInk(row + step * distance));
  while (top > 0 && isNear(top, -1)) top -= 1;
  while (bottom < rows.length && isNear(bottom - 1, 1)) bottom += 1;
  return { top, bottom };
}

/**
 * The part of a line that is as high as its letters and a margin. The model looks at steps that are a sixth of the height of an image
 * wide, and drops letters of which there is more than one in a step, so white above and below the letters must not make them narrow.
 */
export function cutToLetters(image: GreyImage, box: PixelBox): PixelBox {
  const { top, bottom } = findLetterRows(countInk(image, findInkLimit(image, computePaper(image.pixels))).rows);
  if (bottom - top < cut.ink * image.height) return box;
  const height = Math.max((1 + 2 * cut.margin) * (bottom - top), cut.least * image.height);
  const middle = box.y0 + (top + bottom) / 2;
  return {
    ...box,
    y0: Math.max(box.y0, Math.floor(middle - height / 2)),
    y1: Math.min(box.y1, Math.ceil(middle + height / 2)),
  };
}

/** Rows of the letters, their baseline, and the type size, in pixels. The baseline is where most ink ends. */
function measureLetters(
  rows: Uint32Array,
  text: string,
): { top: number; bottom: number; baseline: number; size: number } {
  const { top, bottom } = findLetterRows(rows);
  const middle = Math.floor(rows.length / 2);
  if (isIdeograph.test(text)) {
    const size = (bottom - top) / heights.ideograph;
    return { top, bottom, baseline: bottom - ideographDepth * size, size };
  }
  let [baseline, drop] = [bottom, 0];
  for (let row = middle; row <= bottom; row += 1) {
    const fall = (rows[row - 1] ?? 0) + (rows[row - 2] ?? 0) - (rows[row] ?? 0) - (rows[row + 1] ?? 0);
    if (fall > drop) [baseline, drop] = [row, fall];
  }
  return { top, bottom, baseline, size: (baseline - top) / (isTall.test(text) ? heights.capital : heights.small) };
}

/** The widest run of columns without ink between two places; the middle between them if there is none. */
function findWidestGap(columns: Uint32Array, from: number, to: number): { from: number; to: number } {
  const middle = (from + to) / 2;
  let best = { from: middle, to: middle };
  let start = Math.floor(from);
  for (let x = start; x <= Math.ceil(to); x += 1) {
    if ((columns[x] ?? 0) > 0) start = x + 1;
    else if (x + 1 - start > best.to - best.from) best = { from: start, to: x + 1 };
  }
  return best;
}

/** The last column with ink on the way from `start` to `end`, before a white gap of more than `free` columns. */
function findEdge(columns: Uint32Array, { start, end, free }: { start: number; end: number; free: number }): number {
  const step = end < start ? -1 : 1;
  let last = start;
  for (let x = start; x !== end + step && Math.abs(x - last) <= free + 1; x += step) if (columns[x]) last = x;
  return last;
}
