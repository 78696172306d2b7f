import type { OcrPage, OcrWord } from '../../model/page/ocr';
import { computeMedian } from '../pdf/geometry/box';
import { getShownSize, type PageInfo, type Rectangle, turnRectangle } from './page-info';
import { type TextLayer, type Zone, zoneKind } from './text-layer';

/** A piece of text with its place on the page: a zone without smaller zones, or one of its lines. */
interface Piece {
  text: string;
  box: Rectangle;
  line: number;
  /** Type size, set if the box was invented and says nothing about it. */
  size?: number;
}

/** Text without positions is wrapped after this many characters, in lines of at most this share of the height of the page. */
const [wrapAfter, maxLineHeight] = [100, 0.02];
/** Type size of text without positions, as a share of the distance of its lines. */
const sizeOfStep = 0.8;
/** The free margin around text without positions, as a share of the page. */
const margin = 0.08;
/** The usual width of a character, as a share of the height of its line. */
const usualWidth = 0.5;
/** Shorter words do not show whether text runs sideways. */
const minSidewaysLength = 4;
/** Separators of zones in the text, and control characters. */
const separators = /[\s\p{Cc}]+/u;
/** Line ends and the separators of zones, but not blanks and tabs. */
const lineEnds = /(?![\t])\p{Cc}/u;
/** Heights above and below the baseline, in type sizes. */
const [capitalHeight, smallHeight, depthBelow] = [0.7, 0.47, 0.22];
/** From this ratio of the heights of small and other words on, all boxes have the height of the font. */
const fontHeightRatio = 0.88;
/** Words with a larger vertical gap, in heights of the usual word, are not on one line. */
const maxGap = 0.6;
/** The ratio of type size to line height; `pageOfWords` uses the same. */
const sizeShare = 0.85;

/** Words without capitals, figures and letters with a stroke above the others. */
const smallOnly = /^[acegmnopqrsuvwxyzавгежзиклмнопрстухцчшщъыьэюяαγεηικμνοπρςστυχψω.,-]+$/u;
const isBelow = /[gjpqyQ,;()[\]{}|рудцщфβγζηξρφχψμ\u4e00-\u9fff]/u;

/** The words of a page, and the page turned so that they are upright. */
export interface FoundWords {
  read: OcrPage;
  upright: PageInfo;
}

/** Returns the words of a page with their places, as if they had been recognized in its image. */
export function findWords({ text, root }: TextLayer, info: PageInfo): FoundWords {
  const piecesAsShown = findPieces(text, root, info);
  const turned = findTurn(piecesAsShown);
  const upright = { ...info, rotation: ((info.rotation - turned + 360) % 360) as PageInfo['rotation'] };
  const pieces = turned === 0 ? piecesAsShown : findPieces(text, root, upright);
  const { width, height } = computeSize(root, upright);
  const lines = new Map<number, Piece[]>();
  for (const piece of pieces) {
    const line = lines.get(piece.line);
    if (line) line.push(piece);
    else lines.set(piece.line, [piece]);
  }
  const isTight = hasTightBoxes(pieces);
  const words = [...lines.values()].flatMap((line) => {
    const { size, baseline } = measureLine(line, isTight);
    return line.flatMap((piece, index) =>
      splitPiece(piece, index === line.length - 1).map(({ text: word, box: { l, b, r, t } }): OcrWord => ({
        text: word,
        confidence: 1,
        box: { x0: l, y0: height - t, x1: r, y1: height - b },
        line: piece.line,
        baseline: height - baseline,
        height: size / sizeShare,
      })),
    );
  });
  return { read: { words, turned, width, height }, upright };
}

/** Returns the size of the page in pixels. The text may come from a larger image than that of the file. */
function computeSize(root: Zone | undefined, info: PageInfo): { width: number; height: number } {
  const shown = getShownSize(info);
  const whole = root ? turnRectangle(root, info) : { r: 0, t: 0 };
  return { width: Math.max(shown.width, whole.r), height: Math.max(shown.height, whole.t) };
}

/**
 * Returns the clockwise degrees after which the words are upright. The boxes of sideways words are higher than wide; the places
 * of the next words and lines show the direction. In text that is upside down, words follow on the left and lines above.
 */
function findTurn(pieces: readonly Piece[]): OcrPage['turned'] {
  /** Number of letters in sideways words, and in all. */
  let [sideways, total] = [0, 0];
  const toNext = { word: { x: 0, y: 0 }, line: { x: 0, y: 0 } };
  for (const [index, { text, box, line }] of pieces.entries()) {
    const next = pieces[index + 1];
    const sum = toNext[next?.line === line ? 'word' : 'line'];
    sum.x += next ? next.box.l - box.l : 0;
    sum.y += next ? next.box.b - box.b : 0;
    const length = text.trim().length;
    if (length < minSidewaysLength) continue;
    total += length;
    if (box.t - box.b > box.r - box.l) sideways += length;
  }
  const { word, line } = toNext;
  if (sideways > 0.5 * total) return word.y + line.x > 0 ? 90 : 270;
  return word.x < 0 && line.y > 0 ? 180 : 0;
}

/** Returns the page without its margins. */
function computePrintArea({ width, height }: { width: number; height: number }): Rectangle {
  return { l: margin * width, b: margin * height, r: (1 - margin) * width, t: (1 - margin) * height };
}

/**
 * Returns the pieces of all zones in order, as the page is turned. Each part of the text is read once: text between two zones belongs to
 * the second, text after the last to the last.
 */
