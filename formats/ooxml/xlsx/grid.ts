import { AppError } from '../../../model/errors';
import type { OoxmlPackage } from '../package';
import type { CellFormats } from './cell-format';
import { unescapeControls } from './shared-strings';

/** Rows and columns count from 0; `bottom` and `right` are exclusive. */
export interface Rectangle {
  top: number;
  left: number;
  bottom: number;
  right: number;
}

/** The cells of a sheet that hold something; nothing is kept for the others. */
export interface Grid {
  /** Text by `keyOf(row, column)`, in the file's order. */
  cells: Map<number, string>;
  merges: Rectangle[];
  /** Relationship id of the sheet's drawing. */
  drawing: string | undefined;
}

/** Columns of a sheet (ECMA-376 part 1, 18.3.1.73). */
export const columnLimit = 16_384;
const rowLimit = 1_048_576;
/** Merges larger than this are cut: they are formatting of whole rows or columns. */
const maxMergeSide = 2_000;
/** Places of all merges together; merges beyond are not looked at. */
const maxMergedPlaces = 1_000_000;
/** Filled cells of a sheet. */
export const maxCells = 2_000_000;

/** One number for a place. */
export function keyOf(row: number, column: number): number {
  return row * columnLimit + column;
}

/** Reads a worksheet as a stream, so that rows without content cost nothing. */
export function readGrid(office: OoxmlPackage, part: string, strings: readonly string[], formats: CellFormats): Grid {
  const grid: Grid = { cells: new Map(), merges: [], drawing: undefined };
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
      else if (name === 'x:rPh') phonetic -= 1;
      else if (name === 'x:c' && hasText) {
        const value = cellText(text, type, style);
        const isPlace = row >= 0 && row < rowLimit && column >= 0 && column < columnLimit;
        if (value !== undefined && isPlace) grid.cells.set(keyOf(row, column), value);
        if (grid.cells.size > maxCells) {
          throw new AppError('DOCUMENT_TOO_LARGE', `${part} holds more than ${maxCells} filled cells.`);
        }
      }
    },
  });
  /** Undefined where the cell holds nothing, as a formula that gave no text. */
  function cellText(raw: string, kind: string | undefined, styleIndex: string | undefined): string | undefined {
    if (kind === 's') return strings[Number(raw)];
    if (kind === 'inlineStr' || kind === 'str') return raw === '' ? undefined : unescapeControls(raw);
    if (raw === '') return undefined;
    if (kind === 'b') return raw.trim() === '1' || raw.trim() === 'true' ? 'True' : 'False';
    if (kind === 'e') return raw;
    if (kind === 'd') return raw.replace('T', ' ').replace(/Z$/, '');
    return formats.format(raw, styleIndex);
  }
  return grid;
}

/** Puts merges into the list: without what goes beyond the largest side, until all together cover too many places. */
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

/** `B7` and `$B$7`; undefined for anything else. */
function parseCell(reference: string): { row: number; column: number } | undefined {
  const match = /^\$?([A-Za-z]{1,3})\$?(\d{1,7})$/.exec(reference);
  if (match === null) return undefined;
  let column = 0;
  for (const letter of match[1]!.toUpperCase()) column = column * 26 + letter.charCodeAt(0) - 64;
  return { row: Number(match[2]) - 1, column: column - 1 };
}

/** `B7` for row 6 and column 1. */
export function nameOfCell(row: number, column: number): string {
  let letters = '';
  for (let left = column + 1; left > 0; left = Math.floor((left - 1) / 26)) {
    letters = String.fromCharCode(65 + ((left - 1) % 26)) + letters;
  }
  return `${letters}${row + 1}`;
}

/** `B2:D7` or a single cell. */
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
