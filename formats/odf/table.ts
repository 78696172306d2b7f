import { tableCell } from '../../document/grid';
import type { TableCell, TableData } from '../../document/model';
import { AppError } from '../../model/errors';
import type { CellValue } from '../ooxml/xlsx/cells';
import { spendOn } from '../ooxml/xlsx/formulas';
import { listDescendants, listElements, type XmlElement } from '../xml/xml';
import { readLine, type OdfContext, buildOptions, type Place } from './context';
import { readFormula } from './formulas';
import { listLines } from './list';
import { readText } from './runs';

/** A cell with content or a span. Rows and columns start at 0. */
export interface OdfCell {
  element: XmlElement;
  row: number;
  column: number;
  rowSpan: number;
  columnSpan: number;
}

/** The non-empty cells of a table, with repetitions expanded. */
export interface OdfGrid {
  cells: OdfCell[];
  /** Number of top rows that are marked as headers. */
  headerRows: number;
  /** Size of the table, including empty rows and columns at its ends. */
  rows: number;
  columns: number;
}

const maxCells = 2_000_000;
/** Tables up to this size are written with their empty cells, larger ones only with content. */
const maxWrittenPlaces = 50_000;
const rowGroups: ReadonlySet<string> = new Set([
  'table:table-rows',
  'table:table-row-group',
  'table:table-header-rows',
]);

/**
 * Reads the cells of a table without nested tables. Throws DOCUMENT_TOO_LARGE if repetitions create too many cells, including
 * those of earlier tables.
 */
export function readGrid(table: XmlElement, cellsBefore = 0): OdfGrid {
  const grid: OdfGrid = { cells: [], headerRows: 0, rows: 0, columns: 0 };
  const visit = (parent: XmlElement, isHeader: boolean): void => {
    for (const element of listElements(parent)) {
      if (rowGroups.has(element.name)) visit(element, isHeader || element.name === 'table:table-header-rows');
      if (element.name !== 'table:table-row') continue;
      readRow(grid, element, maxCells - cellsBefore);
      if (isHeader) grid.headerRows = grid.rows;
    }
  };
  visit(table, false);
  return grid;
}

function readRow(grid: OdfGrid, row: XmlElement, remaining: number): void {
  const filled: Omit<OdfCell, 'row'>[] = [];
  let column = 0;
  for (const element of listElements(row)) {
    const isCovered = element.name === 'table:covered-table-cell';
    if (!isCovered && element.name !== 'table:table-cell') continue;
    const count = readCount(element, 'table:number-columns-repeated');
    const rowSpan = readCount(element, 'table:number-rows-spanned');
    const columnSpan = readCount(element, 'table:number-columns-spanned');
    if (!isCovered && (hasContent(element) || rowSpan > 1 || columnSpan > 1)) {
      if (filled.length + count > remaining) throw createTooLargeError();
      for (let at = 0; at < count; at++) filled.push({ element, column: column + at, rowSpan, columnSpan });
    }
    column += count;
  }
  const count = readCount(row, 'table:number-rows-repeated');
  if (grid.cells.length + filled.length * count > remaining) throw createTooLargeError();
  if (filled.length > 0) {
    for (let at = 0; at < count; at++) {
      const rowIndex = grid.rows + at;
      // Listed field by field: a spread copy takes five times the memory, and a large sheet has a million cells.
      for (const { element, column: from, rowSpan, columnSpan } of filled)
        grid.cells.push({ element, row: rowIndex, column: from, rowSpan, columnSpan });
    }
  }
  grid.rows += count;
  grid.columns = Math.max(grid.columns, column);
}

const createTooLargeError = () => new AppError('DOCUMENT_TOO_LARGE', `The tables have more than ${maxCells} cells.`);

function readCount(element: XmlElement, name: string): number {
  const count = Number(element.attributes[name] ?? 1);
  return Number.isInteger(count) && count > 0 ? count : 1;
}

function hasContent(cell: XmlElement): boolean {
  if (cell.attributes['office:value-type'] !== undefined) return true;
  return listElements(cell).some(({ name, children }) =>
    name === 'text:p' ? children.length > 0 : !name.startsWith('office:'),
  );
}

