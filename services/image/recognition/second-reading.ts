import type { OcrPage, OcrWord, PixelBox } from '../../../model/page/ocr';
import type { GreyImage } from '../grey-image';
import {
  addSigns,
  findPattern,
  findSignOfPage,
  hasMixedSigns,
  inDoubt,
  isFigure,
  lacksDecimals,
  placeCommas,
  type Reading,
  separateSigns,
  settleFigure,
  useSignOfColumn,
} from './figures';
import { faintInk, findInk } from './ink';
import { drawSheet, type Piece } from './sheet';
import { findUnits, joinReadings, type Unit } from './units';
import { findUnreadInk } from './unread-ink';

/** Figures beyond this number are not read twice. */
const maxPieces = 400;
/** Confidence below which a word that is not a figure is read again, and from which ink without a word becomes one. */
const confidence = { again: 0.6, found: 0.6, foundWord: 0.35 };
/** A word with at least this many letters is not a speck. */
const wordLength = 4;
/** Where the tails of commas are below the digits, in shares of the height of digits. */
const tail = { from: 0.09, to: 0.25 };
/** Share of the figures with several signs that may have the same sign for thousands and decimals. */
const maxMixed = 0.4;
/** Pixels around a word, in shares of the height of its letters. */
const margin = 0.25;

/** Reads an image of separate rows; words have the boxes of that image. */
export type ReadRows = (image: GreyImage) => Promise<OcrWord[]>;

/** The changes of a second reading. */
export type Checked = Required<Pick<OcrPage, 'words' | 'doubtful' | 'unread'>>;

/**
 * Reads figures, doubtful words, and ink of text that has no word a second time, each alone and enlarged. `image` is the image of
 * the words without rulings, `ink` its pieces.
 */
export async function readTwice(
  image: GreyImage,
  words: readonly OcrWord[],
  { ink, readRows }: { ink: readonly PixelBox[]; readRows: ReadRows },
): Promise<Checked> {
  const units = findUnits(words, findInk(image, faintInk), confidence.again).slice(0, maxPieces);
  const unread = findUnreadInk(ink, words).slice(0, maxPieces - units.length);
  if (units.length + unread.length === 0) return { words: [...words], doubtful: [], unread: 0 };
  const pieces = [...units, ...unread].map(({ box }) => buildPiece(box, image, ink));
  const readings = await readPieces(image, pieces, readRows);
  const added = unread.flatMap(({ box, beside }, index): OcrWord[] => {
    const reading = readings[units.length + index];
    return reading && isText(reading) ? [{ ...beside, ...reading, box }] : [];
  });
  const settled = placeAllCommas(
    units.map((unit, index) => settleUnit(unit, readings[index], ink)),
    { image, ink },
  );
  const failed = new Set(settled.flatMap((word, index) => (word ? [] : (units[index] as Unit).words)));
  const replaced = new Set(units.flatMap((unit) => unit.words).filter((word) => !failed.has(word)));
  const keptWords = words.filter((word) => !replaced.has(word));
  const fresh = settled.filter(
    (word, index) => word && (units[index] as Unit).words.every((word) => replaced.has(word)),
  );
  const { all, doubtful } = checkFigures(
    sortIntoLines(keptWords, [...fresh.filter((word) => word !== undefined), ...added]),
  );
  return { words: all, doubtful, unread: unread.length - added.length };
}

/** True for a figure or word that was read with enough confidence. */
function isText({ text, confidence: wordConfidence }: Reading): boolean {
  if (!/[\p{L}\p{N}]/u.test(text)) return false;
  const isWord = /^\p{L}+\W?$/u.test(text) && text.length >= wordLength;
  return wordConfidence >= confidence[isWord ? 'foundWord' : 'found'];
}

/** A word whose two readings have different digits has the confidence `inDoubt`; undefined if nothing was read. */
function settleUnit(unit: Unit, second: Reading | undefined, ink: readonly PixelBox[]): OcrWord | undefined {
  const [first] = unit.words as [OcrWord, ...OcrWord[]];
  if (unit.isShared) return second && isText(second) ? { ...first, ...second, box: unit.box } : undefined;
  const joined = joinReadings(unit.words);
  if (!isFigure(joined.text)) return { ...first, ...chooseSurer({ ...first, ...joined }, second), box: unit.box };
  const { isDoubtful, ...reading } = settleFigure(joined, second, undefined);
  const text = addSigns(reading.text, listInside(ink, unit.box));
  return { ...first, ...reading, text, box: unit.box, ...(isDoubtful ? { confidence: inDoubt } : {}) };
}

/**
 * Corrects words of an engine that drops no commas or points but confuses them: their ink decides, and otherwise the other figures of the
 * column do.
 */
export function checkSigns(
  words: readonly OcrWord[],
  place: { image: GreyImage; ink: readonly PixelBox[] },
): Pick<Checked, 'words' | 'doubtful'> {
  const { all, doubtful } = checkFigures(placeAllCommas(words, place));
  return { words: all, doubtful };
}