function findPieces(text: Buffer, root: Zone | undefined, info: PageInfo): Piece[] {
  if (!root) return spreadText(text.toString('utf8'), computePrintArea(getShownSize(info)));
  const pieces: Piece[] = [];
  const leaves = findLeaves(root);
  let covered = 0;
  const maxDistance = maxGap * computeMedian(leaves.map(({ zone }) => zone.t - zone.b));
  let [line, last]: [number, Leaf | undefined] = [-1, undefined];
  for (const [index, leaf] of leaves.entries()) {
    const { zone } = leaf;
    const end = index === leaves.length - 1 ? text.length : Math.max(zone.end, covered);
    const content = text.toString('utf8', covered, end);
    covered = end;
    const box = turnRectangle(zone, info);
    if (zone.kind < zoneKind.line) {
      const lines = spreadText(content, box).map((piece) => ({ ...piece, line: line + 1 + piece.line }));
      for (const piece of lines) pieces.push(piece);
      line = lines.at(-1)?.line ?? line;
      last = undefined;
      continue;
    }
    if (!last || !isSameLine(last, leaf, maxDistance)) line += 1;
    last = leaf;
    pieces.push({ text: content, box, line });
  }
  return pieces;
}

interface Leaf {
  zone: Zone;
  /** The line that the zone belongs to, or is. */
  line: Zone | undefined;
}

/** Returns the smallest zones, with words rather than characters. */
function findLeaves(root: Zone): Leaf[] {
  const leaves: Leaf[] = [];
  const visit = (zone: Zone, outer: Zone | undefined): void => {
    const line = zone.kind === zoneKind.line ? zone : outer;
    const isLeaf =
      zone.kind >= zoneKind.word ||
      zone.children.length === 0 ||
      zone.children.some(({ kind }) => kind === zoneKind.character);
    if (isLeaf) leaves.push({ zone, line });
    else for (const child of zone.children) visit(child, line);
  };
  visit(root, undefined);
  return leaves;
}

/** True if a word follows another one on its line. Lines of the file with words above each other are several lines. */
function isSameLine(before: Leaf, { zone, line }: Leaf, maxDistance: number): boolean {
  const gap = Math.max(zone.b - before.zone.t, before.zone.b - zone.t);
  if (line || before.line) return line === before.line && gap <= maxDistance;
  const middle = (zone.b + zone.t) / 2;
  return zone.l >= before.zone.l && middle > before.zone.b && middle < before.zone.t;
}

/** Places text without positions in an area: its lines, wrapped, from top to bottom. */
function spreadText(text: string, area: Rectangle): Piece[] {
  const lines = text.split(lineEnds).flatMap(wrapLine);
  while (lines.at(-1)?.trim() === '') lines.pop();
  const step = Math.min((area.t - area.b) / Math.max(lines.length, 1), (maxLineHeight * area.t) / (1 - margin));
  return lines.flatMap((content, index) => {
    if (content.trim() === '') return [];
    const t = area.t - index * step;
    const r = Math.min(area.r, area.l + content.length * usualWidth * step);
    const size = sizeOfStep * step;
    return [{ text: content, box: { l: area.l, b: t - size, r, t }, line: index, size }];
  });
}

function wrapLine(line: string): string[] {
  if (line.length <= wrapAfter) return [line];
  const wrapped: string[] = [];
  let current = '';
  for (const word of line.split(/\s+/)) {
    if (current !== '' && current.length + word.length >= wrapAfter) {
      wrapped.push(current);
      current = word;
    } else current = current === '' ? word : `${current} ${word}`;
  }
  return [...wrapped, current];
}

/** Splits a piece into words, which share its box by their lengths. */
function splitPiece({ text, box }: Piece, isLast: boolean): { text: string; box: Rectangle }[] {
  const words = text.split(separators).filter((word) => word !== '');
  const length = words.reduce((sum, word) => sum + word.length + 1, -1);
  const step = Math.max(box.r - box.l, 1) / Math.max(length, 1);
  let at = 0;
  return words.map((word, index) => {
    const l = box.l + at * step;
    at += word.length + 1;
    // Some programs end a line within a word with a soft hyphen or a negation sign.
    const isEnd = isLast && index === words.length - 1;
    const ending = isEnd ? word.replace(/(?<=\p{L})[\u00ad¬]$/u, '-') : word;
    return { text: ending, box: { ...box, l, r: l + word.length * step } };
  });
}

/** True if the boxes of words are as high as their letters, false if they all have the height of the font. */
function hasTightBoxes(pieces: readonly Piece[]): boolean {
  const measureHeight = (list: readonly Piece[]) => computeMedian(list.map(({ box }) => box.t - box.b));
  const small = pieces.filter(({ text }) => smallOnly.test(text.trim()) && !isBelow.test(text));
  const others = pieces.filter(({ text }) => !smallOnly.test(text.trim()) && isBelow.test(text));
  return small.length === 0 || others.length === 0 || measureHeight(small) < fontHeightRatio * measureHeight(others);
}

/** Estimates type size and baseline of a line from the boxes of its words. */
function measureLine(line: readonly Piece[], isTight: boolean): { size: number; baseline: number } {
  const measured = line.map(({ text, box, size: fixedSize }) => {
    if (fixedSize !== undefined) return { size: fixedSize, baseline: box.b + depthBelow * fixedSize };
    const height = Math.max(box.t - box.b, 1);
    const below = isTight && !isBelow.test(text) ? 0 : depthBelow;
    const above = isTight && smallOnly.test(text.trim()) ? smallHeight : capitalHeight;
    const size = height / (above + below);
    return { size, baseline: box.b + below * size };
  });
  return {
    size: computeMedian(measured.map(({ size }) => size)),
    baseline: computeMedian(measured.map(({ baseline }) => baseline)),
  };
}
