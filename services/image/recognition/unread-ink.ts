import type { OcrWord, PixelBox } from '../../../model/page/ocr';
import { findLetterHeight } from './ink';

/** Ink in a line of text for which no word was read. `beside` is the nearest word of its line. */
export interface UnreadInk {
  box: PixelBox;
  beside: OcrWord;
}

/** Letters are as high as those of the line, within these shares. Gaps within a word are below a share of their height. */
const letters = { min: 0.35, max: 1.6, gap: 0.6 };
/** Shares of the height that the ink and its line must have in common. */
const inLine = 0.6;
/** Ink further away from its line, in heights, belongs to something else. */
const farthest = 40;
/** A piece is at most this many times as high as what it shares with its group, of which that many pixels count at least. */
const highest = 3;
const minShared = 4;
/** Text is at least this many times as wide as it is high, and consists of at least two pieces. */
const minWidth = 0.8;

/** Text that was not read: pieces of ink like letters, in line with words but outside of them. */
export function findUnreadInk(ink: readonly PixelBox[], words: readonly OcrWord[]): UnreadInk[] {
  if (words.length === 0) return [];
  const free = ink.filter((piece) => isLetter(piece) && !words.some(({ box }) => isWithin(piece, box)));
  return groupInk(free, letters.gap).flatMap(({ pieces, ...box }) => {
    const isText = pieces >= 2 && box.x1 - box.x0 >= minWidth * (box.y1 - box.y0);
    if (!isText) return [];
    const beside = findBeside(box, words);
    return beside ? [{ box, beside }] : [];
  });
}

/** Ink in a row, and the number of its pieces. */
interface InkGroup extends PixelBox {
  pieces: number;
}

/** The boxes of ink in a row, as far as the white between it is below `gap` times its height. */
export function groupInk(ink: readonly PixelBox[], gap: number): InkGroup[] {
  const groups: InkGroup[] = [];
  /** The groups that later pieces can still belong to: others end too far to the left. */
  let open: InkGroup[] = [];
  for (const piece of ink.filter(isLetter).toSorted((a, b) => a.x0 - b.x0)) {
    open = open.filter(({ x1, y0, y1 }) => piece.x0 - x1 < gap * highest * Math.max(minShared, y1 - y0));
    const nearGroup = open.find((group) => isNext(group, piece, gap));
    if (nearGroup) {
      nearGroup.x1 = Math.max(nearGroup.x1, piece.x1);
      nearGroup.y0 = Math.min(nearGroup.y0, piece.y0);
      nearGroup.y1 = Math.max(nearGroup.y1, piece.y1);
      nearGroup.pieces += 1;
      continue;
    }
    const group = { ...piece, pieces: 1 };
    groups.push(group);
    open.push(group);
  }
  return groups;
}

/** The share of the ink that may be letters for which there is no word. */
export function computeUnreadShare(ink: readonly PixelBox[], words: readonly OcrWord[]): number {
  const letterHeight = findLetterHeight(ink) ?? 0;
  const letter = ink.filter((piece) => {
    const high = piece.y1 - piece.y0;
    return isLetter(piece) && high >= 0.5 * letterHeight && high <= 2.5 * letterHeight;
  });
  const free = letter.filter((piece) => !words.some(({ box }) => isWithin(piece, box)));
  return letter.length === 0 ? 0 : free.length / letter.length;
}

function isLetter({ x0, y0, x1, y1 }: PixelBox): boolean {
  const [wide, high] = [x1 - x0, y1 - y0];
  return high >= 2 && wide >= 2 && wide <= 6 * high && high <= 12 * wide;
}

function isWithin(piece: PixelBox, box: PixelBox): boolean {
  const wide = Math.min(piece.x1, box.x1) - Math.max(piece.x0, box.x0);
  const high = Math.min(piece.y1, box.y1) - Math.max(piece.y0, box.y0);
  return wide > 0.3 * (piece.x1 - piece.x0) && high > 0.3 * (piece.y1 - piece.y0);
}

function isNext(group: PixelBox, piece: PixelBox, gap: number): boolean {
  const high = Math.max(group.y1 - group.y0, piece.y1 - piece.y0);
  const shared = Math.min(group.y1, piece.y1) - Math.max(group.y0, piece.y0);
  const isInRow = high <= highest * Math.max(minShared, shared) || piece.y1 - piece.y0 < 0.5 * high;
  return piece.x0 - group.x1 < gap * high && shared > 0.3 * (piece.y1 - piece.y0) && isInRow;
}

function findBeside(box: PixelBox, words: readonly OcrWord[]): OcrWord | undefined {
  const high = box.y1 - box.y0;
  const getDistance = ({ box: { x0, x1 } }: OcrWord) => Math.max(x0 - box.x1, box.x0 - x1);
  const inSameLine = words.filter((word) => {
    const height = word.box.y1 - word.box.y0;
    const shared = Math.min(box.y1, word.box.y1) - Math.max(box.y0, word.box.y0);
    const isLike = high >= letters.min * height && high <= letters.max * height;
    return isLike && shared >= inLine * Math.min(high, height) && getDistance(word) < farthest * high;
  });
  return inSameLine.toSorted((a, b) => getDistance(a) - getDistance(b))[0];
}
