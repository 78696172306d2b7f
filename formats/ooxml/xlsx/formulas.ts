import type { XmlHandlers } from '../../xml/xml';
import { columnLimit, parseCell, rowLimit } from './cells';
import { formatCellName } from './grid';

interface Place {
  row: number;
  column: number;
}

/** Reads the formulas of the cells of a worksheet. Cells that share a formula get it with their own references. */
export interface FormulaScanner extends Required<XmlHandlers> {
  /** The formula of the cell that ends, as Excel shows it; undefined if it has none. */
  take(place: Place): string | undefined;
}

/** A formula may be shared by this many groups of cells; files that claim more lose the further ones. */
const maxShared = 100_000;

/** Creates a scanner for the formulas of one worksheet (ECMA-376 part 1, 18.3.1.40). */
export function createFormulaScanner(): FormulaScanner {
  const shared = new Map<string, { text: string; place: Place }>();
  let attributes: Readonly<Record<string, string>> | undefined;
  let text = '';
  let isCollecting = false;
  return {
    open(name, itsAttributes) {
      if (name !== 'x:f') return;
      [attributes, text, isCollecting] = [itsAttributes, '', true];
    },
    text(piece) {
      if (isCollecting) text += piece;
    },
    close(name) {
      if (name === 'x:f') isCollecting = false;
    },
    take(place) {
      if (attributes === undefined) return undefined;
      const { t: type, si: group = '' } = attributes;
      attributes = undefined;
      if (type === 'dataTable') return undefined;
      if (type === 'shared' && text === '') {
        const first = shared.get(group);
        return first && `=${shiftReferences(first.text, place.row - first.place.row, place.column - first.place.column)}`;
      }
      if (text === '') return undefined;
      const shown = text.replaceAll(futurePrefixes, '');
      if (type === 'shared' && shared.size < maxShared) shared.set(group, { text: shown, place });
      return type === 'array' ? `{=${shown}}` : `=${shown}`;
    },
  };
}

/** Marks of functions and names that came after the format ([MS-XLSX] 2.2.2). `[0]!` marks names of the workbook itself. Excel shows neither. */
const futurePrefixes = /_xl(?:fn|ws|pm|udf)\.|\[0\]!/g;

/** Texts, quoted names, parts in brackets, and words, of which some are references. */
const pieces = /"(?:[^"]|"")*"|'(?:[^']|'')*'!?|\[[^\]]*\]|[\p{L}\p{N}_.$\\]+(?:[(!])?/gu;
const reference = /^(\$?)([A-Za-z]{1,3})(\$?)(\d{1,7})$/;
const wholeColumns = /(?<![\w.$'\]])(\$?)([A-Za-z]{1,3}):(\$?)([A-Za-z]{1,3})(?![\w.(!$])/g;

/** Moves the relative references of a formula, as Excel does when it is filled into other cells. References wrap around. */
export function shiftReferences(formula: string, rows: number, columns: number): string {
  if (rows === 0 && columns === 0) return formula;
  const moved = formula.replaceAll(pieces, (piece) => shiftReference(piece, rows, columns));
  if (columns === 0 || !moved.includes(':')) return moved;
  return moved.replaceAll(
    wholeColumns,
    (_whole, firstFixed: string, first: string, lastFixed: string, last: string) =>
      `${shiftColumn(firstFixed, first, columns)}:${shiftColumn(lastFixed, last, columns)}`,
  );
}

function shiftReference(piece: string, rows: number, columns: number): string {
  const match = reference.exec(piece);
  const place = match && parseCell(piece);
  if (!match || !place) return piece;
  const [, fixedColumn, , fixedRow] = match;
  const row = fixedRow === '' ? wrap(place.row + rows, rowLimit) : place.row;
  const column = fixedColumn === '' ? wrap(place.column + columns, columnLimit) : place.column;
  const [, letters = '', number = ''] = /^([A-Z]+)(\d+)$/.exec(formatCellName(row, column)) ?? [];
  return `${fixedColumn}${letters}${fixedRow}${number}`;
}

function shiftColumn(fixed: string, letters: string, columns: number): string {
  return fixed === '$' ? `$${letters}` : shiftReference(`${letters}$1`, 0, columns).replace(/\$1$/, '');
}

function wrap(position: number, limit: number): number {
  return ((position % limit) + limit) % limit;
}