/** Returns the visible text of a cell: its paragraphs, or else its value. */
export function readCellText(context: OdfContext, cell: XmlElement): string {
  const lines = listElements(cell)
    .flatMap((block) => readLines(context, block))
    .filter((line) => line.trim() !== '');
  const { attributes } = cell;
  const cellText = lines.join('\n').trim() || (attributes['office:string-value'] ?? '').trim();
  return cellText === '' ? readValueText(cell) : cellText;
}

/** Returns the value of a cell that has no paragraphs, as text. */
export function readValueText(cell: Pick<XmlElement, 'attributes'>): string {
  const value = findCellValue(cell);
  return typeof value === 'boolean' ? String(value).toUpperCase() : String(value ?? '');
}

/** Returns the value of a cell that is not text: a number, a boolean, or a date or time as text. */
function findCellValue({ attributes }: Pick<XmlElement, 'attributes'>): CellValue | undefined {
  const value = attributes['office:value'] ?? '';
  switch (attributes['office:value-type']) {
    case 'float':
    case 'percentage':
    case 'currency':
      return value === '' || !Number.isFinite(Number(value)) ? undefined : Number(value);
    case 'boolean':
      return attributes['office:boolean-value'] === 'true';
    case 'date':
      return formatDate(attributes['office:date-value'] ?? '') || undefined;
    case 'time':
      return formatTime(attributes['office:time-value'] ?? '') || undefined;
    default:
      return undefined;
  }
}

function readLines(context: OdfContext, block: XmlElement): string[] {
  if (block.name === 'text:p' || block.name === 'text:h') {
    return [readText(context.styles, block).text];
  }
  if (block.name === 'text:list') return listLines(context, block);
  return block.name === 'table:table' ? listDescendants(block, 'text:p').map(readLine) : [];
}

/** Converts `2026-03-01T10:00:00` to `2026-03-01 10:00:00`; a date without time is unchanged. */
function formatDate(value: string): string {
  return /^\d{4}-\d\d-\d\dT/.test(value) ? value.replace('T', ' ') : value;
}

/** Converts `PT01H30M00S` to `1:30:00`. */
function formatTime(value: string): string {
  const match = /^(-?)PT(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:[.,]\d+)?S)?$/.exec(value);
  if (!match) return value;
  const [, sign = '', hours = '0', minutes = '0', seconds = '0'] = match;
  return `${sign}${Number(hours)}:${minutes.padStart(2, '0')}:${seconds.padStart(2, '0')}`;
}

/** True if plain text would lose content, or if the cell does not declare a value type. */
function isRich(cell: XmlElement): boolean {
  const blocks = listElements(cell).filter(({ name }) => name !== 'office:annotation');
  const filled = blocks.filter(({ name, children }) => name === 'text:p' && children.length > 0);
  if (blocks.some(({ name }) => /^(?:text:(?:list|h|section)|table:table|draw:frame)$/.test(name))) return true;
  if (filled.some((paragraph) => listDescendants(paragraph, 'draw:frame').length > 0)) return true;
  const maxPlainParagraphs = cell.attributes['office:value-type'] === undefined ? 0 : 1;
  return filled.length > maxPlainParagraphs;
}

/** A range of a table; `bottom` and `right` are exclusive. */
export interface Range {
  top: number;
  left: number;
  bottom: number;
  right: number;
}

/** Returns the smallest range with all cells and their spans, limited to the table; a single cell if all are empty. */
function findUsedRange({ cells, rows, columns }: OdfGrid): Range {
  const range: Range = { top: Infinity, left: Infinity, bottom: 0, right: 0 };
  for (const { row, column, rowSpan, columnSpan } of cells) {
    range.top = Math.min(range.top, row);
    range.left = Math.min(range.left, column);
    range.bottom = Math.max(range.bottom, Math.min(row + rowSpan, rows));
    range.right = Math.max(range.right, Math.min(column + columnSpan, columns));
  }
  return cells.length === 0 ? { top: 0, left: 0, bottom: 1, right: 1 } : range;
}

