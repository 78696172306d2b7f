import { AppError } from '../../../model/errors';
import { getErrorText, decodeRkNumber } from '../../ooxml/xlsx/binary-values';
import type { CellFormats } from '../../ooxml/xlsx/cell-format';
import { formatTruth } from '../../ooxml/xlsx/cells';
import { createGrid, createMergeList, type Grid, toCellKey, maxCells, putCell } from '../../ooxml/xlsx/grid';
import { biff, type BiffRecord, iterateRecords, singleCellTypes } from './records';
import type { SheetFormulas } from './sheet-formulas';
import { createCursor, readString, type StringForm } from './strings';
import { type BiffVersion, toExcel5Record } from './versions';

/** Data that the cells of all sheets refer to. */
export interface CellContext {
  strings: readonly string[];
  formats: CellFormats;
  form: StringForm;
  version: BiffVersion;
  /** Creates a reader for the formulas of a sheet. Absent: formulas are not read. */
  createFormulas?: (() => SheetFormulas) | undefined;
}

/** The cells of a sheet, and the records of the objects above them in order. A chart is the start of its own stream. */
export interface SheetContent {
  grid: Grid;
  objects: BiffRecord[];
}

const objectTypes: ReadonlySet<number> = new Set([biff.drawing, biff.obj, biff.textObject, biff.note]);

const cellTypes: ReadonlySet<number> = new Set([...singleCellTypes, biff.mulRk]);

/** Reads the sheet at an offset of the stream. Formulas have their cached result. */
export function readSheet(stream: Buffer, start: number, context: CellContext): SheetContent {
  const grid = createGrid();
  const objects: BiffRecord[] = [];
  const formulas = context.createFormulas?.();
  let depth = 0;
  const addMerge = createMergeList(grid.merges);
  /** The cell of a formula whose text result is in a later record. */
  let awaiting: number | undefined;
  for (const biffRecord of iterateRecords(stream, start)) {
    const record = toExcel5Record(biffRecord, context.version);
    // Charts on the sheet are nested streams.
    if (record.type === biff.bof && ++depth === 2) objects.push(record);
    if (record.type === biff.eof && --depth <= 0) break;
    // After a chart, the drawing may continue.
    if (record.type === biff.eof && depth === 1 && record.parts.length > 1) objects.push(record);
    if (depth > 1) continue;
    formulas?.add(record);
    if (record.type === biff.mergeCells) {
      for (const merge of readMerges(record.parts[0]!)) addMerge(merge);
    } else if (record.type === biff.header || record.type === biff.footer) {
      if (record.parts[0]!.length > 0)
        grid[record.type === biff.header ? 'headers' : 'footers'].push(readFurnitureText(record, context.form));
    } else if (objectTypes.has(record.type)) {
      objects.push(record);
    } else if (record.type === biff.string) {
      if (awaiting !== undefined) putCell(grid, awaiting, { text: readLabel(record, 0, context.form) });
      awaiting = undefined;
    } else {
      const key = addCells(grid, record, context);
      if (record.type === biff.formula) awaiting = key;
    }
    if (grid.cells.size > maxCells) {
      throw new AppError('DOCUMENT_TOO_LARGE', `A sheet has more than ${maxCells} filled cells.`);
    }
  }
  formulas?.putInto(grid);
  return { grid, objects };
}

/**
 * Yields the filled rows of the sheet at an offset of the stream, in the order of the file; `countPlaces` is called with the
 * length of each. Objects, headers and footers are not read.
 */
