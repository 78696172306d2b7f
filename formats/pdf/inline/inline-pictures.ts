import { type Box, union } from '../geometry/box';
import { groupBy } from '../geometry/group-by';
import type { RawPage, Rule } from '../geometry/page';
import { findFirst } from '../geometry/strips';
import type { Line } from '../text/line';

/**
 * A picture within a line, in type sizes: at most this wide and high, at most `gap` away from the words on both sides, and over them
 * by at most `slack`. Smaller ones are bullets.
 */
const inline = { smallest: 0.7, width: 12, height: 3.5, gap: 0.6, slack: 0.2 };
/** Larger type, in points, is no running text; the search for its pictures would span many strips. */
const largestType = 40;
/** The fewest words on both sides, and on one of them: fewer may be cells, entries of a legend or of a menu. */
const words = { both: 4, oneSide: 3 };
/** A strip of the page, in points, with more shapes is part of a drawing. */
const strip = { height: 24, shapes: 400 };

/** The shapes of a strip, by their left edges. */
type Strips = ReadonlyMap<number, readonly Box[]>;

/**
 * Joins pieces of a line of text that a small picture parts, such as the icon of a button or a formula drawn as curves. Returns the
 * lines without the joined pieces.
 */
export function joinAtPictures(
  lines: Line[],
  { images, drawings, rules }: Pick<RawPage, 'images' | 'drawings' | 'rules'>,
): Line[] {
  if (images.length + drawings.length === 0) return lines;
  const strips = groupBy([...images, ...drawings], ({ b, t }) => Math.floor((b + t) / 2 / strip.height));
  for (const [at, shapes] of strips)
    strips.set(at, shapes.length > strip.shapes ? [] : shapes.toSorted((a, b) => a.l - b.l));
  const uprights = rules.filter(({ axis }) => axis === 'v').toSorted((a, b) => a.at - b.at);
  const joined = new Set<Line>();
  for (const row of groupBy(lines, ({ baseline }) => Math.round(baseline * 2)).values()) {
    let left: Line | undefined;
    for (const line of row.toSorted((a, b) => a.box.l - b.box.l)) {
      if (left && isOneText(left, line) && isFilled(left, line, strips) && !isParted(left, line, uprights)) {
        append(left, line);
        joined.add(line);
      } else left = line;
    }
  }
  return joined.size === 0 ? lines : lines.filter((line) => !joined.has(line));
}

/** True for pieces in one type with enough words for running text. */
function isOneText(left: Line, right: Line): boolean {
  if (left.size > largestType) return false;
  const gap = right.box.l - left.box.r;
  if (gap < inline.smallest * left.size || gap > (inline.width + 2 * inline.gap) * left.size) return false;
  if (Math.abs(left.size - right.size) > 0.05 * left.size || left.mono || right.mono) return false;
  if (left.tag !== right.tag || left.words.at(-1)?.cell !== right.words[0]?.cell) return false;
  const [before, after] = [countWords(left), countWords(right)];
  return before + after >= words.both && Math.max(before, after) >= words.oneSide && Math.min(before, after) > 0;
}

function countWords(line: Line): number {
  return line.words.filter(({ text }) => /\p{L}/u.test(text)).length;
}

/** True if small shapes on the line fill the gap between the pieces. */
function isFilled(left: Line, right: Line, strips: Strips): boolean {
  const { size, baseline } = left;
  const gap = { l: left.box.r, r: right.box.l, b: baseline, t: baseline + size / 2 };
  const middle = Math.floor(baseline / strip.height);
  const reach = Math.ceil((inline.height * size) / strip.height);
  const found: Box[] = [];
  for (let at = middle - reach; at <= middle + reach; at += 1) {
    const shapes = strips.get(at) ?? [];
    const from = findFirst(shapes.length, (index) => (shapes[index] as Box).l >= gap.l - inline.slack * size);
    for (let index = from; index < shapes.length && (shapes[index] as Box).l < gap.r; index += 1) {
      const shape = shapes[index] as Box;
      if (shape.r <= gap.r + inline.slack * size && shape.t - shape.b <= inline.height * size) found.push(shape);
    }
  }
  const near = found.filter(({ b, t }) => b < gap.t + size && t > gap.b - size);
  if (near.length === 0) return false;
  const whole = union(near);
  return (
    whole.b < gap.t &&
    whole.t > gap.b &&
    whole.t - whole.b <= inline.height * size &&
    Math.max(whole.r - whole.l, whole.t - whole.b) >= inline.smallest * size &&
    Math.max(whole.l - gap.l, gap.r - whole.r) <= inline.gap * size
  );
}

/** True if an upright ruling crosses the gap: a side of a cell. */
function isParted(left: Line, right: Line, uprights: readonly Rule[]): boolean {
  const from = findFirst(uprights.length, (index) => (uprights[index] as Rule).at >= left.box.r);
  const within = uprights.slice(from, from + strip.shapes).filter(({ at }) => at <= right.box.l);
  if (within.length === strip.shapes) return true;
  return within.some((rule) => rule.from < left.baseline && rule.to > left.baseline + left.size / 2);
}

function append(left: Line, right: Line): void {
  left.words = [...left.words, ...right.words];
  left.text = `${left.text} ${right.text}`;
  left.box = union([left.box, right.box]);
  left.bold &&= right.bold;
  left.italic &&= right.italic;
  left.order = Math.min(left.order, right.order);
}
