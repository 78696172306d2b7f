import { findLargest, findSmallest } from '../../extremes';
import type { Rule } from '../geometry/page';
import type { Line } from '../text/line';

/** Lines of one row have baselines this close, in points. */
const rowReach = 2;
/** Edges and centres of aligned texts differ by at most this much, in points. */
const slack = 1.5;
/** A row may continue the columns of the next ones, this many lines further inwards. */
const nextRows = 2;
/** A row of more texts is that of a table, without a comparison of each with each. */
const mostTexts = 100;

export function isBeside(a: Line, b: Line): boolean {
  return Math.abs(a.baseline - b.baseline) < rowReach;
}

/** The lines on the baseline of `line`, from left to right. */
function collectRow(lines: readonly Line[], line: Line): Line[] {
  return lines.filter((other) => isBeside(other, line)).toSorted((a, b) => a.box.l - b.box.l);
}

/**
 * True for a row of several texts that is the outer row of a table: one of its texts other than the first begins where a text
 * other than the first in a row next to it does, or both rows end with a number at one place.
 */
export function isTableRow(lines: readonly Line[], line: Line, edge: 'page_header' | 'page_footer'): boolean {
  const inwards = edge === 'page_header' ? -1 : 1;
  let row = collectRow(lines, line);
  const starts = row.slice(1).map(({ box }) => box.l);
  const end = row.at(-1) as Line;
  if (row.length > mostTexts) return true;
  for (let count = 0; count < nextRows && starts.length > 0; count += 1) {
    const from = row[0] as Line;
    const next = findNearest(lines, from, inwards);
    if (!next) return false;
    row = collectRow(lines, next);
    if (row.slice(1).some(({ box }) => starts.some((start) => Math.abs(start - box.l) < slack))) return true;
    const below = row.at(-1) as Line;
    if (row.length > 1 && isNumber(end) && isNumber(below) && Math.abs(end.box.r - below.box.r) < slack) return true;
  }
  return false;
}

/** True if rulings of their own are drawn just above two texts of the row: what is to be signed or filled in, not a page footer. */
export function areBelowBlanks(row: readonly Line[], rules: readonly Rule[]): boolean {
  const level = rules.filter(({ axis }) => axis === 'h');
  const blanks = row.map(({ box, size }) =>
    level.find(({ at, from, to }) => at > box.b && at < box.t + 1.5 * size && from < box.r && to > box.l),
  );
  const [first, ...others] = blanks.flatMap((rule) => rule ?? []).toSorted((a, b) => a.from - b.from);
  let end = first?.to ?? Infinity;
  return others.some((rule) => {
    const isApart = rule.from > end + slack;
    end = Math.max(end, rule.to);
    return isApart;
  });
}

function isNumber({ text }: Line): boolean {
  return /^[\p{Sc}\d.,%()-]+$/u.test(text);
}

/** The line of the next row above (1) or below (-1). */
function findNearest(lines: readonly Line[], from: Line, direction: 1 | -1): Line | undefined {
  let nearest: Line | undefined;
  for (const line of lines) {
    const distance = direction * (line.baseline - from.baseline);
    if (distance > rowReach && (!nearest || distance < direction * (nearest.baseline - from.baseline))) nearest = line;
  }
  return nearest;
}

/**
 * The outermost row if it has three texts set at the usual tab stops of a header or footer: one begins at the left margin, one is
 * centred on the page's text or paper, one ends at the right margin.
 */
export function findThreeParts(
  lines: readonly Line[],
  { edge, width }: { edge: 'page_header' | 'page_footer'; width: number | undefined },
): Line[] {
  const isHead = edge === 'page_header';
  const outermost = lines.reduce<Line | undefined>(
    (found, line) => (found && isHead === found.baseline > line.baseline ? found : line),
    undefined,
  );
  const row = outermost ? collectRow(lines, outermost) : [];
  const [first, middle, last] = row;
  if (row.length !== 3 || !first || !middle || !last) return [];
  const left = findSmallest(lines.map(({ box }) => box.l));
  const right = findLargest(lines.map(({ box }) => box.r));
  const centre = (middle.box.l + middle.box.r) / 2;
  const isCentred = [(first.box.l + last.box.r) / 2, width === undefined ? Number.NaN : width / 2].some(
    (place) => Math.abs(centre - place) < slack,
  );
  const isAtMargins = first.box.l - left < slack && right - last.box.r < slack;
  return isCentred && isAtMargins ? row : [];
}
