import { findLargest, findSmallest } from '../../extremes';
import { union } from '../geometry/box';
import type { Line } from '../text/line';
import type { AlignedTable, Row } from './aligned-table';

/** Fewest entries with dots; with chapters without dots among them, two are enough if there are `all` entries together. */
const minimum = { dotted: 3, withChapters: 2, all: 4 };
const place = String.raw`[\divxlcIVXLC]+(?:[-–.][\divxlcIVXLC]+)*\.?`;
/** Dots up to a page number, or up to several numbers in an index. */
const dotted = new RegExp(String.raw`^(.*?(?:\s?\.){4,})\s*(${place}(?:, ?${place})*)$`);
/** The page of an entry without dots. */
const page = /^(?:\d{1,4}|[ivxlc]{1,7})$/;
/** Entries whose right edges are this far apart are in different columns, in type sizes. */
const columnWidth = 6;
/** Entries side by side, each with dots and a number. */
const severalDotted = /(?:\s?\.){4,}\s*[\divxlcIVXLC]+\s.*(?:\s?\.){4,}/;
const startsNumbered = /^(?:\d{1,3}|[A-Z])(?:\.\d{1,3})*\.?\s/;
/** Largest difference between the right edges of page numbers, in points. */
const slack = 2;
/** Narrowest gap before the page of an entry without dots, and the widest distance to the entry above, in type sizes. */
const reach = { gap: 2, rows: 6, wrapped: 1.6 };

interface Entry {
  title: string;
  pages: string;
  hasDots: boolean;
  lines: Line[];
  /** The right edge of the page number. */
  edge: number;
}

/**
 * A table of contents at `start`: entries with dot leaders up to their page, and between them chapters whose page stands apart
 * without dots. Titles may have several lines. `end` is the first row after it.
 */
export function findContents(rows: readonly Row[], start: number): { found: AlignedTable; end: number } | undefined {
  const { entries, end } = collectEntries(rows, start);
  if (entries[0] && isPageHeader(entries[0])) return undefined;
  const withDots = entries.filter(({ hasDots }) => hasDots).length;
  const isEnough = withDots >= minimum.dotted || (withDots >= minimum.withChapters && entries.length >= minimum.all);
  if (!isEnough) return undefined;
  const cells = entries.flatMap(({ title, pages, lines }, row) =>
    [title, pages].map((text, column) => ({
      row,
      rowEnd: row + 1,
      column,
      columnEnd: column + 1,
      text,
      header: false,
      box: union(lines.map(({ box }) => box)),
    })),
  );
  const lines = entries.flatMap((entry) => entry.lines);
  return {
    found: {
      table: { box: union(lines.map(({ box }) => box)), rows: entries.length, columns: 2, cells },
      lines,
      isIndex: true,
    },
    end,
  };
}

/** True for entries side by side, or with right edges far apart. */
export function areInColumns(rows: readonly Row[]): boolean {
  const edges = rows.flatMap((row) => readDotted(row)?.edge ?? []);
  const size = rows[0]?.size ?? 0;
  if (edges.length > 1 && findLargest(edges) - findSmallest(edges) > columnWidth * size) return true;
  return rows.some(({ lines }) => severalDotted.test(lines.map(({ text }) => text).join(' ')));
}

/** True for a page header above the entries, such as "CONTENTS iii"; they are found from the row below it. */
function isPageHeader({ title, hasDots }: Entry): boolean {
  return !hasDots && !/\p{Ll}/u.test(title) && !startsNumbered.test(title);
}

/** The consecutive entries from `start`; those without dots have their page below the other pages. */
function collectEntries(rows: readonly Row[], start: number): { entries: Entry[]; end: number } {
  const entries: Entry[] = [];
  let end = start;
  let wrapped: Row[] = [];
  for (let index = start; index < rows.length; index += 1) {
    const row = rows[index] as Row;
    const above = rows[index - 1];
    const entry = readDotted(row) ?? readChapter(row);
    if (!entry) {
      wrapped.push(row);
      if (wrapped.length > 2 || !isWrappedTitle(row, rows[index + 1])) break;
      continue;
    }
    const isFar = index > start && above !== undefined && above.baseline - row.baseline > reach.rows * row.size;
    const known = entries.at(-1);
    if (known && (!known.hasDots || !entry.hasDots) && (isFar || Math.abs(known.edge - entry.edge) > slack)) break;
    entries.push(prependLines(entry, wrapped));
    wrapped = [];
    end = index + 1;
  }
  return { entries, end };
}

function readDotted({ lines }: Row): Entry | undefined {
  const text = lines.map((line) => line.text).join(' ');
  const match = dotted.exec(text);
  if (!match || severalDotted.test(text)) return undefined;
  const edge = findLargest(lines.map(({ box }) => box.r));
  return { title: match[1] as string, pages: match[2] as string, hasDots: true, lines, edge };
}

function readChapter({ lines, size }: Row): Entry | undefined {
  const [number, title] = [lines.at(-1), lines.at(-2)];
  if (!number || !title || !page.test(number.text) || number.box.l - title.box.r < reach.gap * size) return undefined;
  const text = lines
    .slice(0, -1)
    .map((line) => line.text)
    .join(' ');
  if (!/\p{L}/u.test(text)) return undefined;
  return { title: text, pages: number.text, hasDots: false, lines, edge: number.box.r };
}

/** True for the first line of a title that continues below: the next line has no section number, or is indented further. */
function isWrappedTitle({ lines, baseline, size }: Row, next: Row | undefined): boolean {
  const [line, below] = [lines[0], next?.lines[0]];
  if (!next || !line || !below || baseline - next.baseline > reach.wrapped * size) return false;
  if (line.bold !== below.bold || !/\p{L}/u.test(line.text)) return false;
  const isIndented = below.box.l > line.box.l + 0.5 * size;
  return startsNumbered.test(line.text) && isIndented && !startsNumbered.test(below.text);
}

function prependLines(entry: Entry, wrapped: readonly Row[]): Entry {
  if (wrapped.length === 0) return entry;
  const lines = wrapped.flatMap((row) => row.lines);
  return {
    ...entry,
    title: [...lines.map(({ text }) => text), entry.title].join(' '),
    lines: [...lines, ...entry.lines],
  };
}
