import { findLargest, findSmallest } from '../../extremes';
import { type Box, union } from '../geometry/box';
import type { GridCell } from '../geometry/rulings';
import type { Word } from '../text/line';

/** A line of text in a cell. */
export interface CellLine {
  baseline: number;
  text: string;
  words: Word[];
}

/** A grid cell and its lines, from the top. */
export interface LinedCell {
  cell: GridCell;
  lines: CellLine[];
}

/** An amount, a year, a percentage, or a placeholder for none. */
const figure = /^[(+\-–−±$€£¥<>~*]*\s?\d[\d.,\s%'’:/()–-]*[%*†‡]*(?: ?\(\d{1,2}\))?$|^(?:[–—-]|n\/?a|#|†|\.{1,3})$/i;
/** Baselines closer than this are the same. In points. */
const level = 2.5;
/** A cell that spans fewer rows may contain a label whose lines happen to align with the rows. */
const minSpan = 4;
const minimum = { figures: 3, sharedStarts: 3, levelRows: 4, levelColumns: 2 };
/** Least share of lines that have room for the first word of the next one, in columns of single lines. */
const minRoom = 0.9;
/** Least distance between two paragraphs of a cell, in shares of its usual line spacing. */
const paragraphGap = 1.35;

/** Splits a cell that spans several rows if each line aligns with a different row: the text separates what rulings do not. */
export function splitSpans(cells: readonly LinedCell[]): LinedCell[] {
  return cells.flatMap((linedCell) => {
    const { cell, lines } = linedCell;
    const height = cell.rowEnd - cell.row;
    if (height < minSpan || lines.length < 0.75 * height) return [linedCell];
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
    if (used.has(undefined) || used.size !== lines.length) return [linedCell];
    return lines.map((line, index): LinedCell => {
      const row = homes[index] as number;
      return { cell: { ...cell, row, rowEnd: row + 1 }, lines: [line] };
    });
  });
}

/**
 * Splits rows that no ruling separates: by columns of figures, by paragraphs that begin level in three columns, or by single lines
 * that are level in all columns.
 */
export function splitRows(cells: readonly LinedCell[]): LinedCell[] {
  const last = Math.max(0, findLargest(cells.map(({ cell }) => cell.rowEnd)));
  const anchors = Array.from({ length: last }, (_, row) => {
    const rowCells = cells.filter(({ cell }) => cell.row === row && cell.rowEnd === row + 1);
    return addSections(listRowAnchors(rowCells), rowCells);
  });
  if (anchors.every(({ length }) => length < 2)) return [...cells];
  const starts = anchors.map((_, row) =>
    anchors.slice(0, row).reduce((sum, group) => sum + Math.max(1, group.length), 0),
  );
  const getStart = (row: number) => starts[row] ?? anchors.reduce((sum, group) => sum + Math.max(1, group.length), 0);
  return cells.flatMap(({ cell, lines }) => {
    const rowAnchors = anchors[cell.row] ?? [];
    const isOne = cell.rowEnd - cell.row > 1 || rowAnchors.length < 2 || lines.length === 0;
    if (isOne) return [{ cell: { ...cell, row: getStart(cell.row), rowEnd: getStart(cell.rowEnd) }, lines }];
    const parts = rowAnchors.map((): CellLine[] => []);
    for (const line of lines) parts[findPart(line.baseline, rowAnchors)]?.push(line);
    return parts.flatMap((part, index) => {
      const row = getStart(cell.row) + index;
      return part.length > 0 ? [{ cell: { ...cell, row, rowEnd: row + 1 }, lines: part }] : [];
    });
  });
}

/** The row of a line: the one it is level with, else the last that begins above it, else the first. */
function findPart(baseline: number, anchors: readonly number[]): number {
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

/** The baselines at which the rows inside a grid row begin; empty if it is a single row. */
function listRowAnchors(cells: readonly LinedCell[]): number[] {
  const filled = cells.filter(({ lines }) => lines.length > 0);
  return findFigureAnchors(filled) ?? findParagraphAnchors(filled) ?? findLevelAnchors(filled) ?? [];
}

/**
 * The anchors and the baselines of headings between rows: lines of the first column, level with nothing beside them, that end with a
 * colon or are bold over a line that is not.
 */
function addSections(anchors: readonly number[], cells: readonly LinedCell[]): number[] {
  const [first, ...others] = cells.toSorted((a, b) => a.cell.column - b.cell.column);
  if (anchors.length < 2 || !first) return [...anchors];
  const beside = [...anchors, ...others.flatMap(({ lines }) => lines.map(({ baseline }) => baseline))];
  const isAnchor = ({ baseline }: CellLine) => anchors.some(isLevel(baseline));
  const sections = first.lines.filter((line, index) => {
    if (beside.some(isLevel(line.baseline))) return false;
    const next = first.lines.slice(index + 1).find(isAnchor);
    return next !== undefined && (/:$/.test(line.text.trim()) || (isBold(line) && !isBold(next)));
  });
  return [...anchors, ...sections.map(({ baseline }) => baseline)].toSorted((a, b) => b - a);
}

function isBold({ words }: CellLine): boolean {
  return words.every(({ font }) => font.bold);
}

/** The shared baselines of two or more columns that contain only figures; undefined if there are none. */
function findFigureAnchors(cells: readonly LinedCell[]): number[] | undefined {
  const columns = cells.filter(
    ({ lines }) => lines.length >= minimum.figures && lines.every(({ text }) => figure.test(text.trim())),
  );
  const [longest] = columns.toSorted((a, b) => b.lines.length - a.lines.length);
  if (!longest || columns.length < 2) return undefined;
  const anchors = longest.lines.map(({ baseline }) => baseline);
  const areLevel = columns.every(({ lines }) => lines.every(({ baseline }) => anchors.some(isLevel(baseline))));
  return areLevel ? anchors : undefined;
}

/** Two or more heights at which paragraphs begin in three columns; cells with several paragraphs have few other starts. */
function findParagraphAnchors(cells: readonly LinedCell[]): number[] | undefined {
  if (cells.length < minimum.sharedStarts) return undefined;
  const starts = cells.map(({ lines }) => listParagraphStarts(lines));
  // A one-line cell may be level with the second line of others, so only cells with several paragraphs count.
  const several = starts.filter(({ length }) => length > 1);
  const anchors = several
    .flat()
    .filter((at) => several.filter((rowAnchors) => rowAnchors.some(isLevel(at))).length >= minimum.sharedStarts)
    .toSorted((a, b) => b - a)
    .filter((at, index, all) => index === 0 || !isLevel(at)(all[index - 1] as number));
  const wrapped = cells.filter(({ lines }, index) => lines.length > (starts[index] as number[]).length);
  if (anchors.length < 2 || wrapped.length < 2) return undefined;
  const isWhole = several.every((rowAnchors) => rowAnchors.filter((at) => !anchors.some(isLevel(at))).length <= 1);
  return isWhole ? anchors : undefined;
}

/** The baselines of lines that are level in all columns and end where they are meant to; paragraphs fill their cells. */
function findLevelAnchors(cells: readonly LinedCell[]): number[] | undefined {
  if (cells.length < minimum.levelColumns) return undefined;
  const baselines = cells.map(({ lines }) => listBaselines(lines));
  const [anchors] = baselines.toSorted((a, b) => b.length - a.length);
  if (!anchors || anchors.length < minimum.levelRows) return undefined;
  if (!baselines.flat().every((at) => anchors.some(isLevel(at)))) return undefined;
  // Paragraphs of one length in three columns are rare; in fewer, or of several lengths, the ends of the lines must tell.
  const isEven = cells.length > minimum.levelColumns && baselines.every(({ length }) => length === anchors.length);
  if (isEven) return cells.some(isRunningText) ? undefined : anchors;
  const full = cells.filter(({ lines }) => lines.length >= 0.75 * anchors.length);
  return full.length >= minimum.levelColumns && full.every(areSingleLines) ? anchors : undefined;
}

/** The different baselines of lines, from the top; pieces of a line may share one. */
function listBaselines(lines: readonly CellLine[]): number[] {
  return lines.flatMap(({ baseline }, index) => {
    const above = lines[index - 1];
    return above && isLevel(baseline)(above.baseline) ? [] : [baseline];
  });
}

/** True if half of the lines begin in lower case after several words. */
function isRunningText({ lines }: LinedCell): boolean {
  const running = lines
    .slice(1)
    .filter(({ text }, index) => /^\p{Ll}/u.test(text) && (lines[index] as CellLine).words.length > 2);
  return running.length >= 0.5 * (lines.length - 1);
}

/** True if nearly all lines of a cell have room for the first word of the next one. */
function areSingleLines({ cell, lines }: LinedCell): boolean {
  const meant = lines.slice(1).filter(({ words: [first] }, index) => {
    const above = findLinesBox([lines[index] as CellLine]);
    return first !== undefined && above !== undefined && above.r + first.box.r - first.box.l + first.size < cell.box.r;
  });
  return meant.length >= minRoom * (lines.length - 1);
}

function listParagraphStarts(lines: readonly CellLine[]): number[] {
  const steps = lines.slice(1).map(({ baseline }, index) => (lines[index] as CellLine).baseline - baseline);
  const size = lines[0]?.words[0]?.size ?? 10;
  const typicalStep = Math.min(findSmallest(steps.filter((step) => step > 0.5 * size)), 1.35 * size);
  return lines.flatMap(({ baseline }, index) =>
    index === 0 || (steps[index - 1] as number) > paragraphGap * typicalStep ? [baseline] : [],
  );
}

/** The bounding box of the lines' words; undefined if there are none. */
export function findLinesBox(lines: readonly CellLine[]): Box | undefined {
  const words = lines.flatMap((line) => line.words);
  return words.length > 0 ? union(words.map(({ box }) => box)) : undefined;
}
