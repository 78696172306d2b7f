import { createDocument } from '../../../document/builder';
import type { DoclingDocument } from '../../../document/model';
import { AppError } from '../../../model/errors';
import { addAll } from '../../../model/lists/add-all';
import { type ReadOptions, getStem } from '../../format';
import { createImageShare } from '../../ooxml/image';
import { createCellFormats } from '../../ooxml/xlsx/cell-format';
import { addCellComments } from '../../ooxml/xlsx/comments';
import { createFormulaBudget, reportUnreadFormulas } from '../../ooxml/xlsx/formulas';
import { createGrid } from '../../ooxml/xlsx/grid';
import { addFurniture } from '../../ooxml/xlsx/header-footer';
import { addItems, addTableItems } from '../../ooxml/xlsx/sheet';
import { explainPassword } from '../../password';
import { readStore } from '../art-pictures';
import { readRecord } from '../art-records';
import { openCompound } from '../compound';
import { listPasswords } from '../crypt/password';
import { readChart } from './chart';
import { decryptWorkbook } from './decrypt';
import { createChartItem, type DrawingContext, readObjects } from './drawing';
import { type CellContext, readSheet, type SheetContent } from './grid';
import { createLinks, type FormulaLinks, readLink } from './links';
import { biff, type BiffRecord, iterateRecords } from './records';
import { createSheetFormulas } from './sheet-formulas';
import { createCursor, readSst, readString, type StringForm } from './strings';
import { type BiffVersion, readStyleFormat, isBareSheet, toExcel5Record, findVersion } from './versions';

interface WorkbookSheet {
  name: string;
  at: number;
  isHidden: boolean;
  /** `other` sheets have no readable cells or drawings. */
  kind: 'cells' | 'chart' | 'other';
}
/** A workbook without its sheets. */
export interface Workbook {
  stream: Buffer;
  version: BiffVersion;
  form: StringForm;
  sheets: WorkbookSheet[];
  strings: string[];
  /** Phonetic guides of the strings. */
  guides: string[];
  codes: Map<string, string>;
  styles: string[];
  starts1904: boolean;
  /** The bytes with the pictures of all sheets. */
  drawings: Buffer[];
  links: FormulaLinks;
}

/** Reads an Excel 2 to 2003 workbook (MS-XLS): one group and one page per sheet, one table per connected range. */
export function read(bytes: Uint8Array, options: ReadOptions): DoclingDocument {
  const { name, limits, paged, recordOmission } = options;
  const workbook = openWorkbook(bytes, { name, limits, password: paged?.password, recordOmission });
  const { stream, sheets, form, drawings, guides } = workbook;
  for (const guide of guides) recordOmission?.('phonetic guide', guide);
  const builder = createDocument(getStem(name));
  const readsFormulas = options.includeFormulas === true && workbook.version === 8;
  const budget = createFormulaBudget();
  const createFormulas = readsFormulas ? () => createSheetFormulas(workbook.links, budget) : undefined;
  const context: CellContext = { ...createCellContext(workbook), createFormulas };
  const picture = readStore(readRecord(Buffer.concat(drawings), 0), Buffer.alloc(0));
  const share = createImageShare<number>();
  const findImage = (number: number) => share(number, () => picture(number)?.bytes);
  const drawing: DrawingContext = { builder, stream, form, image: findImage, maxDepth: limits.maxDepth };
  // Several entries may refer to the same position.
  const contents = new Map<number, SheetContent>();
  for (const [index, sheet] of sheets.entries()) {
    const content =
      contents.get(sheet.at) ?? (sheet.kind === 'cells' ? readSheet(stream, sheet.at, context) : createEmptyContent());
    contents.set(sheet.at, content);
    addSheet(drawing, sheet, index + 1, content);
  }
  if (options.includeFormulas && workbook.version < 8)
    options.warn?.('The formulas of workbooks from before Excel 97 cannot be read.');
  reportUnreadFormulas(budget, options.warn);
  return builder.document;
}

/** Opens a workbook and reads everything but its sheets. */
export function openWorkbook(
  bytes: Uint8Array,
  {
    name,
    limits,
    password,
    recordOmission,
  }: Pick<ReadOptions, 'name' | 'limits' | 'recordOmission'> & { password?: string | undefined },
): Workbook {
  const file = isBareSheet(bytes) ? undefined : openCompound(bytes, name);
  file?.reportFolders(recordOmission);
  const content = file ? (file.stream('Workbook') ?? file.stream('Book')) : Buffer.from(bytes);
  const workbook = readGlobals(openStream(content, name, password), name);
  const count = workbook.sheets.length;
  if (count > limits.maxPages)
    throw new AppError('DOCUMENT_TOO_LARGE', `The workbook has ${count} sheets; the limit is ${limits.maxPages}.`);
  return workbook;
}

/** Returns what the cells of all sheets refer to. */
export function createCellContext({ strings, form, version, codes, styles, starts1904 }: Workbook): CellContext {
  return { strings, form, version, formats: createCellFormats(codes, styles, starts1904) };
}

function addSheet(
  context: DrawingContext,
  { name, at, isHidden, kind }: WorkbookSheet,
  pageNo: number,
  content: SheetContent,
): void {
  const { builder, stream, form } = context;
  const layer = isHidden ? 'invisible' : 'body';
  const parent = builder.group('sheet', { name, layer });
  const items = addTableItems(builder, content.grid);
  const { items: objects, comments } = readObjects(context, content.objects);
  addAll(items, objects);
  if (kind === 'chart') items.push(createChartItem(builder, wholeSheet, () => readChart(stream, at, form)));
  const whole = addItems(builder, { parent, layer, pageNo }, items);
  addFurniture(builder, content.grid, { parent, sheet: name, prov: [whole] });
  addCellComments(builder, name, comments);
}

