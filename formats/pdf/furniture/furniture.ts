import { findLargest, findSmallest } from '../../extremes';
import { groupBy } from '../geometry/group-by';
import type { Rule } from '../geometry/page';
import { listLevelRules } from '../geometry/rulings';
import { isUnit } from '../layout/captions';
import type { Line } from '../text/line';
import { areBelowBlanks, findThreeParts, isBeside, isTableRow } from './edge-rows';
import { findNumberedRows, listLineNumbers } from './numbered-rows';
import type { PageLines } from './page-lines';
import { isCountedNumber, isLaterNumber, isPageNumber, isPrinted } from './page-numbers';
import { createRepeatCount } from './repeated-lines';
import { findSmallPrint } from './small-print';

/** Share of the page height, at the top and bottom, for headers and footers; lone page numbers use `numberZone`. */
const zone = 0.1;
const numberZone = 0.2;
/** The bottom margin in which small type is the publisher's imprint, even on a single page. */
const imprintZone = 0.08;
/** Below this height there are no footnotes. */
const noteZone = 0.055;
const maxImprint = 6;
/** Least number of lines on a page of text. */
const minText = 5;
/** A page with more lines is a plot or a map, and the comparison of its lines would take seconds. */
const maxLines = 2_000;
const stamp = /^(?:downloaded (?:from|by|on)\b|heruntergeladen (?:von|am)\b|téléchargé (?:sur|depuis|le)\b)/i;
/** The outermost margin, where browsers print. */
const printedZone = 0.04;
/** The top margin that contains the running head of a numbered page. */
const headZone = 0.08;
const maxHeadWords = 14;
/** A ruling that separates a running header from the text covers at least this share of the text's width. */
const widestShare = 0.8;

/**
 * Finds the page headers and footers: marginal lines whose text, with numbers masked, recurs at the same height on other
 * pages; other lines at such a height; and lone page numbers at the edge.
 */
export function findFurniture(all: readonly PageLines[]): Map<Line, 'page_header' | 'page_footer'> {
  const pages = all.filter(({ lines }) => lines.length <= maxLines);
  const needed = Math.max(2, Math.ceil(pages.length * 0.3));
  const marginal = pages.map((page) => page.lines.filter((line) => findEdge(page, line)));
  const getPagesWith = createRepeatCount(pages, marginal);
  const detached = new Set(pages.flatMap((page) => [...findDetachedLines(page)]));
  const small = new Set(pages.flatMap((page, index) => listSmall(page, marginal[index] as Line[])));
  // A line close to the text must recur on most pages: tables may begin at the top of two pages.
  // Monospaced lines of a document in another type are code: many listings have the same lines.
  const isRepeated = (line: Line) =>
    !line.mono &&
    !isUnit(line.text) &&
    getPagesWith(line) >= (detached.has(line) || small.has(line) ? needed : Math.max(3, 0.6 * pages.length));
  const heights = new Set(
    marginal
      .flat()
      .filter(isRepeated)
      .map(({ baseline }) => Math.round(baseline)),
  );
  const isAtHeight = ({ baseline }: Line) => [-1, 0, 1].some((off) => heights.has(Math.round(baseline) + off));

  const furniture = findNumberedRows(pages);
  const largest = smallPrint * computeCommonSize(pages.flatMap(({ lines }) => lines));
  const isSmallPrint = (line: Line) => line.size <= largest && !line.mono && !isNote(line);
  for (const [line, edge] of findSmallPrint(pages, isSmallPrint, (page, line) => findEdge(page, line, numberZone)))
    furniture.set(line, edge);
  const titles = findRepeatedTitles(pages, getPagesWith);
  pages.forEach((page) => {
    for (const line of page.lines) {
      const edge = findEdge(page, line);
      const isInPlace = !line.mono && isAtHeight(line) && detached.has(line) && isOutermost(page, line);
      const isFurniture =
        edge && (line.tag === 'Artifact' || isRepeated(line) || (isInPlace && !isTableRow(page.lines, line, edge)));
      const foundEdge = isFurniture ? edge : findEdgeOfNumber(page, line);
      if (foundEdge) furniture.set(line, foundEdge);
    }
    for (const line of findImprint(page)) furniture.set(line, 'page_footer');
    for (const line of [
      ...findRunningHead(page),
      ...findMirroredHead(page),
      ...findTabbedRows(page),
      ...listStamps(page),
      ...listPrintedRows(page),
    ])
      furniture.set(line, findEdge(page, line) ?? 'page_footer');
    for (const [line, edge] of findCountedNumbers(page)) furniture.set(line, edge);
    const numbers = page.lines.filter((line) => furniture.has(line) && isPageNumber(line));
    for (const line of listRowsOfNumbers(page, numbers, detached))
      furniture.set(line, findEdge(page, line) ?? 'page_footer');
    if ((page.pageNo ?? 1) > 1 ? numbers.length > 0 : numbers.some(isLaterNumber))
      for (const edge of ['page_header', 'page_footer'] as const)
        for (const line of findEdgeRowOfNumbered(page, furniture, edge)) furniture.set(line, edge);
    for (const line of findRowAboveNumber(page, numbers)) furniture.set(line, 'page_footer');
    for (const line of listLineNumbers(page)) furniture.set(line, 'page_header');
    for (const line of listPlacesToSign(page, furniture)) if (!isRepeated(line)) furniture.delete(line);
  });
  for (const line of titles) furniture.delete(line);
  return furniture;
}

