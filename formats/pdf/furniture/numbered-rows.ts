import { findLargest, findSmallest } from '../../extremes';
import { groupBy } from '../geometry/group-by';
import type { Line } from '../text/line';
import type { PageLines } from './page-lines';

/** Rows with page numbers are in this share of the page, at the top and at the bottom: wide margins are common in books. */
const numberedZone = 0.25;
/** Pages on which the number must agree with the count of pages. */
const minPages = 3;
const maxWords = 14;
/** Minimum number of other text lines on the page: a row that is alone on a page is its text. */
const minOthers = 3;
/** Steps of height, in points, within which a row is in the same place on all pages. */
const step = 3;

type Edge = 'page_header' | 'page_footer';

interface NumberedRow {
  lines: Line[];
  edge: Edge;
  /**
   * The difference between the number and the position of the page in the file, and the distance of the row from the
   * edge.
   */
  keys: string[];
}

/**
 * The outermost rows with a page number, apart from their other words, at one end: on at least three pages, at the same height,
 * the number differs from the page's position in the file by the same amount. Such rows are page headers and footers whatever
 * else they say and however wide the margins are.
 */
export function findNumberedRows(pages: readonly PageLines[]): Map<Line, Edge> {
  const rows = pages.flatMap((page, index) => [
    ...readRow(page, index, 'page_header'),
    ...readRow(page, index, 'page_footer'),
  ]);
  const counts = new Map<string, number>();
  for (const { keys } of rows) for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  const matchingRows = rows.filter(({ keys }) => keys.some((key) => countNear(counts, key) >= minPages));
  return new Map(matchingRows.flatMap(({ lines, edge }) => lines.map((line) => [line, edge] as const)));
}

function readRow(page: PageLines, index: number, edge: Edge): NumberedRow[] {
  const isHead = edge === 'page_header';
  const baselines = page.lines.map(({ baseline }) => baseline);
  const outermost = isHead ? findLargest(baselines) : findSmallest(baselines);
  const distance = isHead ? page.height - outermost : outermost;
  if (distance > numberedZone * page.height) return [];
  const lines = page.lines
    .filter(({ baseline }) => Math.abs(baseline - outermost) < 2)
    .toSorted((a, b) => a.box.l - b.box.l);
  const words = lines.reduce((sum, line) => sum + line.words.length, 0);
  if (words > maxWords || page.lines.length - lines.length < minOthers) return [];
  // A number in one line with words may belong to a heading.
  const numbers = [...new Set([lines[0]?.text, lines.at(-1)?.text])].filter((text) => /^\d{1,5}$/.test(text ?? ''));
  const place = Math.round(distance / step);
  const keys = numbers.map((text) => `${edge}/${Number(text) - (page.pageNo ?? index + 1)}/${place}`);
  return keys.length > 0 ? [{ lines, edge, keys }] : [];
}

/** Pages whose rows are at this height, or one step above or below. */
function countNear(counts: ReadonlyMap<string, number>, key: string): number {
  const [, start = '', place = ''] = /^(.*\/)(\d+)$/.exec(key) ?? [];
  return [-1, 0, 1].reduce((sum, off) => sum + (counts.get(`${start}${Number(place) + off}`) ?? 0), 0);
}

/**
 * Line numbers of a patent or draft: one column beside the text that counts in steps of one or five. A column beside cells counts
 * the rows of a table.
 */
export function listLineNumbers(page: PageLines): Line[] {
  const rows = groupBy(page.lines, ({ baseline }) => Math.round(baseline));
  const isRow = ({ baseline }: Line) => isRowOfCells(rows.get(Math.round(baseline)) ?? []);
  const numbers = page.lines.filter(({ text }) => /^\d{1,3}$/.test(text));
  const places = groupBy(numbers, ({ box }) => Math.round((box.l + box.r) / 12));
  return [...places.values()].flatMap((lines) => {
    const sorted = lines.toSorted((a, b) => b.baseline - a.baseline).filter(({ text }) => Number(text) > 0);
    return [5, 1].flatMap((step) => {
      const run = findCountedRun(sorted, step, page.height);
      return run.filter(isRow).length > 0.5 * run.length ? [] : run;
    });
  });
}

/** True for four pieces, or three of which two are figures: two columns of text may have line numbers between them. */
function isRowOfCells(row: readonly Line[]): boolean {
  const figures = row.filter(({ text }) => /^[\d.,%()+-]+$/.test(text)).length;
  return row.length > 3 || (row.length === 3 && figures > 1);
}

/** The run of numbers in the given step, evenly spaced. Tables may number each row, so step 1 needs a longer run. */
function findCountedRun(lines: readonly Line[], step: number, height: number): Line[] {
  const first = lines.findIndex(({ text }) => Number(text) === step);
  const run = first < 0 ? [] : lines.slice(first).filter(({ text }, index) => Number(text) === step * (index + 1));
  const [top, last] = [run[0], run.at(-1)];
  if (!top || !last || run.length < (step === 1 ? 20 : 5)) return [];
  const stride = (top.baseline - last.baseline) / (run.length - 1);
  const isEven = run.every(({ baseline }, index) => Math.abs(top.baseline - baseline - index * stride) < 0.3 * stride);
  const isLong = top.baseline - last.baseline > (step === 1 ? 0.6 : 0.3) * height;
  return isEven && isLong && stride > 0.9 * step * top.size ? run : [];
}
