import { findLargest } from '../../extremes';
import type { Line } from '../text/line';
import type { PageLines } from './page-lines';
import { maskNumbers } from './page-numbers';

/** Heights on the page are compared in steps of this many points. */
const step = 3;
/** A text that recurs stands at the same place across the page, up to this many points. */
const slack = 6;
/** For each text, the places of at most this many lines are kept. */
const maxPlaces = 64;

interface Place {
  index: number;
  left: number;
  right: number;
  width: number;
}

/**
 * Counts the pages that have a line's text, with numbers masked, at the same height; 1 for text that stands at another place across
 * the page on all other pages, as cells of different tables do. `marginal` are the lines to count, by page; `listTexts` lists the
 * texts that make lines equal.
 */
export function createRepeatCount(
  pages: readonly PageLines[],
  marginal: readonly (readonly Line[])[],
  listTexts: (line: Line, pageNo: number) => string[] = maskNumbers,
): (line: Line) => number {
  const seen = new Map<string, Set<number>>();
  const places = new Map<string, Place[]>();
  const pageOf = new Map<Line, number>();
  const listMasked = (line: Line, index: number) => listTexts(line, pages[index]?.pageNo ?? index + 1);
  marginal.forEach((lines, index) => {
    const page = pages[index] as PageLines;
    for (const line of lines) {
      pageOf.set(line, index);
      for (const masked of listMasked(line, index)) {
        const key = buildKey(masked, measureHeight(page, line));
        seen.set(key, (seen.get(key) ?? new Set()).add(index));
        const known = places.get(masked) ?? [];
        if (known.length < maxPlaces) known.push(locate(page, line, index));
        places.set(masked, known);
      }
    }
  });
  return (line) => {
    const index = pageOf.get(line);
    if (index === undefined) return 0;
    const page = pages[index] as PageLines;
    const height = measureHeight(page, line);
    const place = locate(page, line, index);
    const counts = listMasked(line, index).map((masked) => {
      const count = findLargest([-1, 0, 1].map((off) => seen.get(buildKey(masked, height + off))?.size ?? 0));
      return count < 2 || (places.get(masked) ?? []).some((other) => isSamePlace(place, other)) ? count : 1;
    });
    return findLargest(counts);
  };
}

function buildKey(masked: string, height: number): string {
  return `${masked}@${height}`;
}

/** The distance from the page edge in steps. A document may mix portrait and landscape pages. */
function measureHeight({ height }: PageLines, { baseline }: Line): number {
  return Math.round((baseline > 0.5 * height ? baseline - height : baseline) / step);
}

function locate({ width }: PageLines, { box }: Line, index: number): Place {
  return { index, left: box.l, right: box.r, width: width ?? 0 };
}

/** True for two pages on which the text begins, ends or is centred at one place, or which mirror each other. */
function isSamePlace(a: Place, b: Place): boolean {
  const isNear = (first: number, second: number) => Math.abs(first - second) < slack;
  return (
    a.index !== b.index &&
    (isNear(a.left, b.left) ||
      isNear(a.right, b.right) ||
      isNear((a.left + a.right) / 2, (b.left + b.right) / 2) ||
      isNear(a.left, b.width - b.right) ||
      isNear(a.width - a.right, b.left) ||
      isNear(a.width - a.right, b.width - b.right) ||
      isNear((a.left + a.right - a.width) / 2, (b.left + b.right - b.width) / 2))
  );
}
