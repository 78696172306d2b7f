import { addAll } from '../../../model/lists/add-all';
import { findSmallest } from '../../extremes';
import { isMathematics, isRelation } from '../formula/mathematics';
import { equationNumber, listSigns } from '../formula/write-formula';
import { type Box, measureOverlapX, measureOverlapY, union } from '../geometry/box';
import { toRows } from '../table/borderless';
import type { Line } from '../text/line';

/** In type sizes: the minimum indent of a displayed formula, and the maximum distances between its parts. */
const indent = 1.5;
const reach = { up: 0.4, along: 3 };
/** Lines within this many type sizes show the margin of the text around a formula. */
const marginReach = 8;
/** Another formula is at least nearly as large, and shares less than half a type size of height with the first. */
const minSizeShare = 0.85;
const maxSharedHeight = 0.5;
const longestPart = 40;

/**
 * Joins each displayed formula into one line: the relation, its limits, fractions and accents above and below, which arrive as
 * separate pieces, and the equation number in the margin.
 */
export function joinFormulas(lines: readonly Line[]): Line[] {
  const seeds = lines.filter((line) => isRelation(line.text, line.words) && isDisplayed(line, lines));
  if (seeds.length === 0) return [...lines];
  const usedLines = new Set<Line>();
  const joined = new Map<Line, Line>();
  for (const seed of seeds.toSorted((a, b) => b.size - a.size || Number(hasRelation(b)) - Number(hasRelation(a)))) {
    if (usedLines.has(seed)) continue;
    usedLines.add(seed);
    const parts = [seed];
    // Each new part may bring others within reach.
    for (;;) {
      const box = union(parts.map((part) => part.box));
      const newParts = lines.filter(
        (line) => !usedLines.has(line) && !isOtherFormula(line, seeds, seed) && isPart(line, box, seed),
      );
      if (newParts.length === 0) break;
      for (const line of newParts) usedLines.add(line);
      addAll(parts, newParts);
    }
    joined.set(seed, toFormula(seed, parts));
  }
  return lines.flatMap((line) => joined.get(line) ?? (usedLines.has(line) ? [] : [line]));
}

/** True for another formula on another row, rather than a limit, a later part, or an operator beside and above the relation. */
function isOtherFormula(line: Line, seeds: readonly Line[], { size, box }: Line): boolean {
  const isOther = hasRelation(line) || measureOverlapX(line.box, box) > 0;
  return (
    isOther &&
    line.size > minSizeShare * size &&
    seeds.includes(line) &&
    measureOverlapY(line.box, box) < maxSharedHeight * size
  );
}

/** Large operators stand above the line that they belong to, so only relations tell formulas apart. */
function hasRelation({ text }: Line): boolean {
  return /[=<>≤≥≈≡∈∝≠]/.test(text);
}

/** True for a line set apart from the text: indented from the lines above and below, or with an equation number. */
function isDisplayed(line: Line, lines: readonly Line[]): boolean {
  const near = lines.filter(
    (other) =>
      other !== line &&
      measureOverlapX(other.box, line.box) > 0 &&
      Math.abs(other.baseline - line.baseline) < marginReach * line.size,
  );
  const margin = Math.min(line.box.l, findSmallest(near.map(({ box }) => box.l)));
  const isNumbered = lines.some(
    (other) => equationNumber.test(other.text) && measureOverlapY(other.box, line.box) > 0 && other.box.l > line.box.r,
  );
  return isNumbered || line.box.l - margin > indent * line.size || equationNumber.test(line.words.at(-1)?.text ?? '');
}

function isPart(line: Line, box: Box, { size }: Line): boolean {
  if (line.text.length > longestPart) return false;
  if (equationNumber.test(line.text)) return measureOverlapY(line.box, box) > 0;
  const isNear =
    measureOverlapY(line.box, box) > -reach.up * size && measureOverlapX(line.box, box) > -reach.along * size;
  return isNear && isMathematics(line.words);
}

function toFormula(seed: Line, parts: readonly Line[]): Line {
  const ordered = toRows(parts).flatMap((row) => row.lines);
  return {
    ...seed,
    text: ordered.map(({ text }) => text).join(' '),
    words: ordered.flatMap(({ words }) => words),
    box: union(parts.map(({ box }) => box)),
    order: findSmallest(parts.map(({ order }) => order)),
    isFormula: true,
    signs: parts.flatMap(listSigns),
  };
}
