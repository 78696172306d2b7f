import { type Box, measureOverlapX, union } from '../geometry/box';
import type { Line } from '../text/line';
import type { AlignedTable, Row } from './aligned-table';
import type { PageCell, PageTable } from './page-table';

/** A longer text is a sentence above the table, not a header. */
const longestHead = 50;
/** Largest offset of a header from the centre of its columns, in shares of their width: numbers are right-aligned. */
const middleSlack = 0.2;
/** Fewest headers of a sheet that may be far above its figures, and how far, in type sizes. */
const leastFarHeads = 3;
const farthestHead = 8;
/** Largest difference between the edges or centres of a header and of the column below it, in points. */
const edgeSlack = 2;
const figure = /^[+(−-]?[\d.,\s]+[%)]?$/;

/**
 * The table with headers that span columns: cells of the first row centred over columns without their own header, and the row
 * `above` if one of its cells lies over several columns.
 */
export function addSpanningHead(aligned: AlignedTable, above: Row | undefined): AlignedTable {
  const joined = { ...aligned, table: joinHeadColumns(omitHeadColumns(aligned.table)) };
  const columns = listColumnBoxes(joined.table);
  if (!columns) return joined;
  const table = spreadFirstRow(joined.table, columns);
  const headed = above && addHeadRow(table, above);
  return headed ? { ...joined, table: headed, lines: [...above.lines, ...joined.lines] } : { ...joined, table };
}

/** The table with `above` as its first row; undefined if that row has no spanning headers, those of a sheet or others in line with columns. */
export function addHeadRow(table: PageTable, above: Row): PageTable | undefined {
  const columns = listColumnBoxes(table);
  const spanning = columns && findHeadCells(above, table.box, columns);
  const head = spanning ?? (columns && (findFarHeads(above, table, columns) ?? findHeadsInLine(above, table, columns)));
  if (!head) return undefined;
  const headRows = spanning ? 2 : 1;
  const below = table.cells.map((cell) => ({ ...cell, row: cell.row + 1, rowEnd: cell.rowEnd + 1 }));
  return {
    ...table,
    box: union([table.box, ...above.lines.map(({ box }) => box)]),
    rows: table.rows + 1,
    cells: [...head, ...below.map((cell) => ({ ...cell, header: cell.row < headRows }))],
  };
}

/** Removes columns that contain only a header set between two columns without one: it becomes the header of both. */
function omitHeadColumns(table: PageTable): PageTable {
  const heads = new Set(table.cells.flatMap(({ row, column }) => (row === 0 ? [column] : [])));
  const filled = new Set(table.cells.flatMap(({ row, column }) => (row > 0 ? [column] : [])));
  const isLone = (column: number) => heads.has(column) && !filled.has(column);
  // Of two such headers with a column between them, each has a column of its own.
  const between = [...heads].filter(
    (column) =>
      isLone(column) &&
      ![column - 2, column + 2].some(isLone) &&
      [column - 1, column + 1].every((near) => filled.has(near) && !heads.has(near)),
  );
  if (between.length === 0) return table;
  const shift = (column: number) => column - between.filter((gone) => gone < column).length;
  const cells = table.cells.map((cell) => {
    const isBetween = between.includes(cell.column);
    const column = shift(cell.column) - (isBetween ? 1 : 0);
    return { ...cell, column, columnEnd: column + (isBetween ? 2 : 1) };
  });
  return { ...table, columns: table.columns - between.length, cells };
}

/**
 * Joins a column that contains only a header with the one adjacent column that has none: a left-aligned header over
 * right-aligned figures or words looks like a separate column.
 */
export function joinHeadColumns(table: PageTable): PageTable {
  const single = table.cells.filter(({ column, columnEnd }) => columnEnd - column === 1);
  const heads = new Set(single.flatMap(({ row, column }) => (row === 0 ? [column] : [])));
  const spanned = table.cells.flatMap(({ row, column, columnEnd }) =>
    row === 0 && columnEnd - column > 1 ? [column, columnEnd - 1] : [],
  );
  const filled = new Set(single.flatMap(({ row, column }) => (row > 0 ? [column] : [])));
  const isBare = (column: number) => filled.has(column) && !heads.has(column) && !spanned.includes(column);
  const lone = [...heads].find((column) => !filled.has(column) && isBare(column + 1) !== isBare(column - 1));
  if (lone === undefined || table.columns < 3) return table;
  const gone = isBare(lone + 1) ? lone : lone - 1;
  const shift = (column: number) => (column > gone ? column - 1 : column);
  return joinHeadColumns({
    ...table,
    columns: table.columns - 1,
    cells: table.cells.map((cell) => ({
      ...cell,
      column: shift(cell.column),
      columnEnd: Math.max(shift(cell.column) + 1, shift(cell.columnEnd)),
    })),
  });
}

/** The bounding box of each column's cells below the header; undefined if a column has none. */
function listColumnBoxes(table: PageTable): Box[] | undefined {
  const boxes = Array.from({ length: table.columns }, (_, column) =>
    table.cells.flatMap((cell) => (cell.column === column && cell.row > 0 && cell.box ? [cell.box] : [])),
  );
  return boxes.every((group) => group.length > 0) ? boxes.map(union) : undefined;
}

