import { groupBy } from '../geometry/group-by';
import type { Line } from './lines';

/** What a page is to the search for repeated lines. */
export interface PageLines {
  height: number;
  lines: readonly Line[];
}

/** The part of the page, above and below, in which headers and footers stand; page numbers that stand alone have more. */
const zone = 0.1;
const numberZone = 0.2;
/** The margin below, in which text in small type is that of the publisher, on a single page too. */
const imprintZone = 0.08;
/** Below this stands no note of the text either. */
const noteZone = 0.055;
const mostImprint = 6;
/** Lines that make a page of text. */
const leastText = 5;
const stamp = /^(?:downloaded (?:from|by|on)\b|heruntergeladen (?:von|am)\b|téléchargé (?:sur|depuis|le)\b)/i;
const pageNumber =
  /^(?:(?:page|seite|p\.)\s*)?[-–(]?\s*(?:\d{1,5}|[ivxlc]{1,7})\s*[-–)]?(?:\s*(?:of|von|\/)\s*\d{1,5})?$/i;

/**
 * Headers and footers of each page: lines in the margins whose text, numbers masked, comes again at the same height on
 * other pages; further lines at such a height; and page numbers that stand alone at the edge.
 */
export function findFurniture(pages: readonly PageLines[]): Map<Line, 'page_header' | 'page_footer'> {
  const needed = Math.max(2, Math.ceil(pages.length * 0.3));
  const seen = new Map<string, Set<number>>();
  const marginal = pages.map((page) => page.lines.filter((line) => edgeOf(page, line)));
  marginal.forEach((lines, index) => {
    for (const line of lines) for (const key of keysOf(line, 0)) seen.set(key, (seen.get(key) ?? new Set()).add(index));
  });
  const detached = new Set(pages.flatMap((page) => [...detachedLines(page)]));
  const pagesWith = (line: Line) => Math.max(...keysOf(line, 1).map((key) => seen.get(key)?.size ?? 0));
  // Close to the text only what nearly every page has is a header: a table may begin at the top of two pages.
  const isRepeated = (line: Line) => pagesWith(line) >= (detached.has(line) ? needed : Math.max(3, 0.6 * pages.length));
  const heights = new Set(
    marginal
      .flat()
      .filter(isRepeated)
      .map(({ baseline }) => Math.round(baseline)),
  );
  const isAtHeight = ({ baseline }: Line) => [-1, 0, 1].some((off) => heights.has(Math.round(baseline) + off));

  const furniture = new Map<Line, 'page_header' | 'page_footer'>();
  pages.forEach((page) => {
    for (const line of page.lines) {
      const edge = edgeOf(page, line);
      const isFurniture =
        edge && (isRepeated(line) || (isAtHeight(line) && detached.has(line) && isOutermost(page, line)));
      const found = isFurniture ? edge : edgeOfNumber(page, line);
      if (found) furniture.set(line, found);
    }
    for (const line of imprintOf(page)) furniture.set(line, 'page_footer');
    for (const line of [...runningHeadOf(page), ...stampsOf(page)])
      furniture.set(line, edgeOf(page, line) ?? 'page_footer');
    for (const line of lineNumbersOf(page)) furniture.set(line, 'page_header');
  });
  return furniture;
}

/** Numbers of the lines of a patent or a draft: one below the other beside the text, each one or five more than the last. */
function lineNumbersOf(page: PageLines): Line[] {
  const numbers = page.lines.filter(({ text }) => /^\d{1,3}$/.test(text));
  const places = groupBy(numbers, ({ box }) => Math.round((box.l + box.r) / 12));
  return [...places.values()].flatMap((lines) => {
    const sorted = lines.toSorted((a, b) => b.baseline - a.baseline).filter(({ text }) => Number(text) > 0);
    return [5, 1].flatMap((step) => countedRun(sorted, step, page.height));
  });
}

/** The numbers that count the lines of a page in such steps; every line is counted by a table too, but few of a page. */
function countedRun(lines: readonly Line[], step: number, height: number): Line[] {
  const first = lines.findIndex(({ text }) => Number(text) === step);
  const run = first < 0 ? [] : lines.slice(first).filter(({ text }, index) => Number(text) === step * (index + 1));
  const [top, last] = [run[0], run.at(-1)];
  if (!top || !last || run.length < (step === 1 ? 20 : 5)) return [];
  const stride = (top.baseline - last.baseline) / (run.length - 1);
  const isEven = run.every(({ baseline }, index) => Math.abs(top.baseline - baseline - index * stride) < 0.3 * stride);
  const isLong = top.baseline - last.baseline > (step === 1 ? 0.6 : 0.3) * height;
  return isEven && isLong && stride > 0.9 * step * top.size ? run : [];
}

