import { type Box, union } from '../geometry/box';
import type { Rule } from '../geometry/page';

/** Lines of a staff, the shortest one, and the distances between two of them, in points: no row of a table is that low. */
const staff = { lines: 5, shortest: 50, min: 2.5, max: 6.5 };
/** Largest difference between the ends, and between the distances, of the lines of one staff, in points. */
const slack = 1;
/** Staves of one system are at most this many heights of a staff apart. */
const reach = 3;

/** The areas of music: staves of five level lines close to each other, with the notes and signs above and below them. */
export function findStaves(rules: readonly Rule[]): Box[] {
  const level = rules
    .filter(({ axis, from, to }) => axis === 'h' && to - from >= staff.shortest)
    .toSorted((a, b) => b.at - a.at);
  const systems: Box[] = [];
  for (let index = 0; index + staff.lines <= level.length; index += 1) {
    const lines = level.slice(index, index + staff.lines);
    if (!areStaff(lines) || hasMore(level, index)) continue;
    const box = buildStaffBox(lines);
    const last = systems.at(-1);
    if (last && last.b - box.t < reach * (box.t - box.b)) systems[systems.length - 1] = union([last, box]);
    else systems.push(box);
    index += staff.lines - 1;
  }
  return systems;
}

function areStaff(lines: readonly Rule[]): boolean {
  const [first, second] = lines as [Rule, Rule];
  const gap = first.at - second.at;
  if (gap < staff.min || gap > staff.max) return false;
  return lines.every((line, index) => {
    const above = lines[index - 1];
    return !above || (Math.abs(above.at - line.at - gap) < 0.1 * gap && haveSameEnds(above, line));
  });
}

/** True if a sixth line is above or below at the same distance; such lines are not a staff. */
function hasMore(level: readonly Rule[], from: number): boolean {
  const [first, last] = [level[from] as Rule, level[from + staff.lines - 1] as Rule];
  const gap = (first.at - last.at) / (staff.lines - 1);
  const [above, below] = [level[from - 1], level[from + staff.lines]];
  const isNext = (a: Rule, b: Rule | undefined) =>
    b !== undefined && haveSameEnds(a, b) && Math.abs(Math.abs(a.at - b.at) - gap) < slack;
  return isNext(first, above) || isNext(last, below);
}

function haveSameEnds(a: Rule, b: Rule): boolean {
  return Math.abs(a.from - b.from) < slack && Math.abs(a.to - b.to) < slack;
}

/** The box of a staff with one more of its heights above and below it. */
function buildStaffBox(lines: readonly Rule[]): Box {
  const [first, last] = [lines[0] as Rule, lines.at(-1) as Rule];
  const height = first.at - last.at;
  return { l: first.from, r: first.to, b: last.at - height, t: first.at + height };
}
