import { createDocument } from '../../../document/builder';
import type { DoclingDocument } from '../../../document/model';
import { AppError } from '../../../model/errors';
import { type ReadOptions, getStem } from '../../format';
import { createImages } from '../image';
import { openOoxml, type OoxmlPackage } from '../package';
import { reportParts } from '../unread';
import { type CellFormats, createCellFormats } from '../xlsx/cell-format';
import { createFormulaBudget, reportUnreadFormulas } from '../xlsx/formulas';
import { formatCellName } from '../xlsx/grid';
import { addSheets } from '../xlsx/sheet';
import type { CellComment, SheetRef } from '../xlsx/workbook-context';
import { createBinaryFormulas } from './formulas';
import { readRange, readBinaryGrid } from './grid';
import { readBinaryLinks } from './links';
import { brt, readRecords, readWideString } from './records';

/** Reads a binary workbook (MS-XLSB) into the same items as an XLSX workbook. */
export function read(bytes: Uint8Array, options: ReadOptions): DoclingDocument {
  const office = openOoxml(bytes, options.limits);
  const { sheets, strings, formats } = readBinaryWorkbook(office);
  const budget = createFormulaBudget();
  const links = options.includeFormulas ? readBinaryLinks(office, sheets) : undefined;
  const createFormulas = () => (links ? createBinaryFormulas(links, budget) : undefined);
  const builder = createDocument(getStem(options.name));
  addSheets(
    {
      builder,
      office,
      sheets,
      image: createImages(office),
      readGrid: (name) => readBinaryGrid(getPart(office, name), { name, strings, formats, formulas: createFormulas() }),
      readComments: (name) => readComments(getPart(office, name)),
      grids: new Map(),
    },
    options,
  );
  reportParts(office, options.recordOmission);
  reportUnreadFormulas(budget, options.warn);
  return builder.document;
}

/** The sheets of a workbook, and what its cells refer to. */
export interface BinaryWorkbook {
  sheets: SheetRef[];
  strings: string[];
  formats: CellFormats;
}

/** Reads everything but the sheets themselves. */
export function readBinaryWorkbook(office: OoxmlPackage): BinaryWorkbook {
  const { sheets, starts1904 } = readWorkbook(office);
  const strings = readStrings(getPart(office, office.related(office.mainPart, 'sharedStrings')));
  const formats = readFormats(getPart(office, office.related(office.mainPart, 'styles')), starts1904);
  return { sheets, strings, formats };
}

/** Returns the bytes of a part; empty if it is missing. */
function getPart({ zip }: OoxmlPackage, name: string | undefined): Uint8Array {
  return (name === undefined ? undefined : zip.read(name)) ?? new Uint8Array();
}

function readWorkbook(office: OoxmlPackage): { sheets: SheetRef[]; starts1904: boolean } {
  const relations = office.relationships(office.mainPart);
  const sheets: SheetRef[] = [];
  let starts1904 = false;
  let isWorkbook = false;
  for (const { type, data } of readRecords(getPart(office, office.mainPart))) {
    isWorkbook ||= type === brt.sheet || type === brt.workbookProperties;
    if (type === brt.workbookProperties && data.length >= 4) starts1904 = (data[0]! & 1) === 1;
    if (type !== brt.sheet || data.length < 12) continue;
    // Beta versions of Excel 2007 store one more number before the relationship id.
    const relation = [8, 12].map((at) => readWideString(data, at)).find(({ text }) => relations.has(text));
    if (relation === undefined) continue;
    const { text: name } = readWideString(data, relation.next);
    const pageNo = sheets.length + 1;
    const isHidden = data.readUInt32LE(0) !== 0;
    sheets.push({ name, part: relations.get(relation.text)!.target, isHidden, pageNo });
  }
  if (!isWorkbook)
    throw new AppError('DOCUMENT_CORRUPT', `${office.mainPart} holds no binary workbook (its records were expected).`);
  return { sheets, starts1904 };
}

function readStrings(bytes: Uint8Array): string[] {
  const strings: string[] = [];
  for (const { type, data } of readRecords(bytes))
    if (type === brt.sharedString) strings.push(readWideString(data, 1).text);
  return strings;
}

function readFormats(bytes: Uint8Array, starts1904: boolean): CellFormats {
  const codes = new Map<string, string>();
  const styles: string[] = [];
  // Named styles have records of the same type.
  let isCellStyles = false;
  for (const { type, data } of readRecords(bytes)) {
    if (type === brt.cellStylesBegin) isCellStyles = true;
    else if (type === brt.cellStylesEnd) isCellStyles = false;
    else if (type === brt.format && data.length >= 2)
      codes.set(String(data.readUInt16LE(0)), readWideString(data, 2).text);
    else if (type === brt.style && isCellStyles && data.length >= 4) styles.push(String(data.readUInt16LE(2)));
  }
  return createCellFormats(codes, styles, starts1904);
}

function readComments(bytes: Uint8Array): [string, CellComment[]][] {
  const authors: string[] = [];
  const comments: [string, CellComment[]][] = [];
  let [cell, author] = ['', ''];
  for (const { type, data } of readRecords(bytes)) {
    if (type === brt.commentAuthor) authors.push(readWideString(data, 0).text);
    else if (type === brt.comment && data.length >= 20) {
      const { top, left } = readRange(data, 4);
      [cell, author] = [formatCellName(top, left), authors[data.readUInt32LE(0)] ?? ''];
    } else if (type === brt.commentText)
      comments.push([cell, [{ author, time: undefined, text: readWideString(data, 1).text.trim() }]]);
  }
  return comments;
}
