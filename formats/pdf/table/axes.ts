import { findLargest, findSmallest } from '../../extremes';
import { type Box, measureOverlapX, measureOverlapY, union } from '../geometry/box';
import type { RawPage, Rule } from '../geometry/page';
import { getRuleBox, type Grid } from '../geometry/rulings';
import type { Line } from '../text/line';

/** Shortest axis, longest tick mark, and maximum distance of a tick's end from its axis, in points. */
const axis = { min: 50, longestTick: 8, slack: 1.5 };
/** Minimum number of tick marks on each of two axes that meet. */
const minTicks = 3;
/** The most tick marks of a scale for one number. */
const longestStep = 5;
const maximum = { marks: 2000, bases: 500 };
/**
 * Bars from one baseline: at least `steps` edges and `share` of those across the bars, each shorter than `max` of the grid; as large
 * a share of the edges along the bars is shorter than `widest`.
 */
const bars = { steps: 5, share: 0.8, max: 0.15, widest: 0.9 };

/** The areas of charts bounded by two axes with tick marks; table cells have no tick marks. */
export function findPlots(rules: readonly Rule[]): Box[] {
  const long = rules.filter(({ from, to }) => to - from >= axis.min);
  if (long.length < 2 || rules.length - long.length < 2 * minTicks) return [];
  const marks = rules.filter(({ from, to }) => to - from <= axis.longestTick && to > from);
  const ticked = long.filter((rule) => countTicks(rule, marks) >= minTicks);
  const plots: Box[] = [];
  for (const side of ticked.filter((rule) => rule.axis === 'v')) {
    const base = ticked.find((rule) => rule.axis === 'h' && meetsAxis(rule, side));
    if (!base) continue;
    const plot = {
      l: Math.min(base.from, side.at),
      r: Math.max(base.to, side.at),
      b: Math.min(side.from, base.at),
      t: Math.max(side.to, base.at),
    };
    if (!plots.some((other) => measureOverlapX(other, plot) > 0 && measureOverlapY(other, plot) > 0)) plots.push(plot);
  }
  return plots;
}

type Shapes = Pick<RawPage, 'rules' | 'fills' | 'drawings'>;

/** The areas of charts above a single axis: a horizontal ruling with tick marks and a number below each of them. */
export function findNumberLines(page: Shapes, lines: readonly Line[]): Box[] {
  const { rules } = page;
  const marks = rules.filter(({ axis: way, from, to }) => way === 'v' && to - from <= axis.longestTick && to > from);
  const bases = rules.filter(({ axis: way, from, to }) => way === 'h' && to - from >= axis.min);
  // Maps and patterns contain thousands of strokes.
  if (marks.length < minTicks || marks.length > maximum.marks || bases.length > maximum.bases) return [];
  return bases.flatMap((base) => {
    const ticks = marks.filter((mark) => touches(mark, base));
    if (ticks.length < minTicks) return [];
    const numbers = ticks.map((mark) => lines.find((line) => isNumberBelow(line, mark)));
    const found = new Set(numbers.filter((line) => line !== undefined));
    // Every tick of an axis of a few has its number; on a finer scale, some do.
    if (found.size < minTicks || found.size < numbers.length / longestStep) return [];
    const [strokes, others] = [new Set(marks), rules.filter((rule) => rule !== base)];
    const bars = others.filter((rule) => !strokes.has(rule)).map(getRuleBox);
    return [growUp(getRuleBox(base), [...page.fills, ...page.drawings, ...bars])];
  });
}

function touches(mark: Rule, base: Rule): boolean {
  const isAlong = mark.at >= base.from - 1 && mark.at <= base.to + 1;
  return isAlong && Math.min(Math.abs(mark.from - base.at), Math.abs(mark.to - base.at)) <= axis.slack;
}

/** True for a number centred close below a tick mark. */
function isNumberBelow({ box, text, size }: Line, mark: Rule): boolean {
  const distance = mark.from - box.t;
  const isCentred = Math.abs((box.l + box.r) / 2 - mark.at) < 0.3 * size;
  return isCentred && distance > -0.3 * size && distance < 2 * size && /^[-–−+]?\d[\d.,eE+–−-]*$/.test(text);
}

/** Adds the shapes on the area or close above it that are not wider. */
function growUp(start: Box, shapes: readonly Box[]): Box {
  const left = shapes.filter(({ l, r }) => l > start.l - axis.longestTick && r < start.r + axis.longestTick);
  let area = start;
  for (const shape of left.toSorted((a, b) => a.b - b.b))
    if (measureOverlapY(area, shape) > -1.5 * axis.longestTick) area = union([area, shape]);
  return area;
}

/** True for an axis that begins or ends at the other one. */
function meetsAxis(base: Rule, side: Rule): boolean {
  const isNear = (at: number, { from, to }: Rule) =>
    Math.min(Math.abs(at - from), Math.abs(at - to)) < axis.longestTick;
  return isNear(side.at, base) && isNear(base.at, side);
}

/** Counts the positions where short strokes across the axis end or begin at it. */
function countTicks(rule: Rule, marks: readonly Rule[]): number {
  const places = new Set<number>();
  for (const mark of marks) {
    if (mark.axis === rule.axis || mark.at < rule.from - 1 || mark.at > rule.to + 1) continue;
    if (Math.min(Math.abs(mark.from - rule.at), Math.abs(mark.to - rule.at)) <= axis.slack)
      places.add(Math.round(mark.at / 4));
  }
  return places.size;
}

/**
 * True for bars drawn as outlines from one baseline: almost every edge across the bars is one bar long, and few rulings along
 * them have the full length. In a form, the rulings between rows do.
 */
export function areOutlinedBars({ box, xs, ys }: Pick<Grid, 'box' | 'xs' | 'ys'>, rules: readonly Rule[]): boolean {
  const inside = rules.filter(
    ({ axis: way, at, from, to }) =>
      (way === 'h' ? at > box.b - 1 && at < box.t + 1 : at > box.l - 1 && at < box.r + 1) &&
      (way === 'h' ? from > box.l - 1 && to < box.r + 1 : from > box.b - 1 && to < box.t + 1),
  );
  const shareAt = (way: Rule['axis'], at: number) => {
    const axisRules = inside.filter((rule) => rule.axis === way && Math.abs(rule.at - at) < 2);
    const whole = way === 'h' ? box.r - box.l : box.t - box.b;
    const [from, to] = [
      findSmallest(axisRules.map((rule) => rule.from)),
      findLargest(axisRules.map((rule) => rule.to)),
    ];
    return axisRules.length === 0 ? 0 : (to - from) / whole;
  };
  const [verticals, horizontals] = [xs.map((x) => shareAt('v', x)), ys.map((y) => shareAt('h', y))];
  return isStaircase(verticals, horizontals) || isStaircase(horizontals, verticals);
}

function isStaircase(across: readonly number[], along: readonly number[]): boolean {
  const steps = across.filter((share) => share > 0 && share < bars.max).length;
  const short = along.filter((share) => share < bars.widest).length;
  return steps >= bars.steps && steps >= bars.share * (across.length - 1) && short >= bars.share * along.length;
}
