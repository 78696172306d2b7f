import { type Box, computeMedian, measureOverlapX, union } from '../geometry/box';
import type { Rule } from '../geometry/page';
import type { Line, Word } from '../text/line';
import { cutLine } from '../text/lines';
import type { Row } from './aligned-table';
import { toRows } from './borderless';
import { areTwoFigures, isFigure } from './figures';
import { findHeadAbove, type LinedTable, listLinesBetween, measureWhite, mergeIntervals } from './lined-tables';
import type { PieceRow } from './piece-row';
import { placeRows } from './piece-rows';

/** Shorter rulings underline words, separate a spanning header, or begin notes. */
const shortest = 60;
/** Largest difference between the ends of the rulings of one table, in points. */
const slack = 4;
/** Gap between cells, in shares of the type size; spaces between words are narrower, those of a typewriter wider. */
const cellGap = { usual: 0.5, mono: 0.9 };
const maximum = { strokes: 1600, columns: 30, rules: 40, bandHeight: 700, proseCharacters: 25, headCharacters: 60 };
/** The fewest rows with a ruling after each that show a row above the first ruling. */
const minRuledRows = 3;
const listing = /^(?:algorithm|listing|example|procedure|program)\b/i;

/**
 * Finds tables in booktabs style: a ruling above, one below and a few between. Gaps between words show the columns, baselines
 * show the rows, and short rulings show which columns a header spans. Rulings of neighbouring headers may nearly touch, so
 * `touching` joins only rulings that do touch.
 */
export function findBooktabs(
  level: readonly Rule[],
  lines: readonly Line[],
  touching: readonly Rule[] = level,
): LinedTable[] {
  // Maps and plots contain thousands of strokes; tables do not.
  if (level.length > maximum.strokes) return [];
  const stacks = listStacks(level.filter(({ from, to }) => to - from >= shortest));
  return stacks.flatMap((stack) => listTables(stack, lines, touching));
}

/** Stacks of rulings of equal length, from the top. */
function listStacks(rules: readonly Rule[]): Rule[][] {
  const stacks: Rule[][] = [];
  for (const rule of rules.toSorted((a, b) => b.at - a.at)) {
    const stack = stacks.find(([first]) => first && isSameLength(first, rule));
    if (!stack) stacks.push([rule]);
    else if ((stack.at(-1) as Rule).at - rule.at > 3) stack.push(rule);
  }
  return stacks.filter(({ length }) => length > 1 && length <= maximum.rules);
}

function isSameLength(a: Rule, b: Rule): boolean {
  return Math.abs(a.from - b.from) <= slack && Math.abs(a.to - b.to) <= slack;
}

/** The tables between rulings: from each ruling, the longest run that forms a table. */
function listTables(stack: readonly Rule[], lines: readonly Line[], touching: readonly Rule[]): LinedTable[] {
  const tables: LinedTable[] = [];
  const [{ from, to }] = stack as [Rule, ...Rule[]];
  const within = lines.filter(({ box }) => box.l >= from - slack && box.r <= to + slack);
  const partial = touching.filter((rule) => !isSameLength(rule, stack[0] as Rule));
  for (let start = 0; start < stack.length - 1; start += 1) {
    for (let end = stack.length - 1; end > start; end -= 1) {
      const table = toTable(stack.slice(start, end + 1), within, partial);
      if (!table) continue;
      tables.push(table);
      start = end;
      break;
    }
  }
  return tables;
}

function toTable(stack: readonly Rule[], lines: readonly Line[], partial: readonly Rule[]): LinedTable | undefined {
  const [top, bottom] = [stack[0] as Rule, stack.at(-1) as Rule];
  const bands = stack.slice(1).map((rule, index) => listLinesBetween(lines, rule.at, (stack[index] as Rule).at));
  const inside = bands.flat();
  const isTooHigh = stack.slice(1).some((rule, index) => (stack[index] as Rule).at - rule.at > maximum.bandHeight);
  if (isTooHigh || bands.some(({ length }) => length === 0)) return undefined;
  if (inside.filter(({ mono }) => mono).length > 0.5 * inside.length) return undefined;
  const rows = bands.map((band) => toRows(band).map(toPieces));
  const [first, ...others] = rows as [PieceRow[], ...PieceRow[][]];
  const isHeaded = others.flat().length > 1;
  const body = isHeaded ? others.flat() : [...first.slice(1), ...others.flat()];
  const parted = body.filter(({ pieces }) => pieces.length > 1);
  const columns = mergeIntervals(parted.flatMap(({ pieces }) => pieces.map(({ box }) => box)));
  if (listing.test(first[0]?.pieces[0]?.text ?? '') || !isTabular(rows, parted, columns)) return undefined;
  const sums = listRowsBelow(bottom, lines, columns, computeRowDistance(body));
  const tail = sums.map(toPieces);
  const head = isHeaded ? first : first.slice(0, 1);
  // If a ruling follows each row, the header is above the first ruling.
  const single = rows.filter(({ length }) => length === 1);
  const isRowRuled = bands.length >= minRuledRows && single.length >= 0.5 * bands.length;
  const above =
    head.some(hasFigures) || isRowRuled
      ? toRows(findHeadAbove(lines.flatMap(cutPieces), top.at, columns, measureWhite(bands, stack)))
      : [];
  const rowsOf =
    above.length > 0
      ? { head: joinOverlapping(above.map(toPieces)), body: [...head, ...body, ...tail] }
      : { head, body: [...body, ...tail] };
  const placed = placeRows(rowsOf, columns, partial);
  const all = [...inside, ...[...above, ...sums].flatMap((row) => row.lines)];
  const box = union([{ l: top.from, r: top.to, b: bottom.at, t: top.at }, ...all.map((line) => line.box)]);
  return {
    table: { box, columns: columns.length, ...placed },
    taken: new Set(all.flatMap(({ words }) => words)),
  };
}

