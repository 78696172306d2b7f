import { union } from '../geometry/box';
import { groupBy } from '../geometry/group-by';
import type { Run } from '../geometry/page';
import { findFirst } from '../geometry/strips';
import { isMark } from '../lists/lists';

/** A gap between words, in type sizes, and one that is wider than a word space. */
const gaps = { word: 0.15, wide: 0.45 };
/** A page with at least this many drawn spaces, and that share of all gaps between words, draws them all. */
const drawn = { least: 2, share: 0.4 };
/**
 * The edge of a column is where this many rows begin or end, one of them at most `near` type sizes away. Cells are cut in as many
 * rows, or in fewer if `sure` rows share the edge.
 */
const column = { rows: 3, sure: 6, near: 3 };

/** A row of heads has at least this many (fewer may be words above others by chance), and at most as many as a table has columns. */
const heads = { least: 3, most: 200 };

/** A figure has no more characters; files may have rows of any length. */
const longestFigure = 40;

/** A gap between words without a space, before the glyph at `index` of the run. */
interface Gap {
  run: Run;
  index: number;
  left: number;
  right: number;
}

/**
 * Splits runs between cells that nearly touch, such as a figure at the right edge of its column and the text beside it, or the heads
 * of narrow columns: the page draws the spaces between its words, but none between its cells, and other rows begin or end at the
 * same edge. In a page that draws no spaces, only figures and words that are both aligned in many rows are cells.
 */
export function splitAtUndrawnSpaces(runs: readonly Run[]): Run[] {
  const found = runs.map(listGaps);
  const undrawn = found.flatMap(({ undrawn: gapsOfRun }) => gapsOfRun);
  const figures = omitSpacesInFigures(undrawn.filter(isBehindFigure), runs);
  const spaces = found.reduce((sum, { drawn: count }) => sum + count, 0);
  if (spaces < drawn.least || spaces < drawn.share * (spaces + undrawn.length))
    return cutRuns(runs, listAlignedFigures(figures));
  return splitHeads(cutRuns(runs, listSharedEdges(runs, undrawn, figures)));
}

/** The gaps behind figures at edges that other rows share, and wide gaps in the same rows. */
function listSharedEdges(runs: readonly Run[], undrawn: readonly Gap[], figures: readonly Gap[]): readonly Gap[] {
  if (figures.length === 0) return [];
  // A line of text alone in its row is in no column.
  const cells = [...groupBy(runs, ({ baseline }) => Math.round(baseline)).values()]
    .filter((row) => row.length > 1)
    .flat();
  const starts = collectRows([
    ...cells.map((run) => ({ run, at: run.box.l })),
    ...undrawn.map(({ run, right }) => ({ run, at: right })),
  ]);
  const ends = collectRows([
    ...cells.map((run) => ({ run, at: run.box.r })),
    ...undrawn.map(({ run, left }) => ({ run, at: left })),
  ]);
  const counts = new Map(
    figures.map((gap) => [gap, Math.max(countRows(starts, gap.right, gap.run), countRows(ends, gap.left, gap.run))]),
  );
  const listCuts = (least: number) => figures.filter((gap) => (counts.get(gap) as number) >= least);
  const rows = listBaselines(listCuts(column.rows).map(({ run }) => run));
  const sure = new Set(listCuts(rows.length < column.rows ? column.sure : column.rows));
  if (sure.size === 0) return [];
  const isWide = ({ run, left, right }: Gap) => right - left > gaps.wide * run.size && hasRowNear(rows, run);
  return undrawn.filter((gap) => sure.has(gap) || isWide(gap));
}

/**
 * The gaps between figures of different widths that end below each other and different words that begin below each other. Numbers
 * that count the rows belong to the words: they number a list.
 */
function listAlignedFigures(figures: readonly Gap[]): Gap[] {
  const places = groupBy(figures, ({ left, right }) => `${Math.round(left)}/${Math.round(right)}`);
  return [...places.values()].filter(areAligned).flat();
}