/** The position of a chart that has its own sheet. */
const wholeSheet = { top: 0, left: 0, bottom: 1, right: 1 };

function createEmptyContent(): SheetContent {
  return { grid: createGrid(), objects: [] };
}

/** Returns the records of the workbook, decrypted with the given password or Excel's default password if needed. */
function openStream(stream: Buffer | undefined, name: string, password: string | undefined): Buffer {
  if (stream === undefined) throw new AppError('DOCUMENT_CORRUPT', `'${name}' contains no workbook.`);
  for (const { type, parts } of iterateRecords(stream, 0)) {
    if (type === biff.eof) break;
    if (type !== biff.filePass) continue;
    for (const candidate of listPasswords(password)) {
      const opened = decryptWorkbook(stream, parts[0]!, candidate);
      if (opened) return opened;
    }
    throw new AppError('DOCUMENT_ENCRYPTED', `'${name}' is a workbook ${explainPassword(password)}.`);
  }
  return stream;
}

function readGlobals(stream: Buffer, name: string): Workbook {
  const [first] = iterateRecords(stream, 0);
  const version = first && findVersion(first);
  if (first === undefined || version === undefined) {
    throw new AppError('DOCUMENT_CORRUPT', `'${name}' contains no Excel workbook.`);
  }
  const workbook: Workbook = {
    stream,
    version,
    form: { isUnicode: version === 8, codePage: 1252 },
    sheets: [],
    strings: [],
    guides: [],
    codes: new Map(),
    styles: [],
    starts1904: false,
    drawings: [],
    links: createLinks(),
  };
  // Before Excel 5 a file is one sheet, or several sheets one after another.
  if (version < 5) addAll(workbook.sheets, listOldSheets(stream, name, workbook.form));
  let hasEnd = version < 5;
  for (const record of iterateRecords(stream, 0)) {
    if (record.type === biff.eof) {
      hasEnd = true;
      break;
    }
    readGlobal(workbook, toExcel5Record(record, version));
  }
  if (!hasEnd || workbook.sheets.some(({ at }) => at >= stream.length)) {
    throw new AppError('DOCUMENT_CORRUPT', `'${name}' is a workbook that is cut off.`);
  }
  return workbook;
}

/** Returns the sheets of an Excel 2 to 4 file: the file itself, or the sheets inside an Excel 4 workbook. */
function listOldSheets(stream: Buffer, name: string, form: StringForm): WorkbookSheet[] {
  const sheets: WorkbookSheet[] = [];
  let title: string | undefined;
  for (const record of iterateRecords(stream, 0)) {
    if (record.type === biff.bundleHeader) {
      const cursor = createCursor(record, 4);
      title = readString(cursor, cursor.uint8(), form);
    } else if (title !== undefined && findVersion(record) !== undefined) {
      sheets.push({ name: title, at: record.at, isHidden: false, kind: 'cells' });
      title = undefined;
    }
  }
  return sheets.length > 0 ? sheets : [{ name: getStem(name), at: 0, isHidden: false, kind: 'cells' }];
}

/** Kinds of sheets that have no cells (MS-XLS 2.4.28). */
const sheetKinds = { chart: 2, module: 6 } as const;

function toSheetKind(kind: number): WorkbookSheet['kind'] {
  if (kind === sheetKinds.chart) return 'chart';
  return kind < sheetKinds.chart ? 'cells' : 'other';
}

function readGlobal(workbook: Workbook, record: BiffRecord): void {
  const data = record.parts[0]!;
  const cursor = createCursor(record);
  switch (record.type) {
    case biff.codePage:
      workbook.form.codePage = cursor.uint16();
      break;
    case biff.date1904:
      workbook.starts1904 = cursor.uint16() === 1;
      break;
    case biff.drawingGroup:
      addAll(workbook.drawings, record.parts);
      break;
    case biff.sst:
      workbook.strings = readSst(record, (guide) => workbook.guides.push(guide));
      break;
    case biff.xf:
      workbook.styles.push(String(readStyleFormat(record, workbook.version)));
      break;
    case biff.format: {
      // Before Excel 5 formats are numbered by their order.
      const number = workbook.version < 4 ? 0 : cursor.uint16();
      const id = String(workbook.version < 5 ? workbook.codes.size : number);
      const length = workbook.form.isUnicode ? cursor.uint16() : cursor.uint8();
      workbook.codes.set(id, readString(cursor, length, workbook.form));
      break;
    }
    case biff.boundSheet: {
      if (data.length < 8) break;
      const [at, state, kind] = [cursor.uint32(), cursor.uint8(), cursor.uint8()];
      const sheetName = readString(cursor, cursor.uint8(), workbook.form);
      workbook.links.sheetNames.push(sheetName);
      // Macro modules are not sheets.
      if (kind === sheetKinds.module) break;
      workbook.sheets.push({ name: sheetName, at, isHidden: (state & 3) !== 0, kind: toSheetKind(kind) });
      break;
    }
    default:
      if (workbook.version === 8) readLink(workbook.links, record, workbook.form);
  }
}
