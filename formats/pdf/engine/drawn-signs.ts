import type { Glyph, Rule } from '../geometry/page';

/** Share of the type size: the length of a drawn underscore, and its largest distance from the baseline. */
const underscore = { shortest: 0.25, longest: 0.65, reach: 0.2 };
/** Share of the type size: the length of a drawn bar, and its largest distance from the ends of a letter. */
const bar = { shortest: 0.85, longest: 1.25, reach: 0.25 };
/** Largest white space beside a drawn sign, in type sizes. */
const maxGap = 1;
/** More short rules are part of a drawing; each would be compared with all letters of the page. */
const maxRules = 300;

/**
 * Adds the underscores, and the bars of monospaced text, that TeX draws as short rules where its fonts lack these letters. Each
 * is close to the letters on both of its sides; an underscore may also begin or end a word.
 */
export function addDrawnSigns(glyphs: readonly Glyph[], rules: readonly Rule[]): Glyph[] {
  const short = rules.filter(({ from, to }) => to - from < 20);
  if (short.length === 0 || short.length > maxRules) return [...glyphs];
  const added = new Map<Glyph, Glyph[]>();
  for (const rule of short) {
    const found = rule.axis === 'h' ? findUnderscore(rule, glyphs, { short, rules }) : findBar(rule, glyphs, rules);
    if (found) added.set(found.after, [...(added.get(found.after) ?? []), found.sign]);
  }
  return added.size === 0 ? [...glyphs] : glyphs.flatMap((glyph) => [glyph, ...(added.get(glyph) ?? [])]);
}

interface Found {
  sign: Glyph;
  after: Glyph;
}

/** The nearest visible letters on the left and right of a place on a line. */
function findNeighbours(
  glyphs: readonly Glyph[],
  { from, to }: { from: number; to: number },
  isLevel: (glyph: Glyph) => boolean,
): { left: Glyph | undefined; right: Glyph | undefined } | undefined {
  let [left, right]: (Glyph | undefined)[] = [undefined, undefined];
  for (const glyph of glyphs) {
    if (glyph.text.trim() === '' || glyph.rotation !== 0 || !isLevel(glyph)) continue;
    const { l, r } = glyph.box;
    // A rule below, above or through a letter is not a letter.
    if (Math.min(r, to) - Math.max(l, from) > 0.25 * Math.min(to - from, glyph.size)) return undefined;
    const middle = (l + r) / 2;
    if (middle < (from + to) / 2) {
      if (from - r < maxGap * glyph.size && (!left || r > left.box.r)) left = glyph;
    } else if (l - to < maxGap * glyph.size && (!right || l < right.box.l)) right = glyph;
  }
  return { left, right };
}

function findUnderscore(
  rule: Rule,
  glyphs: readonly Glyph[],
  { short, rules }: { short: readonly Rule[]; rules: readonly Rule[] },
): Found | undefined {
  const { at, from, to } = rule;
  const isLevel = ({ baseline, size }: Glyph) =>
    Math.abs(baseline - at) < underscore.reach * size &&
    to - from > underscore.shortest * size &&
    to - from < underscore.longest * size;
  const beside = findNeighbours(glyphs, { from, to }, isLevel);
  const { left, right } = beside ?? {};
  const isTouching = (distance: number, { size }: Glyph) => distance < 0.25 * size;
  const touchesLeft = left !== undefined && isTouching(from - left.box.r, left);
  const touchesRight = right !== undefined && isTouching(right.box.l - to, right);
  // A row of short rules is a dashed line.
  const isDashed = short.some((other) => other !== rule && other.axis === 'h' && isNextDash(rule, other));
  if (rules.some((other) => other !== rule && other.axis === 'h' && isContinued(rule, other))) return undefined;
  if (isDashed || (!touchesLeft && !touchesRight)) return undefined;
  const model = (touchesLeft ? left : right) as Glyph;
  const after = left ?? model;
  return { after, sign: createSign('_', model, { l: from, r: to }) };
}

/** True for two parts of one line below words. */
function isContinued(rule: Rule, other: Rule): boolean {
  return Math.abs(other.at - rule.at) < 1 && Math.max(other.from - rule.to, rule.from - other.to) < 1;
}

function isNextDash(rule: Rule, other: Rule): boolean {
  const gap = Math.max(other.from - rule.to, rule.from - other.to);
  return Math.abs(other.at - rule.at) < 0.5 && gap < 2 * (rule.to - rule.from) && gap > 0.4 * (rule.to - rule.from);
}

function findBar(rule: Rule, glyphs: readonly Glyph[], rules: readonly Rule[]): Found | undefined {
  const { at, from, to } = rule;
  const isLevel = ({ box, size }: Glyph) =>
    Math.abs(box.b - from) < bar.reach * size && to - from > bar.shortest * size && to - from < bar.longest * size;
  const { left, right } = findNeighbours(glyphs, { from: at, to: at }, isLevel) ?? {};
  if (!left?.font.mono || !right?.font.mono || left.size !== right.size) return undefined;
  // The bars between the cells of a table have bars above or below them, or rules at their ends.
  const continuesBar = (other: Rule) =>
    Math.abs(other.at - at) < 1 && other.from < to + 2 * left.size && other.to > from - 2 * left.size;
  const endsBar = (other: Rule) =>
    other.from <= at + 1 &&
    other.to >= at - 1 &&
    Math.min(Math.abs(other.at - from), Math.abs(other.at - to)) < left.size;
  const isCell = rules.some((other) => other !== rule && (other.axis === 'v' ? continuesBar(other) : endsBar(other)));
  const width = left.box.r - left.box.l;
  return isCell ? undefined : { after: left, sign: createSign('|', left, { l: at - width / 2, r: at + width / 2 }) };
}

function createSign(text: string, model: Glyph, { l, r }: { l: number; r: number }): Glyph {
  return { ...model, text, box: { ...model.box, l, r } };
}