/** A header in type this much smaller than the text needs no white space below it. */
const smallType = 0.85;
/** Small print in the corner of slides is at most this large, as a share of the type size of most text. */
const smallPrint = 0.7;
/** A title that recurs as the header of later pages is at least this much larger than the text. */
const titleSize = 1.2;
/** A centred title is this near to the middle of the text, in widths of the text; columns of text may end before its band does. */
const centredShare = 0.2;

/** The topmost and lowest lines in type much smaller than the text. */
function listSmall(page: PageLines, marginal: readonly Line[]): Line[] {
  const largest = smallType * computeCommonSize(page.lines);
  const baselines = marginal.map(({ baseline }) => baseline);
  const [top, bottom] = [findLargest(baselines), findSmallest(baselines)];
  return marginal.filter(({ size, baseline }) => size <= largest && (baseline > top - 1 || baseline < bottom + 1));
}

/** The largest line of the first page, at the left or centred above its text, if every page repeats it: the title of a report. */
function findRepeatedTitles(pages: readonly PageLines[], countPages: (line: Line) => number): Line[] {
  const [page] = pages;
  if (!page || pages.length < 2) return [];
  const titles = page.lines.filter(
    (line) =>
      findEdge(page, line) === 'page_header' && /\p{L}{2}/u.test(line.text) && countPages(line) === pages.length,
  );
  if (titles.length === 0) return [];
  const largest = page.lines.reduce((size, line) => Math.max(size, line.size), 0);
  if (largest < titleSize * computeCommonSize(page.lines)) return [];
  const left = findSmallest(page.lines.map(({ box }) => box.l));
  const right = findLargest(page.lines.map(({ box }) => box.r));
  const isTitle = ({ box, size }: Line) =>
    size >= largest && (box.l - left < size || Math.abs(box.l + box.r - left - right) < centredShare * (right - left));
  return titles.filter(isTitle);
}

/** Lines of small type below all text, in the bottom margin, apart from the text and not beginning like a note. */
function findImprint(page: PageLines): Line[] {
  const [low, others] = [
    page.lines.filter((line) => isLow(page, line)),
    page.lines.filter((line) => !isLow(page, line)),
  ];
  if (low.length === 0 || low.length > maxImprint || others.length === 0) return [];
  const top = findLargest(low.map(({ box }) => box.t));
  const size = findLargest(low.map((line) => line.size));
  const isApart = others.every(({ box }) => box.b > top + 1.5 * size);
  const isSmall = size <= 0.95 * computeCommonSize(others);
  const isMargin = top < noteZone * page.height;
  return isApart && isSmall && (isMargin || !low.some(isNote)) ? low : [];
}

