import { rightToLeft } from '../engine/characters';
import { type Box, holds, measureOverlapX, measureOverlapY, union } from '../geometry/box';
import type { RawPage, Rule } from '../geometry/page';
import { getRuleBox } from '../geometry/rulings';
import type { Line, Word } from './line';

/** Side of a checkbox, in points and in shares of the type size beside it. */
const side = { min: 5, max: 18, minShare: 0.5, maxShare: 1.6 };
/** Squared paper and the like have more short strokes than forms do. */
const maxStrokes = 400;
const tick = /^[xX×✓✔✗✘☓]$/;

type Strokes = Pick<RawPage, 'rules' | 'fills' | 'drawings'>;

/**
 * Turns checkboxes drawn before words into characters of the line: ☐, or ☒ if filled or crossed. Returns the strokes that
 * are not part of a checkbox.
 */
export function addDrawnBoxes(page: Strokes, lines: readonly Line[]): Strokes {
  const drawnBoxes: Box[] = [];
  for (const box of listBoxes(page.rules)) {
    const inside = lines.flatMap((line) =>
      line.words.flatMap((word) => (holds(box, word.box) ? [{ line, word }] : [])),
    );
    if (inside.some(({ word }) => !tick.test(word.text))) continue;
    const place = findWordAfter(box, lines);
    if (!place) continue;
    for (const { line, word } of inside) removeWord(line, word);
    const isTicked =
      inside.length > 0 || [...page.fills, ...page.drawings].some((mark) => isInside(box, mark) && covers(mark, box));
    insertSign(place, { ...place.word, text: isTicked ? '☒' : '☐', box, raised: false });
    drawnBoxes.push(box);
  }
  const { rules, fills, drawings } = page;
  if (drawnBoxes.length === 0) return { rules, fills, drawings };
  const isLeft = (mark: Box) => !drawnBoxes.some((box) => isInside(box, mark));
  return {
    rules: rules.filter((rule) => isLeft(getRuleBox(rule))),
    fills: fills.filter(isLeft),
    drawings: drawings.filter(isLeft),
  };
}

/**
 * Squares of four strokes that touch no other square and no longer ruling: those that share a side are table cells, or bars
 * of a chart on their axis.
 */
function listBoxes(rules: readonly Rule[]): Box[] {
  const short = rules.filter(({ from, to }) => to - from >= side.min && to - from <= side.max);
  if (short.length < 4 || short.length > maxStrokes) return [];
  const level = short.filter(({ axis }) => axis === 'h');
  const upright = short.filter(({ axis }) => axis === 'v');
  const boxes: Box[] = [];
  for (const low of level) {
    for (const high of level) {
      const box = { l: low.from, r: low.to, b: low.at, t: high.at };
      if (!isSquare(box) || !isNear(high.from, box.l) || !isNear(high.to, box.r)) continue;
      const sides = [box.l, box.r].every((x) =>
        upright.some(({ at, from, to }) => isNear(at, x) && isNear(from, box.b) && isNear(to, box.t)),
      );
      if (sides && !boxes.some((other) => isInside(other, box))) boxes.push(box);
    }
  }
  return boxes.filter(
    (box) =>
      boxes.every((other) => other === box || !touches(box, other)) && !rules.some((rule) => isLongSide(rule, box)),
  );
}

/** True for a ruling along a side of the box that extends well beyond it. */
function isLongSide({ axis, at, from, to }: Rule, { l, r, b, t }: Box): boolean {
  const isLevel = axis === 'h';
  const [start, end] = isLevel ? [l, r] : [b, t];
  const isAlong = isLevel ? isNear(at, b) || isNear(at, t) : isNear(at, l) || isNear(at, r);
  return isAlong && Math.min(to, end) - Math.max(from, start) > 0.5 * (end - start) && to - from > 1.5 * (end - start);
}

function isSquare({ l, r, b, t }: Box): boolean {
  const high = t - b;
  return high >= side.min && high <= side.max && r - l > 0.75 * high && r - l < 1.33 * high;
}

function isNear(a: number, b: number): boolean {
  return Math.abs(a - b) < 1;
}

function touches(a: Box, b: Box): boolean {
  return measureOverlapX(a, b) > -1.5 && measureOverlapY(a, b) > -1.5;
}

function isInside(outer: Box, inner: Box): boolean {
  return inner.l > outer.l - 1.5 && inner.r < outer.r + 1.5 && inner.b > outer.b - 1.5 && inner.t < outer.t + 1.5;
}

/** True if the mark is more than a dot in the box. */
function covers(mark: Box, box: Box): boolean {
  return mark.r - mark.l > 0.4 * (box.r - box.l) && mark.t - mark.b > 0.3 * (box.t - box.b);
}

interface Place {
  line: Line;
  word: Word;
}

/** The nearest word close after the box, in its writing direction. */
function findWordAfter(box: Box, lines: readonly Line[]): Place | undefined {
  let best: (Place & { gap: number }) | undefined;
  const height = box.t - box.b;
  for (const line of lines) {
    if (measureOverlapY(line.box, box) < 0.5 * Math.min(height, line.size)) continue;
    if (height < side.minShare * line.size || height > side.maxShare * line.size) continue;
    for (const word of line.words) {
      const gap = rightToLeft.test(word.text) ? box.l - word.box.r : word.box.l - box.r;
      if (gap > -1 && gap < 1.5 * line.size && gap < (best?.gap ?? Infinity)) best = { line, word, gap };
    }
  }
  return best;
}

function insertSign({ line, word }: Place, sign: Word): void {
  line.words.splice(line.words.indexOf(word), 0, sign);
  line.text = line.words.map(({ text }) => text).join(' ');
  line.box = union([line.box, sign.box]);
}

function removeWord(line: Line, word: Word): void {
  line.words.splice(line.words.indexOf(word), 1);
  line.text = line.words.map(({ text }) => text).join(' ');
}