/** Adds a table of a text or slide without its empty edges. Content other than a value becomes nodes below the table. */
export function addTable(context: OdfContext, table: XmlElement, place: Place): void {
  const grid = readGrid(table);
  if (grid.rows === 0 || grid.columns === 0) return;
  addRange(context, grid, findUsedRange(grid), place);
}

/** Adds a range of a table as a separate table. */
export function addRange(context: OdfContext, grid: OdfGrid, range: Range, place: Place): void {
  const data: TableData = {
    table_cells: [],
    num_rows: range.bottom - range.top,
    num_cols: range.right - range.left,
  };
  const item = context.builder.table(data, buildOptions(place, ''));
  const number = context.builder.document.tables.length - 1;
  /** A cell that is repeated has the same element. */
  let before: { element: XmlElement; formula: string | undefined } | undefined;
  for (const { cell, added } of placeCells(grid, range)) {
    data.table_cells.push(added);
    if (cell === undefined) continue;
    added.text = readCellText(context, cell.element);
    const value = findCellValue(cell.element);
    const isExact = typeof value === 'number' ? Number(added.text) === value : value === added.text;
    if (value !== undefined && !isExact) added.value = value;
    if (context.formulas) {
      if (before?.element !== cell.element)
        before = { element: cell.element, formula: readFormula(cell.element.attributes) };
      const formula = spendOn(context.formulas, before.formula);
      if (formula !== undefined) added.formula = formula;
    }
    if (!isRich(cell.element)) continue;
    const { layer } = place;
    const name = `rich_cell_group_${number}_${added.start_col_offset_idx}_${added.start_row_offset_idx}`;
    const options = { parent: item, name, ...(layer === undefined ? {} : { layer }) };
    const group = context.builder.group('unspecified', options);
    context.addBlocks(context, listElements(cell.element), { ...place, parent: group });
    if (group.children.length > 0) added.ref = { $ref: group.self_ref };
  }
}

/** A cell of the document with the one that it shows; undefined for an empty place. */
interface PlacedCell {
  cell: OdfCell | undefined;
  added: TableCell;
}

/** Returns the cells of a range in order, with the empty cells between them if there are not too many. */
function placeCells(grid: OdfGrid, range: Range): Iterable<PlacedCell> {
  const places = (range.right - range.left) * (range.bottom - range.top);
  const placed = walkPlacedCells(grid, range);
  return places <= maxWrittenPlaces ? addEmptyPlaces([...placed], grid, range) : placed;
}

function* walkPlacedCells(grid: OdfGrid, range: Range): Generator<PlacedCell> {
  const width = range.right - range.left;
  const height = range.bottom - range.top;
  for (const cell of grid.cells) {
    const row = cell.row - range.top;
    const column = cell.column - range.left;
    if (row < 0 || column < 0 || row >= height || column >= width) continue;
    const row_span = Math.min(cell.rowSpan, height - row);
    const col_span = Math.min(cell.columnSpan, width - column);
    const isHeader = row === 0 || cell.row < grid.headerRows;
    yield { cell, added: tableCell(row, column, '', { row_span, col_span, column_header: isHeader }) };
  }
}

function addEmptyPlaces(placed: readonly PlacedCell[], grid: OdfGrid, range: Range): PlacedCell[] {
  const width = range.right - range.left;
  const height = range.bottom - range.top;
  const taken = new Set<number>();
  const places = new Map<number, PlacedCell>();
  for (const entry of placed) {
    const { added } = entry;
    const start = added.start_row_offset_idx * width + added.start_col_offset_idx;
    places.set(start, entry);
    // A cell covered by another one indicates damage; its span covers nothing else.
    if (taken.has(start)) continue;
    for (let row = added.start_row_offset_idx; row < added.end_row_offset_idx; row++) {
      for (let column = added.start_col_offset_idx; column < added.end_col_offset_idx; column++)
        taken.add(row * width + column);
    }
  }
  for (let key = 0; key < width * height; key++) {
    if (taken.has(key)) continue;
    const row = Math.floor(key / width);
    const isHeader = row === 0 || row + range.top < grid.headerRows;
    places.set(key, { cell: undefined, added: tableCell(row, key % width, '', { column_header: isHeader }) });
  }
  return [...places].toSorted(([key], [other]) => key - other).map(([, place]) => place);
}