/** One row of small type above all text, in the top margin, well apart from the text. */
function findRunningHead(page: PageLines): Line[] {
  const isHigh = ({ box }: Line) => box.b > (1 - imprintZone) * page.height;
  const high = page.lines.filter(isHigh);
  const others = page.lines.filter((line) => !isHigh(line));
  const [first] = high;
  if (!first || high.length > 3 || others.length < minText) return [];
  const bottom = findSmallest(high.map(({ box }) => box.b));
  const size = findLargest(high.map((line) => line.size));
  const isRow = high.every(({ baseline, bold, mono }) => Math.abs(baseline - first.baseline) < 2 && !bold && !mono);
  const isApart = others.every(({ box }) => box.t < bottom - 2 * size);
  return isRow && isApart && size <= 0.9 * computeCommonSize(others) ? high : [];
}

/**
 * The topmost row if it begins and ends with the same words, as on each page of a manual: "shadow(5) File Formats shadow(5)". Two
 * pages or cards side by side also begin with the same words, but have nothing else between them, or larger type.
 */
function findMirroredHead(page: PageLines): Line[] {
  const top = page.lines.reduce((highest, { baseline }) => Math.max(highest, baseline), -Infinity);
  const row = page.lines.filter(({ baseline }) => Math.abs(baseline - top) < 2).toSorted((a, b) => a.box.l - b.box.l);
  const [first, last] = [row[0], row.at(-1)];
  if (!first || !last || first === last || first.text !== last.text || !/\p{L}{2}/u.test(first.text)) return [];
  const isManual = row.length === 2 && /\(\d\w*\)$/.test(first.text);
  if (!isManual && !(row.length === 3 && row[1]?.text !== first.text)) return [];
  const others = page.lines.filter((line) => !row.includes(line));
  const isApart = others.every(({ box }) => box.t < first.box.b - first.size);
  const isModest = first.size <= 1.02 * computeCommonSize(others);
  return isApart && isModest && findEdge(page, first) === 'page_header' ? row : [];
}

/** The outermost rows with texts at the left, in the middle and at the right, in modest type and apart from the text. */
function findTabbedRows(page: PageLines): Line[] {
  return (['page_header', 'page_footer'] as const).flatMap((edge) => {
    const row = findThreeParts(page.lines, { edge, width: page.width });
    const [first] = row;
    if (!first || !row.every((line) => findEdge(page, line) === edge && line.words.length <= maxHeadWords / 2))
      return [];
    const others = page.lines.filter((line) => !row.includes(line));
    const reach = 1.5 * first.size;
    const isApart = others.every(({ box }) =>
      edge === 'page_header' ? box.t < first.box.b - reach : box.b > first.box.t + reach,
    );
    const isModest = row.every(({ size, bold }) => !bold && size <= 1.02 * computeCommonSize(others));
    return isApart && isModest && !isTableRow(page.lines, first, edge) ? row : [];
  });
}

/** The footers that are below rulings of their own: what is to be signed or filled in, unless each page has it. */
function listPlacesToSign(page: PageLines, furniture: ReadonlyMap<Line, string>): Line[] {
  const footers = page.lines.filter((line) => furniture.get(line) === 'page_footer');
  const rows = [...groupBy(footers, ({ baseline }) => Math.round(baseline)).values()];
  return rows.filter((row) => areBelowBlanks(row, page.rules ?? [])).flat();
}

/** A row of two or three short texts in type no larger than the text, between the text and the page number below. */
function findRowAboveNumber(page: PageLines, numbers: readonly Line[]): Line[] {
  const low = page.lines.filter((line) => findEdge(page, line) === 'page_footer' && !numbers.includes(line));
  const [first] = low;
  const others = page.lines.filter((line) => !low.includes(line) && !numbers.includes(line));
  if (!first || low.length < 2 || low.length > 3 || others.length < minText) return [];
  if (!low.every((line) => isBeside(line, first) && line.words.length <= maxHeadWords / 2)) return [];
  const isNumbered = numbers.some(({ box }) => box.t < first.box.b);
  const isApart = others.every(({ box }) => box.b > first.box.t + 2 * first.size);
  return isNumbered && isApart && findLargest(low.map(({ size }) => size)) <= computeCommonSize(others) ? low : [];
}