function areAligned(figures: readonly Gap[]): boolean {
  if (figures.length < column.sure) return false;
  const sorted = figures.toSorted((a, b) => b.run.baseline - a.run.baseline);
  const rows = listBaselines(sorted.map(({ run }) => run));
  const countDifferent = (read: (gap: Gap) => unknown) => new Set(sorted.map(read)).size;
  const isCount = sorted.every(
    (gap, index) => index === 0 || readFigure(gap) === readFigure(sorted[index - 1] as Gap) + 1,
  );
  return (
    rows.length >= column.sure &&
    countDifferent(({ run }) => Math.round(run.box.l)) > 1 &&
    countDifferent(({ run, index }) => joinSigns(run.glyphs.slice(index, index + longestFigure))) > 1 &&
    !isCount
  );
}

function readFigure({ run, index }: Gap): number {
  return Number.parseInt(joinSigns(run.glyphs.slice(0, index)), 10);
}

function joinSigns(glyphs: Run['glyphs']): string {
  return glyphs.map(({ text }) => text).join('');
}

/** Splits a row of heads at its wide undrawn gaps if each of its parts is above one cell of the next row. */
function splitHeads(runs: readonly Run[]): Run[] {
  const rows = groupBy(runs, ({ baseline }) => Math.round(baseline));
  const baselines = listBaselines(runs);
  const sortedRows = new Map<number, SortedRow>();
  const getRow = (baseline: number) => {
    const row = sortedRows.get(baseline) ?? sortRow(rows.get(baseline) as Run[]);
    sortedRows.set(baseline, row);
    return row;
  };
  return runs.flatMap((run) => {
    const wide = listGaps(run).undrawn.filter(({ left, right }) => right - left > gaps.wide * run.size);
    if (wide.length + 1 < heads.least || wide.length + 1 > heads.most) return [run];
    const below =
      baselines[findFirst(baselines.length, (index) => (baselines[index] as number) >= run.baseline - 2) - 1];
    if (below === undefined || run.baseline - below > column.near * run.size) return [run];
    const parts = cutRun(run, wide);
    if (parts.some(({ glyphs }) => /[\d+]/.test(glyphs[0]?.text ?? ''))) return [run];
    return areAbove(parts, getRow(below)) ? parts : [run];
  });
}

/** Cells from left to right, with the right edge of all up to each. */
interface SortedRow {
  cells: readonly Run[];
  ends: readonly number[];
}

function sortRow(runs: readonly Run[]): SortedRow {
  const cells = runs.toSorted((a, b) => a.box.l - b.box.l);
  let end = -Infinity;
  return { cells, ends: cells.map(({ box }) => (end = Math.max(end, box.r))) };
}

/** True if each cell that is below the heads is below one of them alone, and no two are below the same. */
function areAbove(parts: readonly Run[], { cells, ends }: SortedRow): boolean {
  const width = union(parts.map(({ box }) => box));
  const from = findFirst(ends.length, (index) => (ends[index] as number) > width.l);
  const to = findFirst(cells.length, (index) => (cells[index] as Run).box.l >= width.r);
  // Cells that others overlap are counted too: rows of a table have none, and files may have thousands.
  if (to - from < heads.least || to - from > parts.length) return false;
  const found = cells
    .slice(from, to)
    .map(({ box }) => parts.filter((part) => part.box.l < box.r && part.box.r > box.l));
  return found.every(({ length }) => length === 1) && new Set(found.flat()).size === found.length;
}

function listGaps(run: Run): { drawn: number; undrawn: Gap[] } {
  const undrawn: Gap[] = [];
  let spaces = 0;
  if (run.rtl) return { drawn: 0, undrawn };
  for (let index = 1; index < run.glyphs.length; index += 1) {
    const [before, glyph] = [run.glyphs[index - 1]!, run.glyphs[index]!];
    if (glyph.text === ' ') spaces += 1;
    else if (before.text !== ' ' && !before.font.mono && glyph.box.l - before.box.r > gaps.word * run.size)
      undrawn.push({ run, index, left: before.box.r, right: glyph.box.l });
  }
  return { drawn: spaces, undrawn };
}

