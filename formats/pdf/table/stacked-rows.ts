import { type Box, union } from '../geometry/box';
import type { GridCell } from '../geometry/rulings';
import type { Word } from '../text/line';

/** A line of text in a cell. */
export interface CellLine {
  baseline: number;
  text: string;
  words: Word[];
}

/** A cell of a grid and the lines in it, from the top. */
export interface LinedCell {
  cell: GridCell;
  lines: CellLine[];
}

/** An amount, a year, a share, or what stands for none. */
const figure = /^[(+\-–−±$€£¥<>~*]*\s?\d[\d.,\s%'’:/()–-]*[%*†‡]*(?: ?\(\d{1,2}\))?$|^(?:[–—-]|n\/?a|#|†|\.{1,3})$/i;
/** Baselines closer than this are one. */
const level = 2.5;
/** A cell over fewer rows may hold a label whose lines happen to be level with the rows. */
const leastSpan = 4;
const least = { figures: 3, sharedStarts: 3 };
/** White between two paragraphs of a cell, in shares of the usual distance of its baselines. */
const paragraphGap = 1.35;

/** Cells over several rows whose lines are level with those of the rows, one each: no ruling parts them, but the text does. */
export function splitSpans(cells: readonly LinedCell[]): LinedCell[] {
  return cells.flatMap((one) => {
    const { cell, lines } = one;
    const height = cell.rowEnd - cell.row;
    if (height < leastSpan || lines.length < 0.75 * height) return [one];
    const rows = Array.from({ length: height }, (_, index) => {
      const beside = cells.filter(({ cell: { row, rowEnd } }) => row === cell.row + index && rowEnd === row + 1);
      return {
        row: cell.row + index,
        baselines: beside.flatMap((other) => other.lines.map(({ baseline }) => baseline)),
      };
    });
    const homes = lines.map(
      ({ baseline }) => rows.filter(({ baselines }) => baselines.some(isLevel(baseline)))[0]?.row,
    );
    const used = new Set(homes);
    if (used.has(undefined) || used.size !== lines.length) return [one];
    return lines.map((line, index): LinedCell => {
      const row = homes[index] as number;
      return { cell: { ...cell, row, rowEnd: row + 1 }, lines: [line] };
    });
  });
}

/** Rows that no ruling parts: columns of figures below each other, or paragraphs that begin level in three columns. */
export function splitRows(cells: readonly LinedCell[]): LinedCell[] {
  const last = Math.max(0, ...cells.map(({ cell }) => cell.rowEnd));
  const anchors = Array.from({ length: last }, (_, row) => {
    const own = cells.filter(({ cell }) => cell.row === row && cell.rowEnd === row + 1);
    return rowAnchors(own);
  });
  if (anchors.every(({ length }) => length < 2)) return [...cells];
  const starts = anchors.map((_, row) => anchors.slice(0, row).reduce((sum, own) => sum + Math.max(1, own.length), 0));
  const startOf = (row: number) => starts[row] ?? anchors.reduce((sum, own) => sum + Math.max(1, own.length), 0);
  return cells.flatMap(({ cell, lines }) => {
    const own = anchors[cell.row] ?? [];
    const isOne = cell.rowEnd - cell.row > 1 || own.length < 2 || lines.length === 0;
    if (isOne) return [{ cell: { ...cell, row: startOf(cell.row), rowEnd: startOf(cell.rowEnd) }, lines }];
    const parts = own.map((): CellLine[] => []);
    for (const line of lines) parts[partOf(line.baseline, own)]?.push(line);
    return parts.flatMap((part, index) => {
      const row = startOf(cell.row) + index;
      return part.length > 0 ? [{ cell: { ...cell, row, rowEnd: row + 1 }, lines: part }] : [];
    });
  });
}

/** The row of a line: the one it is level with, else the last that begins above it, else the first. */
function partOf(baseline: number, anchors: readonly number[]): number {
  const same = anchors.findIndex(isLevel(baseline));
  if (same >= 0) return same;
  return Math.max(
    0,
    anchors.findLastIndex((anchor) => anchor > baseline),
  );
}

function isLevel(baseline: number): (other: number) => boolean {
  return (other) => Math.abs(other - baseline) < level;
}

/** The baselines at which the rows in a row of the grid begin; none where it is one. */
function rowAnchors(cells: readonly LinedCell[]): number[] {
  const filled = cells.filter(({ lines }) => lines.length > 0);
  return figureAnchors(filled) ?? paragraphAnchors(filled) ?? [];
}

/** Two columns of nothing but figures, level with each other, and labels that are no fewer. */
function figureAnchors(cells: readonly LinedCell[]): number[] | undefined {
  const columns = cells.filter(
    ({ lines }) => lines.length >= least.figures && lines.every(({ text }) => figure.test(text.trim())),
  );
  const [longest] = columns.toSorted((a, b) => b.lines.length - a.lines.length);
  if (!longest || columns.length < 2) return undefined;
  const anchors = longest.lines.map(({ baseline }) => baseline);
  const areLevel = columns.every(({ lines }) => lines.every(({ baseline }) => anchors.some(isLevel(baseline))));
  return areLevel ? anchors : undefined;
}

/** Where paragraphs begin in three columns at one height, twice at least, and nowhere else in cells of several of them. */
function paragraphAnchors(cells: readonly LinedCell[]): number[] | undefined {
  if (cells.length < least.sharedStarts) return undefined;
  const starts = cells.map(({ lines }) => paragraphStarts(lines));
  // Heads of one line stand level with the second line of others: only cells of several paragraphs tell.
  const several = starts.filter(({ length }) => length > 1);
  const anchors = several
    .flat()
    .filter((at) => several.filter((own) => own.some(isLevel(at))).length >= least.sharedStarts)
    .toSorted((a, b) => b - a)
    .filter((at, index, all) => index === 0 || !isLevel(at)(all[index - 1] as number));
  const wrapped = cells.filter(({ lines }, index) => lines.length > (starts[index] as number[]).length);
  if (anchors.length < 2 || wrapped.length < 2) return undefined;
  const isWhole = several.every((own) => own.filter((at) => !anchors.some(isLevel(at))).length <= 1);
  return isWhole ? anchors : undefined;
}

function paragraphStarts(lines: readonly CellLine[]): number[] {
  const steps = lines.slice(1).map(({ baseline }, index) => (lines[index] as CellLine).baseline - baseline);
  const size = lines[0]?.words[0]?.size ?? 10;
  const usual = Math.min(...steps.filter((step) => step > 0.5 * size), 1.35 * size);
  return lines.flatMap(({ baseline }, index) =>
    index === 0 || (steps[index - 1] as number) > paragraphGap * usual ? [baseline] : [],
  );
}

/** What the words of some lines cover. */
export function linesBox(lines: readonly CellLine[]): Box | undefined {
  const words = lines.flatMap((line) => line.words);
  return words.length > 0 ? union(words.map(({ box }) => box)) : undefined;
}