/** Rows that browsers print at the page edges: with an address, a date and time, or a page number with a total. */
function listPrintedRows(page: PageLines): Line[] {
  const outermost = page.lines.filter((line) => findEdge(page, line, printedZone) && line.words.length <= maxHeadWords);
  const printed = outermost.filter(isPrinted);
  return outermost.filter((line) => printed.some((other) => isBeside(line, other)));
}

/** "Page 3 of 9" near the edge, with the other texts of its row and up to two lines beyond it. */
function findCountedNumbers(page: PageLines): [Line, 'page_header' | 'page_footer'][] {
  return page.lines.flatMap((line) => {
    const edge = isCountedNumber(line) ? findEdge(page, line, numberZone) : undefined;
    if (!edge) return [];
    const beyond = page.lines.filter((other) =>
      edge === 'page_header' ? other.baseline > line.baseline + 1 : other.baseline < line.baseline - 1,
    );
    const isNear = beyond.length <= 2 && beyond.every(({ words }) => words.length <= maxHeadWords);
    if (!isNear) return [];
    const found = [line, ...beyond, ...listBesideCounted(page, line)];
    return found.map((other) => [other, edge] as [Line, typeof edge]);
  });
}

/** The title or date in the row of "Page 3 of 9", unless the row touches the text. */
function listBesideCounted({ lines }: PageLines, number: Line): Line[] {
  const row = lines.filter((line) => isBeside(line, number));
  // Crafted pages have rows of thousands of texts.
  if (row.length > 3 || !row.every(({ words }) => words.length <= maxHeadWords)) return [];
  const others = lines.filter((line) => !row.includes(line));
  const isApart = others.every(({ box }) => box.t < number.box.b - number.size || box.b > number.box.t);
  return isApart ? row.filter((line) => line !== number) : [];
}

/** Lines on the same row as the page number, apart from the text. */
function listRowsOfNumbers(page: PageLines, numbers: readonly Line[], detached: ReadonlySet<Line>): Line[] {
  return page.lines.filter(
    (line) =>
      detached.has(line) &&
      line.words.length <= maxHeadWords &&
      numbers.some((number) => number !== line && isBeside(number, line)) &&
      isOutermost(page, line),
  );
}

/**
 * The running header or footer of a later, numbered page: one row in the margin, no larger than the text and separated from it
 * by white space or a ruling.
 */
function findEdgeRowOfNumbered(
  page: PageLines,
  furniture: ReadonlyMap<Line, unknown>,
  edge: 'page_header' | 'page_footer',
): Line[] {
  const isHead = edge === 'page_header';
  const rest = page.lines.filter((line) => !furniture.has(line));
  const isOuter = ({ box }: Line) => (isHead ? box.b > (1 - headZone) * page.height : box.t < headZone * page.height);
  const marginal = rest.filter(isOuter);
  const outer = findBeyondRuling(page, marginal, isHead) ?? marginal;
  const others = rest.filter((line) => !outer.includes(line));
  const [first] = outer;
  if (!first || outer.length > 2 || others.length < minText || !outer.every((line) => isBeside(line, first))) return [];
  const isParted = outer !== marginal;
  const white = isHead ? 1.5 : 1.1;
  const reach = isParted ? 0 : white * first.size;
  const [top, bottom] = [findLargest(outer.map(({ box }) => box.t)), findSmallest(outer.map(({ box }) => box.b))];
  const isApart = others.every(({ box }) => (isHead ? box.t < bottom - reach : box.b > top + reach));
  const textSize = computeCommonSize(others);
  // A page may start with a heading, but not end with one.
  const computeLargest = (italic: boolean) => {
    const ofHead = italic ? 1.15 : 1.02;
    return (isHead ? ofHead : 1.25) * textSize;
  };
  const isModest = outer.every(
    ({ size, italic, words }) => size <= computeLargest(italic) && words.length <= maxHeadWords,
  );
  const isText = outer.length === 1 && isLineOfText(first, others);
  return isApart && isModest && !isText && !outer.some((line) => /[.:;,]$/.test(line.text) || isNote(line))
    ? outer
    : [];
}