/** True for a gap that a figure or date precedes, which is the first word of the run. */
function isBehindFigure({ run, index }: Gap): boolean {
  if (index > longestFigure) return false;
  const texts = run.glyphs.slice(0, index).map((glyph) => glyph.text);
  const text = texts.join('');
  return (
    /\d/.test(text) &&
    /^[-+(]?[\d.,:/€$£¥%-]+\)?$/.test(text) &&
    !texts.some((sign) => sign.trim() === '') &&
    !isMark(text)
  );
}

/**
 * Leaves out the gap within a number such as 12 410, unless a cell of a row near it has an edge there, and the gap before the dash of
 * a range that continues in the next line of its cell.
 */
function omitSpacesInFigures(figures: readonly Gap[], runs: readonly Run[]): Gap[] {
  const narrow = figures.filter(({ run, left, right }) => right - left < gaps.wide * run.size);
  const ranges = new Set(narrow.filter(isBeforeDash));
  const within = new Set(narrow.filter(isInFigure));
  const others = figures.filter((gap) => !ranges.has(gap) && !within.has(gap));
  if (within.size === 0) return others;
  const starts = collectRows(others.map(({ run, right }) => ({ run, at: right })));
  const ends = collectRows([
    ...runs.filter(({ glyphs }) => /\d/.test(glyphs.at(-1)?.text ?? '')).map((run) => ({ run, at: run.box.r })),
    ...others.map(({ run, left }) => ({ run, at: left })),
  ]);
  const isEdge = ({ run, left, right }: Gap) => countRows(ends, left, run) + countRows(starts, right, run) > 0;
  return figures.filter((gap) => !ranges.has(gap) && (!within.has(gap) || isEdge(gap)));
}

function isBeforeDash({ run, index }: Gap): boolean {
  return /^[-–—]$/.test(joinSigns(run.glyphs.slice(index, index + longestFigure)).trim());
}

/** True for the gap before digits in groups of three, which nothing else follows. */
function isInFigure({ run, index }: Gap): boolean {
  const after = joinSigns(run.glyphs.slice(index, index + longestFigure)).trim();
  const before = joinSigns(run.glyphs.slice(0, index));
  return /^[-+−–(]?\d{1,3}$/.test(before) && /^(?:\s?\d{3})+(?:[.,]\d+)?[)%]?$/.test(after);
}

/** The baselines of the rows that have an edge at each place, in points. */
function collectRows(edges: readonly { run: Run; at: number }[]): Map<number, number[]> {
  const places = groupBy(edges, ({ at }) => Math.round(at));
  return new Map([...places].map(([place, found]) => [place, listBaselines(found.map(({ run }) => run))]));
}

/** The different baselines, from the lowest. */
function listBaselines(runs: readonly Run[]): number[] {
  return [...new Set(runs.map(({ baseline }) => Math.round(baseline)))].toSorted((a, b) => a - b);
}

/** The number of rows with an edge at the place, or 0 if none of them is near. */
function countRows(places: ReadonlyMap<number, readonly number[]>, at: number, run: Run): number {
  const found = [-1, 0, 1].map((off) => places.get(Math.round(at) + off) ?? []);
  return found.some((rows) => hasRowNear(rows, run)) ? found.reduce((sum, rows) => sum + rows.length, 0) : 0;
}

/** True if one of the rows is just above or below the run. */
function hasRowNear(rows: readonly number[], { baseline, size }: Run): boolean {
  const hasRow = (low: number, high: number) => {
    const next = rows[findFirst(rows.length, (index) => (rows[index] as number) > low)];
    return next !== undefined && next < high;
  };
  const reach = column.near * size;
  return hasRow(baseline + 2, baseline + reach) || hasRow(baseline - reach, baseline - 2);
}

function cutRuns(runs: readonly Run[], cuts: readonly Gap[]): Run[] {
  const places = groupBy(cuts, ({ run }) => run);
  return runs.flatMap((run) => cutRun(run, places.get(run) ?? []));
}

function cutRun(run: Run, cuts: readonly Gap[]): Run[] {
  if (cuts.length === 0) return [run];
  const starts = [0, ...cuts.map(({ index }) => index)];
  return starts.map((from, part) => {
    const glyphs = run.glyphs.slice(from, starts[part + 1]);
    return { ...run, glyphs, box: union(glyphs.map(({ box }) => box)), ...(from > 0 ? { isSeparate: true } : {}) };
  });
}
