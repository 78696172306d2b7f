import { AppError } from '../../../model/errors';
import type { OoxmlPackage } from '../package';
import {
  type CellTexts,
  type CellValue,
  columnLimit,
  createCellScanner,
  parseCell,
  type ScanOptions,
  type ShownCell,
} from './cells';

/** Rows and columns start at 0; `bottom` and `right` are exclusive. */
export interface Rectangle {
  top: number;
  left: number;
  bottom: number;
  right: number;
}

/** The non-empty cells of a sheet; empty cells are not stored. */
export interface Grid {
  /** Visible text by `buildKey(row, column)`, in file order. */
  cells: Map<number, string>;
  /** Values of cells whose text is less precise: a number, or a date as `2026-03-01 14:30:00`. */
  values: Map<number, CellValue>;
  /** Formulas as Excel shows them, such as `=B2*C2`; empty unless they were asked for. */
  formulas: Map<number, string>;
  merges: Rectangle[];
  /** Relationship id of the sheet's drawing. */
  drawing: string | undefined;
  headers: string[];
  footers: string[];
}

/** Creates a sheet without cells. */
export function createGrid(): Grid {
  return {
    cells: new Map(),
    values: new Map(),
    formulas: new Map(),
    merges: [],
    drawing: undefined,
    headers: [],
    footers: [],
  };
}

/** Stores a cell. A cell without text, value and formula is skipped. */
export function putCell(grid: Grid, key: number, { text, value, formula }: ShownCell): void {
  if (text === '' && value === undefined && formula === undefined) return;
  grid.cells.set(key, text);
  if (formula !== undefined) grid.formulas.set(key, formula);
  if (value !== undefined) grid.values.set(key, value);
}

const furnitureName = /^x:(?:odd|even|first)(?:Header|Footer)$/;
/** Larger merges, which format whole rows or columns, are cut off. */
const maxMergeSide = 2_000;
/** Maximum number of cells in all merges together; further merges are ignored. */
const maxMergedPlaces = 1_000_000;
/** Maximum number of non-empty cells of a sheet. */
export const maxCells = 2_000_000;

/** Encodes a position as one number. */
export function toCellKey(row: number, column: number): number {
  return row * columnLimit + column;
}

/** Reads a worksheet as a stream, so that empty rows cost nothing. */
export function readGrid(office: OoxmlPackage, part: string, texts: CellTexts, options: ScanOptions = {}): Grid {
  const grid = createGrid();
  const addMerge = createMergeList(grid.merges);
  const addCell = (row: number, column: number, cell: ShownCell) => {
    putCell(grid, toCellKey(row, column), cell);
    if (grid.cells.size > maxCells) {
      throw new AppError('DOCUMENT_TOO_LARGE', `${part} holds more than ${maxCells} filled cells.`);
    }
  };
  const cells = createCellScanner(texts, addCell, options);
  let furniture: string | undefined;
  office.scan(part, {
    open(name, attributes) {
      cells.open(name, attributes);
      if (furnitureName.test(name)) furniture = '';
      else if (name === 'x:mergeCell') {
        const merge = parseRange(attributes['ref'] ?? '');
        if (merge !== undefined) addMerge(merge);
      } else if (name === 'x:drawing') grid.drawing = attributes['r:id'];
    },
    text(piece) {
      cells.text(piece);
      if (furniture !== undefined) furniture += piece;
    },
    close(name) {
      cells.close(name);
      if (furniture === undefined || !furnitureName.test(name)) return;
      (name.endsWith('Header') ? grid.headers : grid.footers).push(furniture);
      furniture = undefined;
    },
  });
  return grid;
}

/**
 * Returns a function that adds merges to the list. It cuts off merges at the maximum side length, and ignores further merges
 * when all of them cover too many cells.
 */
export function createMergeList(merges: Rectangle[]): (merge: Rectangle) => void {
  let places = 0;
  return ({ top, left, bottom, right }) => {
    const range = {
      top,
      left,
      bottom: Math.min(bottom, top + maxMergeSide),
      right: Math.min(right, left + maxMergeSide),
    };
    places += (range.bottom - range.top) * (range.right - range.left);
    if (places <= maxMergedPlaces) merges.push(range);
  };
}

/** Returns `B7` for row 6 and column 1. */
export function formatCellName(row: number, column: number): string {
  let letters = '';
  for (let number = column + 1; number > 0; number = Math.floor((number - 1) / 26)) {
    letters = String.fromCharCode(65 + ((number - 1) % 26)) + letters;
  }
  return `${letters}${row + 1}`;
}

/** Parses `B2:D7` or a single cell. */
export function parseRange(reference: string): Rectangle | undefined {
  const [first = '', second = first] = reference.split(':');
  const from = parseCell(first);
  const to = parseCell(second);
  if (from === undefined || to === undefined) return undefined;
  return {
    top: Math.min(from.row, to.row),
    left: Math.min(from.column, to.column),
    bottom: Math.max(from.row, to.row) + 1,
    right: Math.max(from.column, to.column) + 1,
  };
}