/** Lines in small type below everything, in the outermost margin, apart from the text and not begun as a note is. */
function imprintOf(page: PageLines): Line[] {
  const [low, others] = [
    page.lines.filter((line) => isLow(page, line)),
    page.lines.filter((line) => !isLow(page, line)),
  ];
  if (low.length === 0 || low.length > mostImprint || others.length === 0) return [];
  const top = Math.max(...low.map(({ box }) => box.t));
  const size = Math.max(...low.map((line) => line.size));
  const isApart = others.every(({ box }) => box.b > top + 1.5 * size);
  const isSmall = size <= 0.95 * commonSize(others);
  const isMargin = top < noteZone * page.height;
  return isApart && isSmall && (isMargin || !low.some(isNote)) ? low : [];
}

/** One row in small type above everything, in the outermost margin, well apart from the text. */
function runningHeadOf(page: PageLines): Line[] {
  const isHigh = ({ box }: Line) => box.b > (1 - imprintZone) * page.height;
  const high = page.lines.filter(isHigh);
  const others = page.lines.filter((line) => !isHigh(line));
  const [first] = high;
  if (!first || high.length > 3 || others.length < leastText) return [];
  const bottom = Math.min(...high.map(({ box }) => box.b));
  const size = Math.max(...high.map((line) => line.size));
  const isRow = high.every(({ baseline, bold }) => Math.abs(baseline - first.baseline) < 2 && !bold);
  const isApart = others.every(({ box }) => box.t < bottom - 2 * size);
  return isRow && isApart && size <= 0.9 * commonSize(others) ? high : [];
}

/** What a server prints at the edge of each page that it hands out. */
function stampsOf(page: PageLines): Line[] {
  return page.lines.filter((line) => stamp.test(line.text) && edgeOf(page, line) !== undefined);
}

function isLow({ height }: PageLines, { box }: Line): boolean {
  return box.t < imprintZone * height;
}

function isNote({ words }: Line): boolean {
  const [first] = words;
  return (
    first !== undefined && (/^(?:[*†‡§]+|\d{1,3}\))$/.test(first.text) || (first.raised && /^\d/.test(first.text)))
  );
}

/** The size in which most characters are set. */
function commonSize(lines: readonly Line[]): number {
  const counts = new Map<number, number>();
  for (const { size, text } of lines) counts.set(size, (counts.get(size) ?? 0) + text.length);
  return [...counts].toSorted((a, b) => b[1] - a[1])[0]?.[0] ?? 0;
}

/** Lines at the edges with white between them and the text. */
function detachedLines(page: PageLines): Set<Line> {
  const found = new Set<Line>();
  const sorted = page.lines.toSorted((a, b) => b.box.t - a.box.t);
  for (const [edge, lines] of [
    ['page_header', sorted],
    ['page_footer', sorted.toReversed()],
  ] as const) {
    let pending: Line[] = [];
    for (const [index, line] of lines.entries()) {
      if (edgeOf(page, line) !== edge) break;
      pending.push(line);
      const next = lines[index + 1];
      const white = !next ? Infinity : edge === 'page_header' ? line.box.b - next.box.t : next.box.b - line.box.t;
      if (white < 0.8 * line.size) continue;
      for (const above of pending) found.add(above);
      pending = [];
    }
  }
  return found;
}

function edgeOf(page: PageLines, line: Line, share = zone): 'page_header' | 'page_footer' | undefined {
  if (line.box.b > page.height * (1 - share)) return 'page_header';
  return line.box.t < page.height * share + line.size ? 'page_footer' : undefined;
}

/** The edge beyond which nothing stands but this page number, with white between it and the text. */
function edgeOfNumber(page: PageLines, line: Line): 'page_header' | 'page_footer' | undefined {
  if (!pageNumber.test(line.text.trim())) return undefined;
  const edge = edgeOf(page, line, numberZone);
  const white = 1.5 * line.size;
  // The last row of a table of numbers is not one of page numbers.
  const beside = page.lines.filter((other) => other !== line && Math.abs(other.baseline - line.baseline) < 2);
  if (beside.some((other) => pageNumber.test(other.text.trim()) || /^[\d.,%-]+$/.test(other.text))) return undefined;
  const others = page.lines.filter((other) => other !== line && edgeOf(page, other) !== edge);
  const isApart = others.every(({ box }) =>
    edge === 'page_header' ? box.t < line.box.b - white : box.b > line.box.t + white,
  );
  return isApart ? edge : undefined;
}

/** Text with its numbers masked, at a height; with `slack` 1 also at the heights next to it. */
function keysOf(line: Line, slack: number): string[] {
  const masked = line.text
    .replace(/\d+/g, '#')
    .replace(/^[ivxlc]+$/i, '#')
    .replace(/\s+/g, ' ')
    .trim();
  const height = Math.round(line.baseline / 3);
  return slack === 0 ? [`${masked}@${height}`] : [-1, 0, 1].map((off) => `${masked}@${height + off}`);
}

/** Nothing but other marginal lines stands between it and the edge of the page. */
function isOutermost(page: PageLines, line: Line): boolean {
  const above = edgeOf(page, line) === 'page_header';
  return page.lines.every((other) => {
    const beyond = above ? other.baseline > line.baseline + 1 : other.baseline < line.baseline - 1;
    return !beyond || edgeOf(page, other) === edgeOf(page, line);
  });
}
