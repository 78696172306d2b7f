import { AppError } from '../../../model/errors';
import type { OoxmlPackage } from '../package';
import type { CellFormats } from './cell-format';
import { unescapeControls } from './shared-strings';

/** Rows and columns start at 0; `bottom` and `right` are exclusive. */
export interface Rectangle {
  top: number;
  left: number;
  bottom: number;
  right: number;
}

/** The non-empty cells of a sheet; empty cells are not stored. */
export interface Grid {
  /** Visible text by `keyOf(row, column)`, in file order. */
  cells: Map<number, string>;
  /** Values of cells whose text is less precise: a number, or a date as `2026-03-01 14:30:00`. */
  values: Map<number, CellValue>;
  merges: Rectangle[];
  /** Relationship id of the sheet's drawing. */
  drawing: string | undefined;
  headers: string[];
  footers: string[];
}

/** The value of a cell that is not text. */
export type CellValue = number | string | boolean;

/** Creates a sheet without cells. */
export function createGrid(): Grid {
  return { cells: new Map(), values: new Map(), merges: [], drawing: undefined, headers: [], footers: [] };
}

/** Stores a cell. A cell without text and value is skipped. */
export function putCell(
  grid: Grid,
  key: number,
  { text, value }: { text: string; value?: CellValue | undefined },
): void {
  if (text === '' && value === undefined) return;
  grid.cells.set(key, text);
  if (value !== undefined) grid.values.set(key, value);
}

/** Maximum number of columns of a sheet (ECMA-376 part 1, 18.3.1.73). */
export const columnLimit = 16_384;
const rowLimit = 1_048_576;
/** Larger merges are cut: they are formatting of whole rows or columns. */
const maxMergeSide = 2_000;
/** Maximum number of cells in all merges together; further merges are ignored. */
const maxMergedPlaces = 1_000_000;
/** Maximum number of non-empty cells of a sheet. */
export const maxCells = 2_000_000;

/** Encodes a position as one number. */
export function keyOf(row: number, column: number): number {
  return row * columnLimit + column;
}

/** Reads a worksheet as a stream, so that empty rows cost nothing. */
export function readGrid(office: OoxmlPackage, part: string, strings: readonly string[], formats: CellFormats): Grid {
  const grid = createGrid();
  let row = -1;
  let column = -1;
  let type: string | undefined;
  let style: string | undefined;
  let text = '';
  let hasText = false;
  let isCollecting = false;
  let phonetic = 0;
  const addMerge = createMergeList(grid.merges);
  office.scan(part, {
    open(name, attributes) {
      switch (name) {
        case 'x:row':
          row = attributes['r'] === undefined ? row + 1 : Number(attributes['r']) - 1;
          column = -1;
          break;
        case 'x:c': {
          const place = attributes['r'] === undefined ? undefined : parseCell(attributes['r']);
          column = place?.column ?? column + 1;
          row = place?.row ?? row;
          ({ t: type, s: style } = attributes);
          text = '';
          hasText = false;
          break;
        }
        case 'x:v':
        case 'x:t':
          isCollecting = phonetic === 0;
          hasText ||= isCollecting;
          break;
        case 'x:oddHeader':
        case 'x:evenHeader':
        case 'x:firstHeader':
        case 'x:oddFooter':
        case 'x:evenFooter':
        case 'x:firstFooter':
          text = '';
          isCollecting = true;
          break;
        case 'x:rPh':
          phonetic += 1;
          break;
        case 'x:mergeCell': {
          const merge = parseRange(attributes['ref'] ?? '');
          if (merge !== undefined) addMerge(merge);
          break;
        }
        case 'x:drawing':
          grid.drawing = attributes['r:id'];
          break;
        default:
      }
    },
    text(piece) {
      if (isCollecting) text += piece;
    },
    close(name) {
      if (name === 'x:v' || name === 'x:t') isCollecting = false;
      else if (isCollecting && name.endsWith('Header')) isCollecting = !grid.headers.push(text);
      else if (isCollecting && name.endsWith('Footer')) isCollecting = !grid.footers.push(text);
      else if (name === 'x:rPh') phonetic -= 1;
      else if (name === 'x:c' && hasText) {
        const isPlace = row >= 0 && row < rowLimit && column >= 0 && column < columnLimit;
        if (isPlace) putCell(grid, keyOf(row, column), shownCell(text, type, style));
        if (grid.cells.size > maxCells) {
          throw new AppError('DOCUMENT_TOO_LARGE', `${part} holds more than ${maxCells} filled cells.`);
        }
      }
    },
  });
  /** Returns an empty text for an empty cell, such as a formula with an empty result. */
  function shownCell(raw: string, kind: string | undefined, styleIndex: string | undefined) {
    if (kind === 's') return { text: formats.text(strings[Number(raw)] ?? '', styleIndex) };
    if (kind === 'inlineStr' || kind === 'str') return { text: formats.text(unescapeControls(raw), styleIndex) };
    const trimmed = raw.trim();
    if (kind === 'b') return trimmed === '' ? { text: '' } : truthOf(trimmed === '1' || trimmed === 'true');
    if (kind === 'e') return { text: raw };
    if (kind === 'd') return { text: raw.replace('T', ' ').replace(/Z$/, '') };
    const value = Number(trimmed);
    if (trimmed === '' || !Number.isFinite(value)) return { text: trimmed };
    return formats.number(value, styleIndex);
  }
  return grid;
}

/** Formats a boolean as spreadsheets show it. */
export function truthOf(value: boolean): { text: string; value: boolean } {
  return { text: value ? 'TRUE' : 'FALSE', value };
}

/**
 * Returns a function that adds merges to the list. It cuts merges at the maximum side length and stops when all of them cover
 * too many cells.
 */
export function createMergeList(merges: Rectangle[]): (merge: Rectangle) => void {
  let places = 0;
  return ({ top, left, bottom, right }) => {
    const kept = {
      top,
      left,
      bottom: Math.min(bottom, top + maxMergeSide),
      right: Math.min(right, left + maxMergeSide),
    };
    places += (kept.bottom - kept.top) * (kept.right - kept.left);
    if (places <= maxMergedPlaces) merges.push(kept);
  };
}

/** Parses `B7` or `$B$7`; undefined for any other text. */
function parseCell(reference: string): { row: number; column: number } | undefined {
  const match = /^\$?([A-Za-z]{1,3})\$?(\d{1,7})$/.exec(reference);
  if (match === null) return undefined;
  let column = 0;
  for (const letter of match[1]!.toUpperCase()) column = column * 26 + letter.charCodeAt(0) - 64;
  return { row: Number(match[2]) - 1, column: column - 1 };
}

/** Returns `B7` for row 6 and column 1. */
export function nameOfCell(row: number, column: number): string {
  let letters = '';
  for (let left = column + 1; left > 0; left = Math.floor((left - 1) / 26)) {
    letters = String.fromCharCode(65 + ((left - 1) % 26)) + letters;
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
