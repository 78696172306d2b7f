import { splitLabel } from '../../model/entity/entity-labels';

/** A table cell and the offset of its text. */
export interface Cell {
  text: string;
  start: number;
}
/** A Markdown table. */
export interface TextTable {
  header: Cell[];
  rows: Cell[][];
}

/** A segment of a line that may contain a value. */
export interface Segment {
  /** The value if the segment has a key, otherwise the whole segment. */
  text: string;
  /** Offset of the segment in the document. */
  start: number;
  /** The words before a colon, or in the cell next to the value, normalized for comparison. */
  key?: string;
  /** Offset of `text` in the document. */
  valueStart: number;
  /** The first words of a segment without a key, with their offsets in it. */
  words: { word: string; index: number }[];
}

/** Markup and blanks at the start of a cell, and at the start of a line: `**`, `> - `. */
const inlineMarks = /^[\s*_`]*/;
const blockMarks = /^[\s>#*_`-]*/;
const marksAtEnd = /(?<![\s*_`])[\s*_`]+$/;

/** Text beyond this length is ignored. */
const maxCharacters = 200_000;
const maxLabelWords = 6;
const longestKey = 60;

/**
 * Splits the lines of a Markdown text into segments that may contain values, and finds its tables. A line with several labels, as in
 * paragraphs after a conversion, is split at each label in `labels`.
 */
export function buildLayout(
  value: string,
  labels: ReadonlySet<string> = new Set(),
): { segments: Segment[]; tables: TextTable[] } {
  const text = value.slice(0, maxCharacters);
  const segments: Segment[] = [];
  const tables: TextTable[] = [];
  const lines = listLines(text);
  let openTable: TextTable | undefined;
  for (const [index, line] of lines.entries()) {
    if (!line.text.trimStart().startsWith('|')) {
      openTable = undefined;
      segments.push(...splitSegments(line, [lines[index + 1], lines[index + 2]], labels));
      continue;
    }
    const cells = listCells(line);
    const isDelimiterRow = cells.every((cell) => /^:?-+:?$/.test(cell.text));
    if (isDelimiterRow) continue;
    segments.push(...listCellPairs(cells));
    if (openTable) {
      openTable.rows.push(cells);
      continue;
    }
    openTable = { header: cells, rows: [] };
    tables.push(openTable);
  }
  // In a table with one data row, the headers are labels of the values below them.
  for (const { header, rows } of tables) {
    const [only, ...more] = rows;
    if (!only || more.length > 0) continue;
    for (const [index, cell] of only.entries()) segments.push(...pairCells(header[index], cell));
  }
  return { segments, tables };
}

interface Line {
  text: string;
  start: number;
}

function listLines(text: string): Line[] {
  let start = 0;
  return text.split('\n').map((line) => {
    const current = { text: line, start };
    start += line.length + 1;
    return current;
  });
}

function listCells({ text, start }: Line): Cell[] {
  const cells: Cell[] = [];
  const from = text.indexOf('|') + 1;
  for (const match of text.slice(from).matchAll(/((?:\\.|[^|\\])*)(?:\||$)/g)) {
    const [, raw = ''] = match;
    const at = from + match.index;
    if (at >= text.length) break;
    cells.push(stripMarks(raw, start + at));
  }
  return cells;
}

/** The text without markup at its ends. `start` is the offset of `text` in the document. */
function stripMarks(text: string, start: number, leadingMarks = inlineMarks): Cell {
  const markLength = leadingMarks.exec(text)?.[0].length ?? 0;
  return { text: text.slice(markLength).replace(marksAtEnd, ''), start: start + markLength };
}

/** A row with exactly two non-empty cells is a label and its value. */
function listCellPairs(cells: readonly Cell[]): Segment[] {
  const filled = cells.filter(({ text }) => text !== '');
  const insideCells = cells.flatMap(splitAtColon);
  return filled.length === 2 ? [...pairCells(filled[0], filled[1]), ...insideCells] : insideCells;
}

function pairCells(label: Cell | undefined, value: Cell | undefined): Segment[] {
  if (!label || !value || label.text === '' || label.text.length > longestKey) return [];
  const key = splitLabel(label.text).join(' ');
  return [{ key, text: value.text, start: label.start, valueStart: value.start, words: [] }];
}

/** Splits a line at wide gaps. A label at the end of a line has its value on the next line. */
function splitSegments(
  line: Line,
  [next, afterNext]: readonly (Line | undefined)[],
  labels: ReadonlySet<string>,
): Segment[] {
  const pieces: Segment[] = [];
  for (const match of line.text.matchAll(/(?:(?!\t| {3}).)+/g)) {
    const cell = stripMarks(match[0], line.start + match.index, blockMarks);
    const { text } = cell;
    if (text === '') continue;
    const parts = listParts(cell, labels);
    const keyed = parts.length > 1 ? parts.flatMap(splitAtColon) : splitAtColon(cell);
    if (keyed.length > 0) pieces.push(...keyed);
    else if (/[:：]\**$/.test(match[0].trimEnd()) || text.endsWith(':'))
      pieces.push(...listSegmentsBelow(cell, next, afterNext));
    else pieces.push({ text, start: cell.start, valueStart: cell.start, words: listFirstWords(text) });
  }
  return pieces;
}

/** Splits a segment before each known label followed by a colon. */
function listParts({ text, start }: Cell, labels: ReadonlySet<string>): Cell[] {
  if (!/[:：][^:：]*[:：]/.test(text)) return [{ text, start }];
  const words = [...text.matchAll(/[\p{L}\p{M}\p{N}]+|#/gu)].map((match) => ({
    word: splitLabel(match[0]).join(''),
    from: match.index,
    to: match.index + match[0].length,
  }));
  const cuts = [0];
  for (const [index, { to }] of words.entries()) {
    if (!/^[\s.°º)*_]*[:：]/.test(text.slice(to, to + 8))) continue;
    // Tries the longest label that ends here first.
    for (let count = Math.min(maxLabelWords, index + 1); count > 0; count--) {
      const label = words.slice(index + 1 - count, index + 1);
      const from = label[0]?.from ?? 0;
      if (from < (cuts.at(-1) ?? 0) || !labels.has(label.map(({ word }) => word).join(' '))) continue;
      if (from > 0) cuts.push(from);
      break;
    }
  }
  return cuts.map((from, index) => ({
    text: text.slice(from, cuts[index + 1]).replace(marksAtEnd, ''),
    start: start + from,
  }));
}

