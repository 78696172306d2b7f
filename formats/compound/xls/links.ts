import { biff, type BiffRecord } from './records';
import { createCursor, readString, type StringForm } from './strings';
import type { LinkedTable } from './table-reference';

/** What formulas refer to by number: sheets, names and other workbooks. */
export interface FormulaLinks {
  /** All sheets in the order of the file, including those that are not read. */
  sheetNames: string[];
  names: string[];
  books: LinkedBook[];
  /** Ranges of sheets in the workbook itself or in other ones. */
  ranges: SheetRange[];
  /** Tables by number; files of Excel 97 to 2003 have none. */
  tables: Map<number, LinkedTable>;
}

/** Consecutive sheets of a workbook, by number. */
interface SheetRange {
  book: number;
  first: number;
  last: number;
}

/** A workbook that formulas refer to. */
export interface LinkedBook {
  /** Undefined: the workbook itself, or functions of an add-in. */
  file: string | undefined;
  sheetNames: string[];
  names: string[];
}

/** Creates links without content. */
export function createLinks(): FormulaLinks {
  return { sheetNames: [], names: [], books: [], ranges: [], tables: new Map() };
}

/** Names with a meaning in Excel (MS-XLS 2.4.150). */
const builtInNames = [
  'Consolidate_Area',
  'Auto_Open',
  'Auto_Close',
  'Extract',
  'Database',
  'Criteria',
  'Print_Area',
  'Print_Titles',
  'Recorder',
  'Data_Form',
  'Auto_Activate',
  'Auto_Deactivate',
  'Sheet_Title',
  '_FilterDatabase',
];
const isBuiltIn = 0x20;
/** Values of the length of a book's name: the workbook itself, or an add-in (MS-XLS 2.4.271). */
const [ownBook, addInBook] = [0x401, 0x3a01];

/** Adds what a record of the workbook's globals tells. Records with another content are ignored. */
export function readLink(links: FormulaLinks, record: BiffRecord, form: StringForm): void {
  const cursor = createCursor(record);
  if (record.type === biff.name) {
    const flags = cursor.uint16();
    cursor.skip(1);
    const length = cursor.uint8();
    cursor.skip(10);
    const name = readString(cursor, length, form);
    links.names.push(flags & isBuiltIn ? (builtInNames[name.charCodeAt(0)] ?? '') : name);
  } else if (record.type === biff.externalSheet) {
    for (let left = cursor.uint16(); left > 0 && !cursor.isDone; left -= 1)
      links.ranges.push({ book: cursor.uint16(), first: cursor.uint16(), last: cursor.uint16() });
  } else if (record.type === biff.supportingBook) links.books.push(readBook(record, form));
  else if (record.type === biff.externalName) {
    cursor.skip(6);
    links.books.at(-1)?.names.push(readString(cursor, cursor.uint8(), form));
  }
}

function readBook(record: BiffRecord, form: StringForm): LinkedBook {
  const cursor = createCursor(record);
  const [count, length] = [cursor.uint16(), cursor.uint16()];
  if (length === ownBook || length === addInBook) return { file: undefined, sheetNames: [], names: [] };
  // Control characters stand for the parts of a path; the last part is the file.
  const file = readString(cursor, length, form)
    .split(/[\p{Cc}/\\]/u)
    .at(-1);
  const sheetNames: string[] = [];
  while (sheetNames.length < count && !cursor.isDone) sheetNames.push(readString(cursor, cursor.uint16(), form));
  return { file, sheetNames, names: [] };
}

/** What stands before the references to a range of sheets. Names may be long in damaged files, and formulas many. */
const written = new WeakMap<SheetRange, string>();

/** Writes the sheets before a reference, such as `Sheet1!`, `'My sheet'!` or `[Book.xls]Sheet1:Sheet3!`. */
export function formatSheets(links: FormulaLinks, number: number): string | undefined {
  const range = links.ranges[number];
  const book = range && links.books[range.book];
  if (!book) return undefined;
  const sheets = written.get(range) ?? formatRange(links, range, book);
  written.set(range, sheets);
  return sheets;
}

function formatRange({ sheetNames }: FormulaLinks, range: SheetRange, book: LinkedBook): string {
  const names = book.file === undefined ? sheetNames : book.sheetNames;
  const [first, last] = [names[range.first], names[range.last]];
  if (first === undefined) return book.file === undefined ? '#REF!' : `'[${book.file}]'!`;
  const sheets = last === undefined || last === first ? first : `${first}:${last}`;
  const whole = book.file === undefined ? sheets : `[${book.file}]${sheets}`;
  return /^[\p{L}_][\p{L}\p{N}_.:]*$/u.test(whole) ? `${whole}!` : `'${whole.replaceAll("'", "''")}'!`;
}
