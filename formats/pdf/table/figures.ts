import type { Line, Word } from '../text/line';
import { cutLine } from '../text/lines';

/** A number, an amount, or a placeholder for none: a dash, `n/a` or dots. */
const figure = /^[(+\-–−±$€£¥<>~]*\s?\d[\d.,\s%'’:/()–-]*[%*†‡]?\)?$|^(?:[–—-]|n\/?a|\.{1,3})$/i;
const wholeFigure = /^[-–−+($€£]*\d[\d.,–-]*\d[%*†‡)]*$|^\d$/;
/** Placeholders for a missing figure, and the gap in type sizes beyond which one is not a sign of its neighbour. */
const none = /^(?:[–—†‡#-]|\(X\))$/;
const noneGap = 0.5;
const figureOrNone = /^[-–−+($€£]*\d[\d.,–-]*[%*†‡)]*$|^(?:[–—†‡#-]|\(X\))$/;

/** True for a number, an amount, or a placeholder for none. */
export function isFigure(text: string): boolean {
  return figure.test(text);
}

/** True for two figures in separate cells, however small the gap, unless the space only groups digits. */
export function areTwoFigures(a: Word, b: Word): boolean {
  const isGrouped = /^[-–−+(]?\d{1,3}$/.test(a.text) && /^\d{3}(?!\d)/.test(b.text);
  const isApart = b.box.l - a.box.r > noneGap * a.size && [a, b].some(({ text }) => none.test(text));
  return isApart || (wholeFigure.test(a.text) && wholeFigure.test(b.text) && !isGrouped);
}

/** Splits a line of figures only into its cells; returns any other line unchanged. */
export function splitFigures(line: Line): Line[] {
  const { words } = line;
  if (words.length < 2 || !words.every(({ text }) => figureOrNone.test(text))) return [line];
  const isWhole = words.slice(1).every((word, index) => !areTwoFigures(words[index] as Word, word));
  if (isWhole) return [line];
  const parts: Word[][] = [];
  for (const word of words) {
    const last = parts.at(-1);
    const before = last?.at(-1);
    if (last && before && !areTwoFigures(before, word)) last.push(word);
    else parts.push([word]);
  }
  return parts.map((part) => cutLine(line, part));
}
