import { type Box, computeCoverage, holds } from '../geometry/box';
import type { RawPage } from '../geometry/page';
import type { Grid } from '../geometry/rulings';
import { areOutlinedBars } from './axes';

/** A curve or slanted stroke over this share of the grid's width is a line of a chart. */
const minCurve = 0.3;
/** Bars: at least this many, separated by this share of their width. */
const bars = { min: 3, gap: 0.4, minHeight: 4 };
/** Maximum distance of axis labels from the plot, in points. */
export const axisReach = 40;

/**
 * True for the area of a chart, whose grid lines or bars look like a table: a curve crosses it, or it contains separate bars.
 */
export function isPlot(grid: Grid, page: Pick<RawPage, 'drawings' | 'panels' | 'fills' | 'rules'>): boolean {
  const { box, cells } = grid;
  const panels = new Set(page.panels);
  const inside = page.drawings.filter((drawing) => !panels.has(drawing) && holds(box, drawing));
  const isCurve = ({ l, r, b, t }: Box) => r - l > minCurve * (box.r - box.l) && t - b > bars.minHeight;
  if (inside.some((drawing) => isCurve(drawing) && !cells.some((cell) => computeCoverage(drawing, cell.box) > 0.9)))
    return true;
  if (areOutlinedBars(grid, page.rules)) return true;
  return haveBars(page.fills.filter((fill) => holds(box, fill) && fill.t - fill.b > bars.minHeight));
}

/** True for separate stacks of equal width: table cells touch, or nearly so. */
function haveBars(fills: readonly Box[]): boolean {
  const stacks: Box[] = [];
  for (const fill of fills.toSorted((a, b) => a.l - b.l)) {
    const last = stacks.at(-1);
    if (last && fill.l < last.r) {
      if (Math.abs(fill.l - last.l) > 2 || Math.abs(fill.r - last.r) > 2) return false;
    } else stacks.push(fill);
  }
  if (stacks.length < bars.min) return false;
  const width = (stacks[0] as Box).r - (stacks[0] as Box).l;
  return stacks.every((stack, index) => {
    const before = stacks[index - 1];
    return Math.abs(stack.r - stack.l - width) < 2 && (!before || stack.l - before.r > bars.gap * width);
  });
}

/** True for text in the plot or beside it, at the position of axis labels. */
export function isOnPlot(plots: readonly Box[], { l, r, b, t }: Box): boolean {
  const [x, y] = [(l + r) / 2, (b + t) / 2];
  return plots.some(
    (plot) => x > plot.l - axisReach && x < plot.r + axisReach && y > plot.b - axisReach && y < plot.t + 4,
  );
}
