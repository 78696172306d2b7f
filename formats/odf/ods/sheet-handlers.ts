import { AppError } from '../../../model/errors';
import type { RowSheet } from '../../format';
import { columnLimit } from '../../ooxml/xlsx/cells';
import type { XmlHandlers } from '../../xml/xml';
import { readValueText } from '../table';

/** The beginning of a sheet, or a row with content and the number of its repetitions. */
export type SheetPart = Omit<RowSheet, 'rows'> | { cells: readonly string[]; count: number };

/** Maximum number of cells in all sheets, including the empty ones before the last filled cell of each row. */
const maxPlaces = 100_000_000;
/** Maximum number of characters of a row, or of one cell. */
const maxRowLength = 64 * 1024 * 1024;
/** Elements whose text is not that of a cell. */
const skippedElements =
  /^(?:office:annotation|office:forms|draw:|table:shapes|table:tracked-changes|table:named-expressions|dc:)/;

interface Cell {
  attributes: Readonly<Record<string, string>>;
  isCovered: boolean;
  /** Undefined before the first paragraph. */
  text: string | undefined;
}

/** Creates handlers for `content.xml` of a spreadsheet. `onItem` is called for sheets and rows in document order. */
export function createSheetHandlers(onItem: (item: SheetPart) => void): XmlHandlers {
  const scan = new SheetScan(onItem);
  return {
    open: (name, attributes) => scan.open(name, attributes),
    text: (text) => scan.text(text),
    close: (name) => scan.close(name),
  };
}

interface Row {
  cells: string[];
  /** The next column. */
  next: number;
  count: number;
  /** Number of characters. */
  length: number;
}

/** The state of a scan of the sheets. */
class SheetScan {
  readonly #onItem: (item: SheetPart) => void;
  readonly #hiddenStyles = new Set<string>();
  #style = '';
  /** Depth within elements that are skipped. */
  #skipping = 0;
  /** Number of open tables: a cell may contain a table, whose paragraphs belong to the cell. */
  #tables = 0;
  #paragraphs = 0;
  #sheets = 0;
  #places = 0;
  #row: Row | undefined;
  #cell: Cell | undefined;

  constructor(onItem: (item: SheetPart) => void) {
    this.#onItem = onItem;
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (this.#skipping > 0 || skippedElements.test(name)) this.#skipping += 1;
    else if (name === 'table:table') this.#openTable(attributes);
    else if (name === 'style:style') this.#style = attributes['style:name'] ?? '';
    else if (name === 'style:table-properties') {
      if (attributes['table:display'] === 'false') this.#hiddenStyles.add(this.#style);
    } else if (this.#tables === 1 && name === 'table:table-row')
      this.#row = { cells: [], next: 0, count: readCount(attributes, 'table:number-rows-repeated'), length: 0 };
    else if (this.#tables === 1 && isCell(name))
      this.#cell = { attributes, isCovered: name === 'table:covered-table-cell', text: undefined };
    else if (this.#cell) this.#paragraphs += openText(this.#cell, name, attributes);
  }

  text(text: string): void {
    if (!this.#cell || this.#paragraphs === 0 || this.#skipping > 0) return;
    this.#cell.text = (this.#cell.text ?? '') + text.replace(/\s+/g, ' ');
    if (this.#cell.text.length > maxRowLength)
      throw createTooLargeError(`a cell of more than ${maxRowLength} characters`);
  }

  close(name: string): void {
    if (this.#skipping > 0) this.#skipping -= 1;
    else if (name === 'table:table') this.#tables -= 1;
    else if (isParagraph(name)) this.#paragraphs -= this.#cell ? 1 : 0;
    else if (this.#tables === 1 && isCell(name)) this.#closeCell();
    else if (this.#tables === 1 && name === 'table:table-row') this.#closeRow();
  }

  #openTable(attributes: Readonly<Record<string, string>>): void {
    this.#tables += 1;
    if (this.#tables > 1) return;
    this.#sheets += 1;
    const isHidden = this.#hiddenStyles.has(attributes['table:style-name'] ?? '');
    this.#onItem({ name: attributes['table:name'] ?? `Sheet${this.#sheets}`, isHidden });
  }

  #closeCell(): void {
    const [cell, row] = [this.#cell, this.#row];
    this.#cell = undefined;
    if (!cell || !row) return;
    const text = cell.isCovered ? '' : readText(cell);
    const count = readCount(cell.attributes, 'table:number-columns-repeated');
    if (text !== '' && row.next + count <= columnLimit) {
      row.length += text.length * count;
      if (row.length > maxRowLength) throw createTooLargeError(`a row of more than ${maxRowLength} characters`);
      // Empty places need no memory until the row is written.
      for (let at = 0; at < count; at++) row.cells[row.next + at] = text;
    }
    row.next += count;
  }

  #closeRow(): void {
    const row = this.#row;
    this.#row = undefined;
    if (!row || row.cells.length === 0) return;
    this.#places += row.cells.length * row.count;
    if (this.#places > maxPlaces) throw createTooLargeError(`more than ${maxPlaces} places in its rows`);
    this.#onItem({ cells: Array.from(row.cells, (text: string | undefined) => text ?? ''), count: row.count });
  }
}

function isCell(name: string): boolean {
  return name === 'table:table-cell' || name === 'table:covered-table-cell';
}

function isParagraph(name: string): boolean {
  return name === 'text:p' || name === 'text:h';
}

/** Adds the white space that an element stands for. Returns the number of paragraphs it opens. */
function openText(cell: Cell, name: string, attributes: Readonly<Record<string, string>>): 0 | 1 {
  if (isParagraph(name)) {
    cell.text = cell.text === undefined ? '' : `${cell.text}\n`;
    return 1;
  }
  if (cell.text === undefined) return 0;
  if (name === 'text:s') cell.text += ' '.repeat(Math.min(1_000, readCount(attributes, 'text:c')));
  else if (name === 'text:tab') cell.text += '\t';
  else if (name === 'text:line-break') cell.text += '\n';
  return 0;
}

function readText(cell: Cell): string {
  const lines = (cell.text ?? '').split('\n').filter((line) => line.trim() !== '');
  return lines.join('\n').trim() || (cell.attributes['office:string-value'] ?? '').trim() || readValueText(cell);
}

function readCount(attributes: Readonly<Record<string, string>>, name: string): number {
  const count = Number(attributes[name] ?? 1);
  return Number.isInteger(count) && count > 0 ? count : 1;
}

function createTooLargeError(size: string): AppError {
  return new AppError('DOCUMENT_TOO_LARGE', `The spreadsheet has ${size}.`);
}
