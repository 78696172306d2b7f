import { findLargest } from '../../extremes';
import { type Box, measureOverlapX, measureOverlapY, union } from './box';
import { groupBy } from './group-by';
import type { Rule } from './page';

/** A grid of rulings: the coordinates of its lines, and its cells, merged where no ruling separates them. */
export interface Grid {
  box: Box;
  /** Vertical lines, left to right. */
  xs: number[];
  /** Horizontal lines, top to bottom. */
  ys: number[];
  cells: GridCell[];
}

/** Rows and columns count from 0; the ends are exclusive. */
export interface GridCell {
  row: number;
  column: number;
  rowEnd: number;
  columnEnd: number;
  box: Box;
}

/** Coordinates at most this far apart, in points, belong to one line. */
const snap = 3;
/** Shorter strokes, in points, are dashes, ticks and underlines of single letters. */
const shortest = 6;
const maxLines = 400;
/** A row above the first of at least `rules` rulings as wide as the grid: `lowest` points, at most `highest` times the next row. */
const openRow = { lowest: 8, highest: 3, rules: 3 };
/** The share of a cell's side that rulings must cover to separate the cell from its neighbour. */
const minCover = 0.6;

/** Finds the ruled tables of a page: groups of rulings that touch and form at least two cells. */
export function findGrids(rules: readonly Rule[]): Grid[] {
  const usable = [...listLevelRules(rules), ...joinDashes(sortRules(rules, 'v'))].filter(
    ({ from, to }) => to - from >= shortest,
  );
  if (usable.length > maxLines * 4) return [];
  return groupTouching(usable).flatMap((group) => toGrid(group) ?? []);
}

/**
 * Turns edges of shaded areas into rulings if they bound cells: all edges of areas that are side by side; of other areas, the
 * upper and lower edge where a vertical ruling ends. (Shading behind single lines of text bounds nothing.)
 */
export function listShadingRules(fills: readonly Box[], rules: readonly Rule[]): Rule[] {
  const usable = fills.filter(({ l, r, b, t }) => r - l > 8 && t - b > 6).slice(0, maxLines * 4);
  const verticals = rules.filter(({ axis }) => axis === 'v');
  const levels = listLevelRules(rules);
  const isEnd = ({ l, r }: Box, y: number) =>
    verticals.some(({ at, from, to }) => at > l - snap && at < r + snap && (isNear(from, y) || isNear(to, y)));
  const lefts = groupByPlace(usable, ({ l }) => l);
  const rights = groupByPlace(usable, ({ r }) => r);
  const isBesideAnother = (box: Box) => {
    const isLevel = (other: Box) => isNear(other.b, box.b) || isNear(other.t, box.t);
    return lefts.some(box.r, isLevel) || rights.some(box.l, isLevel);
  };
  return usable.flatMap((box): Rule[] => {
    const { l, r, b, t } = box;
    const createLevelRule = (y: number): Rule => ({ axis: 'h', at: y, from: l, to: r });
    if (!isBesideAnother(box)) return [b, t].filter((y) => isEnd(box, y)).map(createLevelRule);
    const from = findLowerEnd(lefts, box, levels);
    return [
      createLevelRule(b),
      createLevelRule(t),
      { axis: 'v', at: l, from, to: t },
      { axis: 'v', at: r, from, to: t },
    ];
  });
}

/** Things indexed by one of their coordinates. */
interface Places<T> {
  /** True if a thing near the coordinate passes the test. */
  some(at: number, test: (item: T) => boolean): boolean;
}

/** Indexes things by the coordinate that `place` returns. */
function groupByPlace<T>(things: readonly T[], place: (thing: T) => number): Places<T> {
  const strips = groupBy(things, (thing) => Math.floor(place(thing) / snap));
  return {
    some(at, test) {
      const middle = Math.floor(at / snap);
      for (let strip = middle - 1; strip <= middle + 1; strip += 1)
        for (const thing of strips.get(strip) ?? []) if (isNear(place(thing), at) && test(thing)) return true;
      return false;
    },
  };
}