/** True for body text below the rule of a page header, which is not a table header. */
function isProse(band: readonly PieceRow[]): boolean {
  const long = band.filter(({ pieces }) => pieces.some(({ text }) => text.length > maximum.headCharacters));
  return long.length > 1 && long.length >= 0.3 * band.length;
}

function hasFigures({ pieces }: PieceRow): boolean {
  return pieces.slice(1).some(({ text }) => /^[(+\-–−$€£]*\d[\d.,\s%]*\)?$/.test(text));
}

function computeRowDistance(rows: readonly PieceRow[]): number {
  const distances = rows.slice(1).map(({ baseline }, index) => (rows[index] as PieceRow).baseline - baseline);
  return Math.max(computeMedian(distances), 1.2 * (rows[0]?.size ?? 10));
}

/** Total rows below the last ruling: at row distance, each piece in its own column, the last piece in the last column. */
function listRowsBelow({ at }: Rule, lines: readonly Line[], columns: readonly Box[], distance: number): Row[] {
  const rows: Row[] = [];
  let above = at;
  for (const row of toRows(lines.filter(({ box }) => (box.b + box.t) / 2 < at))) {
    const { pieces } = toPieces(row);
    const columnIndexes = pieces.map(({ box }) => columns.findIndex((column) => measureOverlapX(column, box) > 0));
    const isApart = pieces.every(
      ({ box }) => columns.filter((column) => measureOverlapX(column, box) > 0).length === 1,
    );
    const isSum =
      pieces.length > 1 &&
      new Set(columnIndexes).size === columnIndexes.length &&
      columnIndexes.includes(columns.length - 1);
    if (above - row.baseline > 1.3 * distance || !isApart || !isSum || row.lines.some(({ mono }) => mono)) break;
    if (!/\d/.test(pieces.at(-1)?.text ?? '')) break;
    rows.push(row);
    above = row.baseline;
  }
  return rows;
}

/** The words on one baseline, joined if the gap is no wider than a space. */
function toPieces({ lines, baseline, size }: Row): PieceRow {
  const pieces: { words: Word[]; box: Box }[] = [];
  for (const word of lines.flatMap(({ words }) => words).toSorted((a, b) => a.box.l - b.box.l)) {
    const last = pieces.at(-1);
    const before = last?.words.at(-1);
    const gap = before?.font.mono && word.font.mono ? cellGap.mono : cellGap.usual;
    // Figures after a word in one piece are part of a text, such as an account number.
    const isText = last?.words.some(({ text }) => !isFigure(text)) ?? false;
    if (last && before && word.box.l - last.box.r < gap * size && (isText || !areTwoFigures(before, word))) {
      last.words.push(word);
      last.box = union([last.box, word.box]);
    } else pieces.push({ words: [word], box: word.box });
  }
  return {
    pieces: pieces.map(({ words, box }) => ({ text: words.map(({ text }) => text).join(' '), box, words })),
    baseline,
    size,
  };
}

/** Joins rows that overlap, such as a head of two lines beside heads of one line at its middle. */
function joinOverlapping(rows: readonly PieceRow[]): PieceRow[] {
  const joined: PieceRow[] = [];
  for (const row of rows) {
    const above = joined.at(-1);
    if (above && above.baseline - row.baseline < 0.85 * row.size)
      joined[joined.length - 1] = { ...row, pieces: [...above.pieces, ...row.pieces].toSorted(compareHeads) };
    else joined.push(row);
  }
  return joined;
}

/** Orders heads from left to right, and those below each other from the top. */
function compareHeads(a: PieceRow['pieces'][number], b: PieceRow['pieces'][number]): number {
  return measureOverlapX(a.box, b.box) > 0 ? b.box.t - a.box.t : a.box.l - b.box.l;
}

/** The parts of a line whose gaps are those between cells. */
function cutPieces(line: Line): Line[] {
  const { pieces } = toPieces({ lines: [line], baseline: line.baseline, size: line.size });
  return pieces.length > 1 ? pieces.map(({ words }) => cutLine(line, words)) : [line];
}

/** True if most rows have several columns, one column is narrow, and no band is plain text. */
function isTabular(bands: readonly PieceRow[][], parted: readonly PieceRow[], columns: readonly Box[]): boolean {
  const rows = bands.flat();
  if (columns.length < 2 || columns.length > maximum.columns) return false;
  // Two rulings alone may enclose plain text; with a third one between header and body, that is rare.
  const minimum = bands.length > 1 ? { columns: 2, rows: 2 } : { columns: 3, rows: 3 };
  if (columns.length < minimum.columns || parted.length < minimum.rows || parted.length < 0.6 * (rows.length - 1))
    return false;
  const isText = bands.slice(1).some((band) => band.length > 1 && band.every(({ pieces }) => pieces.length === 1));
  if (
    isText ||
    isProse(bands[0] ?? []) ||
    (columns.length < 4 && rows.some(({ pieces }) => pieces.some(({ text }) => /\.{5}|(?:\. ){5}/.test(text))))
  )
    return false;
  const narrow = columns.filter((column) => {
    const columnPieces = parted.flatMap(({ pieces }) => pieces.filter(({ box }) => measureOverlapX(column, box) > 0));
    return computeMedian(columnPieces.map(({ text }) => text.length)) < maximum.proseCharacters;
  });
  return narrow.length > 0 && rows.flatMap(({ pieces }) => pieces).length >= 0.5 * rows.length * columns.length;
}