/** True for a line nearly as wide as the text, in its type and at its margin: the first or last one of a page. */
function isLineOfText(line: Line, others: readonly Line[]): boolean {
  const alike = others.filter(
    ({ size, family, box }) =>
      Math.abs(size - line.size) < 0.3 && family === line.family && Math.abs(box.l - line.box.l) < 1,
  );
  const widest = Math.max(0, findLargest(alike.map(({ box }) => box.r - box.l)));
  return alike.length >= minText && line.box.r - line.box.l > 0.75 * widest;
}

/**
 * The marginal lines that a ruling, as wide as most of the text, separates from all other lines; undefined without such a
 * ruling.
 */
function findBeyondRuling(page: PageLines, marginal: readonly Line[], isHead: boolean): Line[] | undefined {
  const width = findLargest(page.lines.map(({ box }) => box.r)) - findSmallest(page.lines.map(({ box }) => box.l));
  const isBeyond = ({ baseline }: Line, at: number) => (isHead ? baseline > at : baseline < at);
  const isMarginal = ({ at }: Rule) => (isHead ? at > (1 - zone) * page.height : at < zone * page.height);
  for (const { at, from, to } of listLevelRules((page.rules ?? []).filter(isMarginal))) {
    if (to - from < widestShare * width) continue;
    const beyond = marginal.filter((line) => isBeyond(line, at));
    if (beyond.length > 0) return beyond;
  }
  return undefined;
}

/** Download notices that a server prints at the edge of each page. */
function listStamps(page: PageLines): Line[] {
  return page.lines.filter((line) => stamp.test(line.text) && findEdge(page, line) !== undefined);
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

/** The type size of most characters. */
function computeCommonSize(lines: readonly Line[]): number {
  const counts = new Map<number, number>();
  for (const { size, text } of lines) counts.set(size, (counts.get(size) ?? 0) + text.length);
  return [...counts].toSorted((a, b) => b[1] - a[1])[0]?.[0] ?? 0;
}

/** Lines at the edges, separated from the text by white space. */
function findDetachedLines(page: PageLines): Set<Line> {
  const furniture = new Set<Line>();
  const sorted = page.lines.toSorted((a, b) => b.box.t - a.box.t);
  for (const [edge, lines] of [
    ['page_header', sorted],
    ['page_footer', sorted.toReversed()],
  ] as const) {
    let pending: Line[] = [];
    for (const [index, line] of lines.entries()) {
      if (findEdge(page, line) !== edge) break;
      pending.push(line);
      const next = lines[index + 1];
      if (next) {
        const white = edge === 'page_header' ? line.box.b - next.box.t : next.box.b - line.box.t;
        if (white < 0.8 * line.size) continue;
      }
      for (const above of pending) furniture.add(above);
      pending = [];
    }
  }
  return furniture;
}

function findEdge(page: PageLines, line: Line, share = zone): 'page_header' | 'page_footer' | undefined {
  if (line.box.b > page.height * (1 - share)) return 'page_header';
  return line.box.t < page.height * share + line.size ? 'page_footer' : undefined;
}

/** The edge of a lone page number that white space separates from the text; undefined for any other line. */
function findEdgeOfNumber(page: PageLines, line: Line): 'page_header' | 'page_footer' | undefined {
  if (!isPageNumber(line)) return undefined;
  const edge = findEdge(page, line, numberZone);
  const white = 1.5 * line.size;
  // Numbers side by side are a table row.
  const beside = page.lines.filter((other) => other !== line && Math.abs(other.baseline - line.baseline) < 2);
  if (beside.some((other) => isPageNumber(other) || /^[\p{Sc}\d.,%-]+$/u.test(other.text))) return undefined;
  const others = page.lines.filter((other) => other !== line && findEdge(page, other) !== edge);
  const isApart = others.every(({ box }) =>
    edge === 'page_header' ? box.t < line.box.b - white : box.b > line.box.t + white,
  );
  return isApart && !(edge && isTableRow(page.lines, line, edge)) ? edge : undefined;
}

/** True if only marginal lines are between it and the edge of the page. */
function isOutermost(page: PageLines, line: Line): boolean {
  const above = findEdge(page, line) === 'page_header';
  return page.lines.every((other) => {
    const beyond = above ? other.baseline > line.baseline + 1 : other.baseline < line.baseline - 1;
    return !beyond || findEdge(page, other) === findEdge(page, line);
  });
}
