import { AppError } from '../../../model/errors';
import { getErrorText, decodeRkNumber } from '../xlsx/binary-values';
import type { CellFormats } from '../xlsx/cell-format';
import { type CellValue, columnLimit, formatTruth, rowLimit } from '../xlsx/cells';
import { createGrid, createMergeList, type Grid, toCellKey, maxCells, putCell, type Rectangle } from '../xlsx/grid';
import type { BinaryFormulas } from './formulas';
import { type BinaryRecord, brt, readRecords, readWideString } from './records';

interface GridContext {
  name: string;
  strings: readonly string[];
  formats: CellFormats;
  /** Absent: formulas are not read. */
  formulas?: BinaryFormulas | undefined;
}

/** Reads the records of a worksheet. Formulas have their cached results. */
export function readBinaryGrid(part: Uint8Array, { name, strings, formats, formulas }: GridContext): Grid {
  const grid = createGrid();
  const addMerge = createMergeList(grid.merges);
  let row = -1;
  for (const record of readRecords(part)) {
    const { type, data } = record;
    if (type === brt.row && data.length >= 4) row = data.readUInt32LE(0);
    else if (type === brt.mergedCells && data.length >= 16) addMerge(readRange(data, 0));
    else if (type === brt.drawing) grid.drawing = readWideString(data, 0).text;
    else if (type === brt.headerFooter) addFurnitureCodes(grid, data);
    else if (data.length >= 8 && row >= 0 && row < rowLimit) {
      const column = data.readUInt32LE(0);
      const cell = readCell(record, strings, formats);
      // Formulas of several cells have no column.
      if (cell === undefined || column < columnLimit) formulas?.add(record, row);
      if (cell !== undefined && column < columnLimit) putCell(grid, toCellKey(row, column), cell);
      if (grid.cells.size > maxCells)
        throw new AppError('DOCUMENT_TOO_LARGE', `${name} holds more than ${maxCells} filled cells.`);
    }
  }
  formulas?.putInto(grid);
  return grid;
}

/** Reads first and last row, then first and last column, which ranges store in this order. */
export function readRange(data: Buffer, at: number): Rectangle {
  const [top, last, left, right] = [0, 4, 8, 12].map((offset) => data.readUInt32LE(at + offset));
  return { top: top!, left: left!, bottom: last! + 1, right: right! + 1 };
}

/** Returns the text of a cell as the sheet shows it; undefined for other records. `data` has at least eight bytes. */
export function readCell(
  { type, data }: BinaryRecord,
  strings: readonly string[],
  formats: CellFormats,
): { text: string; value?: CellValue } | undefined {
  const style = data.readUIntLE(4, 3);
  const has = (count: number) => data.length >= 8 + count;
  const styled = (text: string) => ({ text: formats.text(text, style) });
  switch (type) {
    case brt.cellRk:
      return has(4) ? formats.number(decodeRkNumber(data.readInt32LE(8)), style) : undefined;
    case brt.cellReal:
    case brt.formulaNumber:
      return has(8) ? formats.number(data.readDoubleLE(8), style) : undefined;
    case brt.cellBool:
    case brt.formulaBool:
      return has(1) ? formatTruth(data[8] !== 0) : undefined;
    case brt.cellError:
    case brt.formulaError:
      return has(1) ? { text: getErrorText(data[8]!) } : undefined;
    case brt.cellShared:
      return has(4) ? styled(strings[data.readUInt32LE(8)] ?? '') : undefined;
    case brt.cellText:
    case brt.formulaText:
      return styled(readWideString(data, 8).text);
    case brt.cellRichText:
      return styled(readWideString(data, 9).text);
    default:
      return undefined;
  }
}

/** Headers and footers alternate: those of odd, even and first pages, after two bytes of options. */
function addFurnitureCodes(grid: Grid, data: Buffer): void {
  let at = 2;
  for (const kind of ['headers', 'footers', 'headers', 'footers', 'headers', 'footers'] as const) {
    const { text, next } = readWideString(data, at);
    if (text !== '') grid[kind].push(text);
    at = next;
  }
}
