import { createLinks, type FormulaLinks, type LinkedBook } from '../../compound/xls/links';
import { getBaseName } from '../../format';
import type { OoxmlPackage } from '../package';
import type { SheetRef } from '../xlsx/workbook-context';
import { brt, readRecords, readWideString } from './records';

/** Position of the name in the record of a defined name: options, shortcut and sheet precede it (MS-XLSB 2.4.711). */
const nameAt = 9;
/** Positions in the record of a table (MS-XLSB 2.4.100). */
const [tableIdAt, tableNamesAt] = [20, 64];
/** Position of the two names of a column of a table: the second one is its heading (MS-XLSB 2.4.101). */
const columnNamesAt = 24;
/** Excel marks names with a meaning of its own, and functions that are newer than the format. */
const namePrefix = /^_xl(?:nm|fn|ws)\./;

/** Returns what the formulas of a workbook refer to: sheets, names, other workbooks and tables. */
export function readBinaryLinks(office: OoxmlPackage, sheets: readonly SheetRef[]): FormulaLinks {
  const links = createLinks();
  links.sheetNames = sheets.map(({ name }) => name);
  /** Crafted files name the same workbook or table again and again. */
  const books = new Map<string, LinkedBook>();
  const readBook = (relation: string) => {
    const book = books.get(relation) ?? readLinkedBook(office, relation);
    books.set(relation, book);
    return book;
  };
  for (const { type, data } of readRecords(getPart(office, office.mainPart))) {
    if (type === brt.name && data.length > nameAt)
      links.names.push(readWideString(data, nameAt).text.replace(namePrefix, ''));
    else if (type === brt.ownBook || type === brt.sameSheet || type === brt.addInBook)
      links.books.push(createOwnBook());
    else if (type === brt.linkedBook) links.books.push(readBook(readWideString(data, 0).text));
    else if (type === brt.sheetRanges) {
      for (let at = 4; at + 12 <= data.length; at += 12) {
        const [book, first, last] = [data.readUInt32LE(at), data.readInt32LE(at + 4), data.readInt32LE(at + 8)];
        links.ranges.push({ book, first, last });
      }
    }
  }
  for (const part of listTables(office, sheets)) readTable(getPart(office, part), links.tables);
  return links;
}

const createOwnBook = (): LinkedBook => ({ file: undefined, sheetNames: [], names: [] });

function getPart({ zip }: OoxmlPackage, name: string): Uint8Array {
  return zip.read(name) ?? new Uint8Array();
}

/** Reads the names of the sheets and of the names of another workbook, whose file is the target of a relation of its part. */
function readLinkedBook(office: OoxmlPackage, relation: string): LinkedBook {
  const part = office.relationships(office.mainPart).get(relation)?.target ?? '';
  const [target] = office.relationships(part).values();
  const book: LinkedBook = { file: getBaseName(target?.target ?? ''), sheetNames: [], names: [] };
  for (const { type, data } of readRecords(getPart(office, part))) {
    if (type === brt.linkedName) book.names.push(readWideString(data, 0).text);
    if (type !== brt.linkedSheets || data.length < 4) continue;
    for (let [left, at] = [data.readUInt32LE(0), 4]; left > 0 && at < data.length; left -= 1) {
      const { text, next } = readWideString(data, at);
      book.sheetNames.push(text);
      at = next;
    }
  }
  return book;
}

function listTables(office: OoxmlPackage, sheets: readonly SheetRef[]): Set<string> {
  const parts = new Set(sheets.map(({ part }) => part));
  const relationships = [...parts].flatMap((part) => [...office.relationships(part).values()]);
  return new Set(relationships.filter(({ type }) => type === 'table').map(({ target }) => target));
}

function readTable(part: Uint8Array, tables: FormulaLinks['tables']): void {
  const columns: string[] = [];
  for (const { type, data } of readRecords(part)) {
    if (type === brt.table && data.length > tableNamesAt) {
      const inside = readWideString(data, tableNamesAt);
      const name = readWideString(data, inside.next).text || inside.text;
      tables.set(data.readUInt32LE(tableIdAt), { name, columns });
    } else if (type === brt.tableColumn && data.length > columnNamesAt) {
      const inside = readWideString(data, columnNamesAt);
      columns.push(readWideString(data, inside.next).text || inside.text);
    }
  }
}
