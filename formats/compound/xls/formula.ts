import { getErrorText } from '../../ooxml/xlsx/binary-values';
import { columnLimit, rowLimit } from '../../ooxml/xlsx/cells';
import { formatCellName } from '../../ooxml/xlsx/grid';
import { formatNumber, quote, readArraySize, readConstant, readWideConstant } from './array-constants';
import { findFunction } from './function-names';
import { type FormulaLinks, formatSheets } from './links';
import { tableReferenceBytes, writeTableReference } from './table-reference';

/**
 * A formula as stored: tokens in reverse Polish notation, then the constants of its arrays (MS-XLS 2.5.198). Binary workbooks of
 * Excel 2007 and later have the same tokens with wider fields (MS-XLSB 2.5.97).
 */
export interface StoredFormula {
  tokens: Buffer;
  constants: Buffer;
  /** True for the wider fields. */
  isWide?: boolean;
}

/** Where a formula is used: the cell, for references that are relative to it. */
interface Place {
  row: number;
  column: number;
}

/** Thrown for tokens without a written form, such as those of macros. */
class Unreadable extends Error {}

const operators = ['+', '-', '*', '/', '^', '&', '<', '<=', '=', '>=', '>', '<>', ' ', ',', ':'];
/** Tokens (MS-XLS 2.5.198.25); those above 0x1f exist in three classes. */
const token = {
  firstOperator: 0x03,
  lastOperator: 0x11,
  plus: 0x12,
  minus: 0x13,
  percent: 0x14,
  brackets: 0x15,
  missing: 0x16,
  text: 0x17,
  extended: 0x18,
  attribute: 0x19,
  error: 0x1c,
  truth: 0x1d,
  integer: 0x1e,
  number: 0x1f,
  array: 0x20,
  function: 0x21,
  variableFunction: 0x22,
  name: 0x23,
  reference: 0x24,
  area: 0x25,
  memoryArea: 0x26,
  memoryError: 0x27,
  noMemory: 0x28,
  memoryFunction: 0x29,
  lostReference: 0x2a,
  lostArea: 0x2b,
  relativeReference: 0x2c,
  relativeArea: 0x2d,
  externalName: 0x39,
  sheetReference: 0x3a,
  sheetArea: 0x3b,
  lostSheetReference: 0x3c,
  lostSheetArea: 0x3d,
} as const;
const attribute = { choose: 0x04, sum: 0x10 } as const;
/** Follows `token.extended`: a reference to a table. */
const tableReference = 0x19;
/** Number of a function that the workbook or an add-in defines: its name is the first argument. */
const namedFunction = 255;
/** More nested values than Excel allows, so that a crafted formula cannot become a long text. */
const maxLength = 100_000;

/** Writes a formula of Excel 97 and later as Excel shows it, without `=`. Undefined if it has parts without a written form. */
export function writeFormula(stored: StoredFormula, place: Place, links: FormulaLinks): string | undefined {
  try {
    return new FormulaWriter(stored, place, links).write();
  } catch (error) {
    if (error instanceof Unreadable || isBeyondEnd(error)) return undefined;
    throw error;
  }
}

/** True for a read beyond the end of a truncated formula. */
function isBeyondEnd(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return code === 'ERR_OUT_OF_RANGE' || code === 'ERR_BUFFER_OUT_OF_BOUNDS';
}

class FormulaWriter {
  readonly #tokens: Buffer;
  readonly #constants: Buffer;
  readonly #layout: Layout;
  readonly #place: Place;
  readonly #links: FormulaLinks;
  readonly #stack: string[] = [];
  #at = 0;
  #constantsAt = 0;

  constructor({ tokens, constants, isWide }: StoredFormula, place: Place, links: FormulaLinks) {
    [this.#tokens, this.#constants, this.#place, this.#links] = [tokens, constants, place, links];
    this.#layout = isWide ? wideLayout : narrowLayout;
  }

  write(): string {
    while (this.#at < this.#tokens.length) {
      const type = this.#uint8();
      // The class of a token is whether it yields a value, a reference or an array.
      const written = type < 0x20 ? this.#readBasic(type) : this.#readClassed((type & 0x1f) | 0x20);
      if (written === undefined) continue;
      if (written.length > maxLength) throw new Unreadable();
      this.#stack.push(written);
    }
    const [formula, ...others] = this.#stack;
    if (formula === undefined || others.length > 0) throw new Unreadable();
    return formula;
  }

  #uint8(): number {
    return this.#tokens.readUInt8(this.#at++);
  }

