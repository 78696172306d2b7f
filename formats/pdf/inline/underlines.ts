import type { Rule } from '../geometry/page';
import type { Line, Word } from '../text/line';

/** Height of an underline above the baseline, as shares of the type size; a ruling between rows is further below it. */
const height = { min: -0.21, max: 0.02 };
/** The ends of an underline are at edges of words: at most this far from them, in type sizes, as it may cover the space after a word. */
const slack = 0.35;
/** Text is underlined in at least `lines` lines with `words` words or more; fewer may be the heads of columns. */
const minimum = { lines: 2, words: 4 };
/** A page with more level rulings is a drawing. */
const maxRules = 500;

/**
 * The rulings of a page without the underlines of running text, which would otherwise look like the rulings of a table: text that
 * a reviewer has inserted is underlined line by line.
 */
export function omitUnderlines(rules: readonly Rule[], lines: readonly Line[]): Rule[] {
  const level = rules.filter(({ axis }) => axis === 'h');
  if (level.length < minimum.lines || level.length > maxRules) return [...rules];
  const strips = groupByStrip(lines);
  const found = new Set<Rule>();
  const long = new Set<Line>();
  for (const rule of level) {
    const line = findUnderlined(rule, strips);
    if (!line) continue;
    found.add(rule);
    if (countWords(rule, line) >= minimum.words) long.add(line);
  }
  return long.size < minimum.lines ? [...rules] : rules.filter((rule) => !found.has(rule));
}

/** Lines by the height of their baselines, in strips of `stripHeight` points. */
type Strips = ReadonlyMap<number, readonly Line[]>;
const stripHeight = 20;

function groupByStrip(lines: readonly Line[]): Strips {
  const strips = new Map<number, Line[]>();
  for (const line of lines) {
    const strip = Math.floor(line.baseline / stripHeight);
    const others = strips.get(strip);
    if (others) others.push(line);
    else strips.set(strip, [line]);
  }
  return strips;
}

/** The line that the ruling underlines from the edge of one word to the edge of another. */
function findUnderlined(rule: Rule, strips: Strips): Line | undefined {
  const strip = Math.floor(rule.at / stripHeight);
  // A ruling may also touch the letters from below, a little above the baseline.
  for (const line of [strip - 1, strip, strip + 1].flatMap((at) => strips.get(at) ?? [])) {
    const above = (rule.at - line.baseline) / line.size;
    if (above < height.min || above > height.max) continue;
    const near = slack * line.size;
    if (rule.from < line.box.l - near || rule.to > line.box.r + near) continue;
    const starts = line.words.some(({ box }) => Math.abs(box.l - rule.from) < near);
    if (starts && line.words.some(({ box }) => Math.abs(box.r - rule.to) < near)) return line;
  }
  return undefined;
}

function countWords({ from, to }: Rule, { words }: Line): number {
  const isAbove = ({ box }: Word) => (box.l + box.r) / 2 > from && (box.l + box.r) / 2 < to;
  return words.filter(isAbove).length;
}
