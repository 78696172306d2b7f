import type { OcrWord, PixelBox } from '../../../model/page/ocr';
import { areAmounts, isFigure } from './figures';
import { groupInk } from './unread-ink';

/** A piece of ink without white in it, and the words that were read from it; none are whole if a word covers several pieces. */
export interface Unit {
  box: PixelBox;
  words: OcrWord[];
  isShared: boolean;
}

/** Widest white within a figure, in shares of the height of its digits. */
const withinFigure = 0.45;
/** A word covers ink if it shares this much of its width with it. */
const covers = 0.5;
const partOfFigure = /^[\d.,]+$/;

/**
 * The pieces of ink whose words are figures, parts of figures, or words with a confidence below `sure`. The boxes of words are often
 * wrong where the engine guesses, so that the white between the ink decides what belongs together.
 */
export function findUnits(words: readonly OcrWord[], ink: readonly PixelBox[], sure: number): Unit[] {
  const groups: PixelBox[] = groupInk(ink, withinFigure);
  const groupWords = groups.map((box) => words.filter((word) => isCovered(box, word.box)));
  const counts = new Map<OcrWord, number>();
  for (const word of groupWords.flat()) counts.set(word, (counts.get(word) ?? 0) + 1);
  const isDoubtful = ({ text, confidence }: OcrWord) => isFigure(text) || partOfFigure.test(text) || confidence < sure;
  return groups.flatMap((box, index) => {
    const unitWords = groupWords[index] as OcrWord[];
    const isShared = unitWords.some((word) => (counts.get(word) ?? 0) > 1);
    if (unitWords.length === 0 || !unitWords.every(isDoubtful)) return [];
    // A word of several pieces is separated only if it is a figure.
    if (isShared && !unitWords.every(({ text }) => /\d/.test(text))) return [];
    const sorted = unitWords.toSorted((a, b) => a.box.x0 - b.box.x0);
    const isRow = sorted.some((word, at) => at > 0 && areAmounts((sorted[at - 1] as OcrWord).text, word.text));
    if (isRow) return sorted.map((word) => ({ box: word.box, words: [word], isShared: false }));
    return [{ box, words: sorted, isShared }];
  });
}

function isCovered(box: PixelBox, word: PixelBox): boolean {
  const wide = Math.min(box.x1, word.x1) - Math.max(box.x0, word.x0);
  const middle = (box.y0 + box.y1) / 2;
  return middle > word.y0 && middle < word.y1 && wide > covers * Math.min(box.x1 - box.x0, word.x1 - word.x0);
}

/** The words of a unit as one reading. */
export function joinReadings(words: readonly OcrWord[]): Pick<OcrWord, 'text' | 'confidence'> {
  return {
    text: words.map(({ text }) => text).join(''),
    confidence: Math.min(...words.map(({ confidence }) => confidence)),
  };
}