function spreadFirstRow(table: PageTable, columns: readonly Box[]): PageTable {
  const first = table.cells.filter(({ row }) => row === 0);
  if (first.length === columns.length) return table;
  const usedColumns = new Set(first.flatMap(({ column, columnEnd }) => [column, columnEnd - 1]));
  const spread = (cell: PageCell): PageCell => {
    const isSingle = cell.columnEnd - cell.column === 1;
    const span =
      cell.row === 0 && cell.box && isSingle ? findMiddleSpan(cell.box, cell.column, columns, usedColumns) : undefined;
    return span ? { ...cell, column: span[0], columnEnd: span[1] } : cell;
  };
  return { ...table, cells: table.cells.map(spread) };
}

/** The span of `own` and free columns beside it over which the box is centred; undefined if it aligns with `own` alone. */
export function findMiddleSpan(
  box: Box,
  ownColumn: number,
  columns: readonly Box[],
  usedColumns: ReadonlySet<number>,
): [number, number] | undefined {
  const { l, r } = columns[ownColumn] as Box;
  if (Math.abs(box.l - l) < 2 || Math.abs(box.r - r) < 2) return undefined;
  const isFree = (column: number) =>
    column === ownColumn || (column >= 0 && column < columns.length && !usedColumns.has(column));
  const offBy = (from: number, to: number) => {
    const over = union(columns.slice(from, to));
    return Math.abs(box.l + box.r - over.l - over.r) / 2 / (over.r - over.l);
  };
  const spans: { span: [number, number]; off: number }[] = [];
  for (let from = ownColumn; isFree(from); from -= 1)
    for (let to = ownColumn + 1; isFree(to - 1); to += 1) spans.push({ span: [from, to], off: offBy(from, to) });
  const alone = spans.find(({ span: [from, to] }) => to - from === 1)?.off ?? 0;
  const getWidth = ([from, to]: [number, number]) => to - from;
  const fitting = spans.filter(({ span, off }) => getWidth(span) > 1 && off < middleSlack && off < 0.6 * alone);
  return fitting.toSorted((a, b) => getWidth(a.span) - getWidth(b.span) || a.off - b.off)[0]?.span;
}

/** The row as header cells: short pieces that share no column, at least one of which spans several. */
function findHeadCells(above: Row, table: Box, columns: readonly Box[]): PageCell[] | undefined {
  const size = above.size;
  if (above.baseline - table.t > 1.2 * size || above.lines.some(({ text }) => text.length > longestHead))
    return undefined;
  const spans = above.lines.map(({ box }) => findSpan(box, columns));
  const isApart = spans.every(([from], index) => index === 0 || from >= (spans[index - 1] as [number, number])[1]);
  const isSpanning = spans.some(([from, to]) => to - from > 1) && spans.every(([from, to]) => to > from);
  const isWhole =
    spans.length === 1 && (spans[0] as [number, number])[1] - (spans[0] as [number, number])[0] === columns.length;
  if (!isApart || !isSpanning || isWhole || above.lines.length < 2) return undefined;
  return above.lines.map(({ text, box }, index) => {
    const [column, columnEnd] = spans[index] as [number, number];
    return { row: 0, rowEnd: 1, column, columnEnd, text, header: true, box };
  });
}

/**
 * The row as the headers of a sheet, which may leave some rows empty above its figures: one header for each column, between the
 * columns on both sides of it.
 */
function findFarHeads(above: Row, table: PageTable, columns: readonly Box[]): PageCell[] | undefined {
  const firstRow = table.cells.filter(({ row }) => row === 0);
  const isFull = above.lines.length === columns.length && firstRow.length === columns.length;
  if (!isFull || columns.length < leastFarHeads || above.baseline - table.box.t > farthestHead * above.size)
    return undefined;
  if (!firstRow.every(({ text }) => figure.test(text))) return undefined;
  const areHeads = above.lines.every(
    ({ text, box }, column) =>
      /\p{L}/u.test(text) &&
      text.length <= longestHead &&
      box.l > (columns[column - 1]?.r ?? -Infinity) &&
      box.r < (columns[column + 1]?.l ?? Infinity),
  );
  if (!areHeads) return undefined;
  return above.lines.map(toHeadCell);
}

/** The row just above figures as headers of columns, if each is in line with a column of its own by an edge or its centre. */
function findHeadsInLine(above: Row, table: PageTable, columns: readonly Box[]): PageCell[] | undefined {
  if (above.lines.length < 2 || above.baseline - table.box.t > 1.2 * above.size) return undefined;
  if (!table.cells.some(({ row, text }) => row < 2 && figure.test(text))) return undefined;
  const homes = above.lines.map(({ text, box }) =>
    text.length > longestHead
      ? -1
      : columns.findIndex(({ l, r }) =>
          [box.l - l, box.r - r, (box.l + box.r - l - r) / 2].some((offset) => Math.abs(offset) < edgeSlack),
        ),
  );
  if (homes.includes(-1) || new Set(homes).size < homes.length) return undefined;
  return above.lines.map((line, index) => toHeadCell(line, homes[index] as number));
}

function toHeadCell({ text, box }: Line, column: number): PageCell {
  return { row: 0, rowEnd: 1, column, columnEnd: column + 1, text, header: true, box };
}

/** The columns that the box overlaps, end exclusive; [0, 0] if there are none. */
function findSpan(box: Box, columns: readonly Box[]): [number, number] {
  const under = columns.flatMap((column, index) => (measureOverlapX(column, box) > 0 ? [index] : []));
  return under.length === 0 ? [0, 0] : [under[0] as number, (under.at(-1) as number) + 1];
}