export function* iterateRows(
  stream: Buffer,
  start: number,
  context: CellContext,
  countPlaces: (places: number) => void,
): Generator<string[]> {
  let [grid, row, depth] = [createGrid(), -1, 0];
  let awaiting: number | undefined;
  for (const biffRecord of iterateRecords(stream, start)) {
    const record = toExcel5Record(biffRecord, context.version);
    if (record.type === biff.bof) depth += 1;
    if (record.type === biff.eof && --depth <= 0) break;
    if (depth > 1) continue;
    if (record.type === biff.string) {
      if (awaiting !== undefined) putCell(grid, awaiting, { text: readLabel(record, 0, context.form) });
      awaiting = undefined;
      continue;
    }
    const data = record.parts[0]!;
    if (!cellTypes.has(record.type) || data.length < 6) continue;
    if (data.readUInt16LE(0) !== row) {
      if (grid.cells.size > 0) yield listTexts(grid, row, countPlaces);
      [grid, row] = [createGrid(), data.readUInt16LE(0)];
    }
    const key = addCells(grid, record, context);
    if (record.type === biff.formula) awaiting = key;
  }
  if (grid.cells.size > 0) yield listTexts(grid, row, countPlaces);
}

/** Returns the texts of a row up to its last filled cell. */
function listTexts({ cells }: Grid, row: number, countPlaces: (places: number) => void): string[] {
  const texts: string[] = [];
  const first = toCellKey(row, 0);
  // Empty places need no memory until the row is complete.
  for (const [key, text] of cells) texts[key - first] = text;
  countPlaces(texts.length);
  return Array.from(texts, (text: string | undefined) => text ?? '');
}

/** Adds the cells of a record. Returns the position of a formula whose text result follows. */
function addCells(grid: Grid, record: BiffRecord, { strings, formats, form }: CellContext): number | undefined {
  const data = record.parts[0]!;
  if (data.length < 6) return undefined;
  const row = data.readUInt16LE(0);
  const key = toCellKey(row, data.readUInt16LE(2));
  const style = data.readUInt16LE(4);
  const number = (value: number, styled = style) => formats.number(value, styled);
  const put = (text: string) => putCell(grid, key, { text: formats.text(text, style) });
  const has = (count: number) => data.length >= count;
  if (record.type === biff.labelSst && has(10)) put(strings[data.readUInt32LE(6)] ?? '');
  else if (record.type === biff.label || record.type === biff.rString) put(readLabel(record, 6, form));
  else if (record.type === biff.number && has(14)) putCell(grid, key, number(data.readDoubleLE(6)));
  else if (record.type === biff.rk && has(10)) putCell(grid, key, number(decodeRkNumber(data.readInt32LE(6))));
  else if (record.type === biff.boolErr && has(8)) putCell(grid, key, formatTruthOrError(data[6]!, data[7] === 1));
  else if (record.type === biff.mulRk) {
    for (let at = 4; at + 6 <= data.length - 2; at += 6) {
      const value = decodeRkNumber(data.readInt32LE(at + 2));
      putCell(grid, key + (at - 4) / 6, number(value, data.readUInt16LE(at)));
    }
  } else if (record.type === biff.formula && has(14)) {
    if (data.readUInt16LE(12) !== 0xffff) putCell(grid, key, number(data.readDoubleLE(6)));
    else if (data[6] === 0) return key;
    else if (data[6] === 1 || data[6] === 2) putCell(grid, key, formatTruthOrError(data[8]!, data[6] === 2));
  }
  return undefined;
}

function readLabel(record: BiffRecord, at: number, form: StringForm): string {
  const cursor = createCursor(record, at);
  return readString(cursor, cursor.uint16(), form);
}

/** The length has two bytes since BIFF8. */
function readFurnitureText(record: BiffRecord, form: StringForm): string {
  const cursor = createCursor(record);
  return readString(cursor, form.isUnicode ? cursor.uint16() : cursor.uint8(), form);
}

function formatTruthOrError(value: number, isError: boolean): { text: string; value?: boolean } {
  return isError ? { text: getErrorText(value) } : formatTruth(value !== 0);
}

function readMerges(data: Buffer): Grid['merges'] {
  const merges: Grid['merges'] = [];
  for (let at = 2; at + 8 <= data.length; at += 8) {
    const [top, last, left, right] = [0, 2, 4, 6].map((offset) => data.readUInt16LE(at + offset));
    if (last! >= top! && right! >= left!) {
      merges.push({ top: top!, left: left!, bottom: last! + 1, right: right! + 1 });
    }
  }
  return merges;
}