/**
 * The lower edge of the cell. If every second row is shaded, it is the lower edge of the unshaded row below, which ends at the
 * next shaded row or, at the end of the table, at a ruling.
 */
function findLowerEnd(lefts: Places<Box>, { l, r, b, t }: Box, levels: readonly Rule[]): number {
  let end = b;
  let isStriped = false;
  const highest = 3 * (t - b);
  lefts.some(l, (other) => {
    if (!isNear(other.r, r)) return false;
    const [below, above] = [b - other.t, other.b - t];
    if (below > snap && below < highest && (end === b || other.t > end)) end = other.t;
    isStriped ||= above > snap && above < highest;
    return false;
  });
  if (end < b || !isStriped) return end;
  const covers = (rule: Rule) => rule.from < l + snap && rule.to > r - snap;
  return levels.findLast((rule) => b - rule.at > snap && b - rule.at < highest / 2 && covers(rule))?.at ?? end;
}

function isNear(a: number, b: number): boolean {
  return Math.abs(a - b) <= snap;
}

/** The horizontal rulings from bottom to top, with dashes joined that are at most `gap` points apart. */
export function listLevelRules(rules: readonly Rule[], gap = snap): Rule[] {
  return joinDashes(sortRules(rules, 'h'), gap);
}

/** Joins dashes and double strokes on one line into one ruling. */
function joinDashes(sorted: readonly Rule[], gap = snap): Rule[] {
  const joined: Rule[] = [];
  for (const rule of sorted) {
    const last = joined.at(-1);
    const isSame = last && last.axis === rule.axis && Math.abs(last.at - rule.at) <= 1;
    if (isSame && rule.from <= last.to + gap && rule.to >= last.from - gap) {
      last.from = Math.min(last.from, rule.from);
      last.to = Math.max(last.to, rule.to);
    } else joined.push({ ...rule });
  }
  return joined;
}

/** The rulings of one axis, from the left or the bottom; those that round to the same point are ordered along the line. */
function sortRules(rules: readonly Rule[], axis: Rule['axis']): Rule[] {
  return rules
    .filter((rule) => rule.axis === axis)
    .sort((a, b) => Math.round(a.at) - Math.round(b.at) || a.from - b.from);
}

/** The ruling as a box of zero width or height. */
export function getRuleBox({ axis, at, from, to }: Rule): Box {
  return axis === 'h' ? { l: from, r: to, b: at, t: at } : { l: at, r: at, b: from, t: to };
}

function groupTouching(rules: readonly Rule[]): Rule[][] {
  const boxes = rules.map(getRuleBox);
  const group = rules.map((_, index) => index);
  const find = (index: number): number =>
    group[index] === index ? index : (group[index] = find(group[index] as number));
  // In order of left edges, the scan can stop at the first ruling that begins beyond the end of this one.
  const order = group.toSorted((i, j) => (boxes[i] as Box).l - (boxes[j] as Box).l);
  for (let i = 0; i < order.length; i += 1) {
    const a = boxes[order[i] as number] as Box;
    for (let j = i + 1; j < order.length; j += 1) {
      const b = boxes[order[j] as number] as Box;
      if (measureOverlapX(a, b) < -snap) break;
      if (measureOverlapY(a, b) >= -snap) group[find(order[i] as number)] = find(order[j] as number);
    }
  }
  const groups = groupBy(rules.entries(), ([index]) => find(index));
  return [...groups.values()].map((entries) => entries.map(([, rule]) => rule));
}

function toGrid(rules: readonly Rule[]): Grid | undefined {
  const box = union(rules.map(getRuleBox));
  const xs = clusterValues(rules.filter(({ axis }) => axis === 'v').map(({ at }) => at));
  const ys = clusterValues(rules.filter(({ axis }) => axis === 'h').map(({ at }) => at)).reverse();
  // Tables are often open at the sides but ruled above and below: the horizontal rulings show where the sides are.
  const horizontals = rules.filter(({ axis }) => axis === 'h');
  if (xs.length > 0 && horizontals.length > 1) {
    if (box.l < (xs[0] as number) - 10) xs.unshift(box.l);
    if (box.r > (xs.at(-1) as number) + 10) xs.push(box.r);
    if (isOpenAbove(rules, ys)) ys.unshift(box.t);
  }
  if (xs.length < 2 || ys.length < 2 || (xs.length - 1) * (ys.length - 1) < 2) return undefined;
  if (xs.length > maxLines || ys.length > maxLines) return undefined;
  const isParted = createPartedTest(rules);
  return { box, xs, ys, cells: mergeCells(xs, ys, isParted) };
}