/** The label and the value of `Invoice no.: 17`; empty for a cell without both. */
function splitAtColon({ text, start }: Cell): Segment[] {
  // Markup for bold text may surround the colon. Times and addresses contain colons too.
  const match = /^([^:：]{1,60}?)[\s*_`]*[:：](?!\/\/|\d\d\b(?!.*[:：]))[\s*_`]*(\S.*)$/su.exec(text);
  const [, label = '', value = ''] = match ?? [];
  if (value === '') return [];
  const valueStart = start + text.length - value.length;
  return [{ key: splitLabel(label).join(' '), text: value, start, valueStart, words: [] }];
}

function listSegmentsBelow(label: Cell, next: Line | undefined, afterNext: Line | undefined): Segment[] {
  const line = next && next.text.trim() === '' ? afterNext : next;
  if (!line || line.text.trim() === '' || /[:：|]/.test(line.text)) return [];
  const labelText = label.text.replace(/(?<![:：\s*_])[:：\s*_]+$/, '');
  return pairCells({ ...label, text: labelText }, stripMarks(line.text, line.start, blockMarks));
}

function listFirstWords(text: string): { word: string; index: number }[] {
  return [...text.slice(0, longestKey * 2).matchAll(/[\p{L}\p{N}]+|#/gu)].slice(0, 8).map((match) => ({
    word: splitLabel(match[0]).join(''),
    index: match.index,
  }));
}