  #uint16(): number {
    this.#at += 2;
    return this.#tokens.readUInt16LE(this.#at - 2);
  }

  #uint32(): number {
    this.#at += 4;
    return this.#tokens.readUInt32LE(this.#at - 4);
  }

  #row(): number {
    return this.#layout.rowBytes === 2 ? this.#uint16() : this.#uint32();
  }

  #pop(): string {
    const text = this.#stack.pop();
    if (text === undefined) throw new Unreadable();
    return text;
  }

  #readBasic(type: number): string | undefined {
    if (type >= token.firstOperator && type <= token.lastOperator) {
      const right = this.#pop();
      return `${this.#pop()}${operators[type - token.firstOperator]}${right}`;
    }
    switch (type) {
      case token.plus:
        return `+${this.#pop()}`;
      case token.minus:
        return `-${this.#pop()}`;
      case token.percent:
        return `${this.#pop()}%`;
      case token.brackets:
        return `(${this.#pop()})`;
      case token.missing:
        return '';
      case token.text:
        return quote(this.#layout.isWide ? this.#readCharacters(this.#uint16(), true) : this.#readText(this.#uint8()));
      case token.extended:
        return this.#readExtended();
      case token.attribute:
        return this.#readAttribute();
      case token.error:
        return getErrorText(this.#uint8());
      case token.truth:
        return this.#uint8() === 0 ? 'FALSE' : 'TRUE';
      case token.integer:
        return String(this.#uint16());
      case token.number:
        this.#at += 8;
        return formatNumber(this.#tokens.readDoubleLE(this.#at - 8));
      default:
        throw new Unreadable();
    }
  }

  #readExtended(): string {
    if (!this.#layout.isWide || this.#uint8() !== tableReference) throw new Unreadable();
    const start = this.#at;
    this.#at += tableReferenceBytes;
    const written = writeTableReference(this.#tokens.subarray(start, this.#at), this.#links.tables);
    if (written === undefined) throw new Unreadable();
    return written;
  }

  #readText(length: number): string {
    return this.#readCharacters(length, (this.#uint8() & 1) === 1);
  }

  #readCharacters(length: number, isWide: boolean): string {
    const end = this.#at + length * (isWide ? 2 : 1);
    if (end > this.#tokens.length) throw new Unreadable();
    const text = this.#tokens.toString(isWide ? 'utf16le' : 'latin1', this.#at, end);
    this.#at = end;
    return text;
  }

  /** Attributes speed up the calculation, or keep blanks. Only a sum is part of the formula. */
  #readAttribute(): string | undefined {
    const [flags, value] = [this.#uint8(), this.#uint16()];
    if (flags & attribute.choose) this.#at += (value + 1) * 2;
    return flags & attribute.sum ? `SUM(${this.#pop()})` : undefined;
  }

  #readClassed(type: number): string | undefined {
    switch (type) {
      case token.array:
        this.#at += this.#layout.arrayBytes;
        return this.#readArray();
      case token.function:
        return this.#readFunction(this.#uint16());
      case token.variableFunction: {
        const count = this.#uint8() & 0x7f;
        return this.#readFunction(this.#uint16() & 0x7fff, count);
      }
      case token.name:
        return this.#readName();
      case token.memoryArea:
      case token.memoryError:
      case token.noMemory:
        // The tokens that follow say the same.
        this.#at += 6;
        return undefined;
      case token.memoryFunction:
        this.#at += 2;
        return undefined;
      case token.externalName:
        return this.#readExternalName();
      default:
        return this.#readReference(type);
    }
  }

  #readReference(type: number): string {
    switch (type) {
      case token.reference:
      case token.relativeReference:
        return this.#readCell(type === token.relativeReference);
      case token.area:
      case token.relativeArea:
        return this.#readArea(type === token.relativeArea);
      case token.lostReference:
        this.#at += this.#layout.rowBytes + 2;
        return '#REF!';
      case token.lostArea:
        this.#at += 2 * (this.#layout.rowBytes + 2);
        return '#REF!';
      case token.sheetReference:
        return this.#readSheets() + this.#readCell(false);
      case token.sheetArea:
        return this.#readSheets() + this.#readArea(false);
      case token.lostSheetReference:
      case token.lostSheetArea: {
        const sheets = this.#readSheets();
        this.#at += (type === token.lostSheetReference ? 1 : 2) * (this.#layout.rowBytes + 2);
        return `${sheets}#REF!`;
      }
      default:
        throw new Unreadable();
    }
  }

  #readFunction(number: number, count?: number): string {
    const known = findFunction(number);
    const total = count ?? known?.argumentCount;
    if (total === undefined || (known === undefined && number !== namedFunction)) throw new Unreadable();
    if (total > this.#stack.length) throw new Unreadable();
    const values = this.#stack.splice(this.#stack.length - total, total);
    const name = known?.name ?? values.shift()?.replace(futurePrefix, '');
    if (name === undefined) throw new Unreadable();
    return `${name}(${values.join(',')})`;
  }

  #readName(): string {
    const name = this.#links.names[this.#uint16() - 1];
    this.#at += 2;
    if (!name) throw new Unreadable();
    return name;
  }

  #readExternalName(): string {
    const range = this.#links.ranges[this.#uint16()];
    const number = this.#uint16() - 1;
    this.#at += 2;
    const book = range && this.#links.books[range.book];
    // Names of the workbook itself are in its own list.
    const name = book?.names[number] ?? (book?.file === undefined ? this.#links.names[number] : undefined);
    if (!name) throw new Unreadable();
    return book?.file === undefined ? name : `'${book.file}'!${name}`;
  }

  #readSheets(): string {
    const sheets = formatSheets(this.#links, this.#uint16());
    if (sheets === undefined) throw new Unreadable();
    return sheets;
  }

  #readCell(isRelative: boolean): string {
    const [row, column] = [this.#row(), this.#uint16()];
    return formatCell(this.#resolve(row, column, isRelative));
  }

  #readArea(isRelative: boolean): string {
    const { rowCount, columnCount } = this.#layout;
    const [firstRow, lastRow] = [this.#row(), this.#row()];
    const first = this.#resolve(firstRow, this.#uint16(), isRelative);
    const last = this.#resolve(lastRow, this.#uint16(), isRelative);
    if (first.row === 0 && last.row === rowCount - 1) return `${formatColumn(first)}:${formatColumn(last)}`;
    if (first.column === 0 && last.column === columnCount - 1) return `${formatRow(first)}:${formatRow(last)}`;
    return `${formatCell(first)}:${formatCell(last)}`;
  }

  /** The two upper bits of the column state which parts are relative. Shared formulas have distances instead of positions. */
  #resolve(row: number, flagged: number, isRelative: boolean): Reference {
    const { rowCount, columnCount } = this.#layout;
    const reference = {
      row,
      column: flagged & (columnCount - 1),
      hasFixedColumn: (flagged & 0x4000) === 0,
      hasFixedRow: (flagged & 0x8000) === 0,
    };
    if (isRelative && !reference.hasFixedRow) reference.row = (this.#place.row + row) % rowCount;
    if (isRelative && !reference.hasFixedColumn)
      reference.column = (this.#place.column + reference.column) % columnCount;
    return reference;
  }

  #readArray(): string {
    const { rows, columns, next } = readArraySize(this.#constants, this.#constantsAt, this.#layout.isWide);
    if (rows * columns === 0) throw new Unreadable();
    this.#constantsAt = next;
    const lines: string[] = [];
    for (let row = 0; row < rows; row += 1) {
      const values: string[] = [];
      for (let column = 0; column < columns; column += 1) values.push(this.#readConstant());
      lines.push(values.join(','));
    }
    return `{${lines.join(';')}}`;
  }

  #readConstant(): string {
    const read = this.#layout.isWide ? readWideConstant : readConstant;
    const { text, next } = read(this.#constants, this.#constantsAt);
    if (text === undefined || next > this.#constants.length) throw new Unreadable();
    this.#constantsAt = next;
    return text;
  }
}

interface Reference extends Place {
  hasFixedRow: boolean;
  hasFixedColumn: boolean;
}

const formatColumn = ({ column, hasFixedColumn }: Reference) =>
  `${hasFixedColumn ? '$' : ''}${formatCellName(0, column % columnLimit).slice(0, -1)}`;
const formatRow = ({ row, hasFixedRow }: Reference) => `${hasFixedRow ? '$' : ''}${row + 1}`;
const formatCell = (reference: Reference) => `${formatColumn(reference)}${formatRow(reference)}`;
/** Functions that came after the format. Excel does not show the mark. */
const futurePrefix = /^_xl(?:fn|ws)\./;

/** Sizes that differ between the files of Excel 97 to 2003 and those of Excel 2007 and later. */
interface Layout {
  isWide: boolean;
  rowBytes: 2 | 4;
  rowCount: number;
  columnCount: number;
  /** Unused bytes of the token of an array. */
  arrayBytes: number;
}
const narrowLayout: Layout = { isWide: false, rowBytes: 2, rowCount: 65_536, columnCount: 256, arrayBytes: 7 };
const wideLayout: Layout = {
  isWide: true,
  rowBytes: 4,
  rowCount: rowLimit,
  columnCount: columnLimit,
  arrayBytes: 14,
};