/** Tells commas from points by their tails, unless the image is too blurred for that. */
function placeAllCommas<Word extends OcrWord | undefined>(
  words: readonly Word[],
  { image, ink }: { image: GreyImage; ink: readonly PixelBox[] },
): Word[] {
  const placed = words.map((word) =>
    word && isFigure(word.text)
      ? { ...word, text: placeCommas(word.text, findCommas(image, word.box, listInside(ink, word.box))) }
      : word,
  );
  const long = placed.flatMap((word) => (word && (word.text.match(/[.,]/g)?.length ?? 0) > 1 ? [word.text] : []));
  return long.filter(hasMixedSigns).length > maxMixed * long.length ? [...words] : placed;
}

/** Where ink is below the digits, in shares of the width: the tails of commas. */
function findCommas({ pixels, width, height }: GreyImage, { x0, x1 }: PixelBox, inside: readonly PixelBox[]): number[] {
  const highest = Math.max(...inside.map(({ y0, y1 }) => y1 - y0));
  const bottoms = inside.filter(({ y0, y1 }) => y1 - y0 >= 0.7 * highest).map(({ y1 }) => y1);
  const floor = bottoms.toSorted((a, b) => a - b)[Math.floor(bottoms.length / 2)];
  if (floor === undefined) return [];
  const [top, bottom] = [floor + tail.from * highest, Math.min(height - 1, floor + tail.to * highest)];
  const places: number[] = [];
  for (let x = x0; x < x1; x += 1) {
    let dark = 0;
    for (let y = Math.round(top); y <= bottom; y += 1)
      if ((pixels[y * width + x] as number) < 255 * faintInk) dark += 1;
    if (dark > 0) places.push(x);
  }
  const groups = places.filter((x, index) => index === 0 || x - (places[index - 1] as number) > 1);
  return groups.map((from, index) => {
    const to = places.filter((x) => x >= from && x < (groups[index + 1] ?? Infinity)).at(-1) ?? from;
    return ((from + to) / 2 - x0) / (x1 - x0);
  });
}

/** Gives figures the decimal sign of their column, and collects those that remain in doubt. */
function checkFigures(words: readonly OcrWord[]): { all: OcrWord[]; doubtful: string[] } {
  const figures = words.filter(({ text }) => isFigure(text));
  const texts = figures.map(({ text }) => text);
  const pageSign = findSignOfPage(texts);
  const doubtful: string[] = [];
  const all = words.map((word) => {
    if (!isFigure(word.text)) return word;
    const column = findPattern(word.box, figures);
    const text = separateSigns(useSignOfColumn(word.text, column ?? pageSign), texts);
    if (word.confidence <= inDoubt || lacksDecimals(text, column)) doubtful.push(text);
    return { ...word, text };
  });
  return { all, doubtful };
}

function buildPiece(box: PixelBox, { width, height }: GreyImage, ink: readonly PixelBox[]): Piece {
  const inside = listInside(ink, box);
  const high = Math.max(...inside.map(({ y0, y1 }) => y1 - y0), 0.5 * (box.y1 - box.y0));
  const edge = Math.max(2, Math.round(margin * high));
  return {
    box: {
      x0: Math.max(0, box.x0 - edge),
      y0: Math.max(0, box.y0 - edge),
      x1: Math.min(width, box.x1 + edge),
      y1: Math.min(height, box.y1 + edge),
    },
    height: high,
  };
}

function listInside(ink: readonly PixelBox[], { x0, y0, x1, y1 }: PixelBox): PixelBox[] {
  return ink.filter((piece) => {
    const [x, y] = [(piece.x0 + piece.x1) / 2, (piece.y0 + piece.y1) / 2];
    return x > x0 && x < x1 && y > y0 && y < y1;
  });
}

/** The text of each piece; undefined where nothing was read. */
async function readPieces(
  image: GreyImage,
  pieces: readonly Piece[],
  readRows: ReadRows,
): Promise<(Reading | undefined)[]> {
  const { image: drawn, rows } = drawSheet(image, pieces);
  const words = await readRows(drawn);
  return rows.map(({ top, bottom }) => {
    const lineWords = words.filter(({ box }) => (box.y0 + box.y1) / 2 > top && (box.y0 + box.y1) / 2 < bottom);
    if (lineWords.length === 0) return undefined;
    const signs = lineWords.reduce((sum, { text }) => sum + text.length, 0);
    return {
      text: lineWords.map(({ text }) => text).join(/\d$/.test(lineWords[0]?.text ?? '') ? '' : ' '),
      confidence: lineWords.reduce((sum, word) => sum + word.text.length * word.confidence, 0) / signs,
    };
  });
}

/** A second reading of a word that is not a figure counts if it is surer, and a single word as well. */
function chooseSurer(word: OcrWord, second: Reading | undefined): OcrWord {
  if (!second || second.confidence <= word.confidence + 0.1 || /\s/.test(second.text)) return word;
  // A letter alone does not show whether it is a capital.
  if (second.text.toLowerCase() === word.text.toLowerCase()) return word;
  return { ...word, ...second };
}

/** Adds words to their lines, from left to right. */
function sortIntoLines(words: readonly OcrWord[], added: readonly OcrWord[]): OcrWord[] {
  const all = [...words];
  for (const word of added) {
    const after = all.findIndex(({ line, box }) => line === word.line && box.x0 > word.box.x0);
    const last = all.findLastIndex(({ line }) => line === word.line);
    all.splice(after >= 0 ? after : last + 1, 0, word);
  }
  return all;
}
