import type { Line } from './line';
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
  const outermost = isHead ? Math.max(...baselines) : Math.min(...baselines);
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
