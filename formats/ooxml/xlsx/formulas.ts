import { countNouns } from '../../../model/count-nouns';
import type { ReadOptions } from '../../format';
import { columnLimit, type FormulaScanner, parseCell, rowLimit } from './cells';
import { formatCellName } from './grid';

/** Limits of the formulas of a workbook, because many cells may share a long one. */
export interface FormulaBudget {
  /** Characters that the formulas may still have. */
  left: number;
  /** Bytes of stored formulas that may still be read for further cells: some parts of a formula have no characters. */
  bytesLeft: number;
  /** Number of formulas that were left out. */
  unread: number;
}

/** Creates the budget for a workbook. */
export function createFormulaBudget(): FormulaBudget {
  return { left: 16 * 1024 * 1024, bytesLeft: 128 * 1024 * 1024, unread: 0 };
}

/** Takes the length of a formula from the budget; undefined if it is spent. */
export function spendOn(budget: FormulaBudget, formula: string | undefined): string | undefined {
  if (formula === undefined) return undefined;
  budget.left -= formula.length;
  if (budget.left >= 0) return formula;
  budget.unread += 1;
  return undefined;
}

/** Warns if formulas were left out. */
export function reportUnreadFormulas({ unread }: FormulaBudget, warn: ReadOptions['warn']): void {
  if (unread > 0) warn?.(`${countNouns(unread, 'formula')} could not be read.`);
}

/** A formula may be shared by this many groups of cells; files that claim more lose the further ones. */
const maxShared = 100_000;

/** Creates a scanner for the formulas of one worksheet (ECMA-376 part 1, 18.3.1.40). */
export function createFormulaScanner(budget: FormulaBudget): FormulaScanner {
  const shared = new Map<string, { text: string; place: { row: number; column: number } }>();
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
        if (first === undefined || budget.left < first.text.length) return spendOn(budget, first?.text);
        const { row, column } = first.place;
        return spendOn(budget, `=${shiftReferences(first.text, place.row - row, place.column - column)}`);
      }
      if (text === '') return undefined;
      const shown = text.replaceAll(futurePrefixes, '');
      if (type === 'shared' && shared.size < maxShared) shared.set(group, { text: shown, place });
      return spendOn(budget, type === 'array' ? `{=${shown}}` : `=${shown}`);
    },
  };
}

/** Marks of functions and names that came after the format ([MS-XLSX] 2.2.2). `[0]!` marks names of the workbook itself. Excel shows neither. */
const futurePrefixes = /_xl(?:fn|ws|pm|udf)\.|\[0\]!/g;

/**
 * Texts, quoted names, parts in brackets, whole columns, and words, of which some are references. Texts and quoted names come first,
 * because they may contain what looks like a reference. What is not closed ends with the formula.
 */
const pieces =
  /"(?:[^"]|"")*(?:"|$)|'(?:[^']|'')*(?:'!?|$)|\[[^\]]*(?:\]|$)|\$?[A-Za-z]{1,3}:\$?[A-Za-z]{1,3}(?![\p{L}\p{N}_.$\\(!])|[\p{L}\p{N}_.$\\]+(?:[(!])?/gu;
const reference = /^(\$?)([A-Za-z]{1,3})(\$?)(\d{1,7})$/;
const wholeColumns = /^(\$?)([A-Za-z]{1,3}):(\$?)([A-Za-z]{1,3})$/;

/** Moves the relative references of a formula, as Excel does when it is filled into other cells. References wrap around. */
export function shiftReferences(formula: string, rows: number, columns: number): string {
  if (rows === 0 && columns === 0) return formula;
  return formula.replaceAll(pieces, (piece) => {
    const [, firstFixed = '', first, lastFixed = '', last] = wholeColumns.exec(piece) ?? [];
    if (first === undefined || last === undefined || columns === 0) return shiftReference(piece, rows, columns);
    return `${shiftColumn(firstFixed, first, columns)}:${shiftColumn(lastFixed, last, columns)}`;
  });
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