/** True if all vertical rulings that cross the first horizontal one end level above it, at the top of a row of heads. */
function isOpenAbove(rules: readonly Rule[], ys: readonly number[]): boolean {
  const [first, second] = ys as [number, number];
  const crossing = rules.filter(({ axis, from, to }) => axis === 'v' && to > first - snap && from < first + snap);
  const tops = crossing.map(({ to }) => to);
  const height = findLargest(tops) - first;
  const isRow = height > openRow.lowest && height < openRow.highest * (first - second);
  const { l, r } = union(rules.map(getRuleBox));
  const wide = ys.filter((y) =>
    rules.some(({ axis, at, from, to }) => axis === 'h' && isNear(at, y) && from < l + snap && to > r - snap),
  );
  return (
    isRow && wide.length >= openRow.rules && tops.every((top) => top > first + height - snap || isNear(top, first))
  );
}

/** Groups values that lie within the snap distance of the next, and returns the sorted means. */
function clusterValues(values: readonly number[]): number[] {
  const groups: number[][] = [];
  for (const value of values.toSorted((a, b) => a - b)) {
    const last = groups.at(-1);
    if (last && value - (last.at(-1) as number) <= snap) last.push(value);
    else groups.push([value]);
  }
  return groups.map((group) => group.reduce((sum, value) => sum + value, 0) / group.length);
}

type IsParted = (axis: 'h' | 'v', at: number, from: number, to: number) => boolean;

/** Returns a test of whether rulings cover most of a stretch of a line. */
function createPartedTest(rules: readonly Rule[]): IsParted {
  const getPlaces = (axis: Rule['axis']) =>
    groupByPlace(
      rules.filter((rule) => rule.axis === axis),
      ({ at }) => at,
    );
  const places = { h: getPlaces('h'), v: getPlaces('v') };
  return (axis, at, from, to) => {
    const enough = minCover * (to - from);
    let length = 0;
    return places[axis].some(at, (rule) => {
      length += Math.max(0, Math.min(rule.to, to) - Math.max(rule.from, from));
      return length >= enough;
    });
  };
}

/** Merges neighbouring cells that no ruling separates, as long as the result is a rectangle. */
function mergeCells(xs: readonly number[], ys: readonly number[], isParted: IsParted): GridCell[] {
  const [rows, columns] = [ys.length - 1, xs.length - 1];
  const taken = new Set<number>();
  const cells: GridCell[] = [];
  const x = (index: number) => xs[index] as number;
  const y = (index: number) => ys[index] as number;
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      if (taken.has(row * columns + column)) continue;
      let columnEnd = column + 1;
      while (
        columnEnd < columns &&
        !taken.has(row * columns + columnEnd) &&
        !isParted('v', x(columnEnd), y(row + 1), y(row))
      )
        columnEnd += 1;
      let rowEnd = row + 1;
      while (rowEnd < rows && isOpenBelow(rowEnd, column, columnEnd)) rowEnd += 1;
      for (let r = row; r < rowEnd; r += 1) for (let c = column; c < columnEnd; c += 1) taken.add(r * columns + c);
      cells.push({ row, column, rowEnd, columnEnd, box: { l: x(column), r: x(columnEnd), t: y(row), b: y(rowEnd) } });
    }
  }
  return cells;

  function isOpenBelow(line: number, from: number, to: number): boolean {
    for (let c = from; c < to; c += 1) {
      if (taken.has(line * columns + c) || isParted('h', y(line), x(c), x(c + 1))) return false;
      if (c > from && isParted('v', x(c), y(line + 1), y(line))) return false;
    }
    return true;
  }
}
