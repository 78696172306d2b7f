import type { CellTag } from '../geometry/page';
import { allocate, type Pdfium, type Scratch } from './pdfium';

/** Larger tables are read by their rulings and positions instead. */
const maxSpan = 200;

/** A table whose tags are being read. */
export interface OpenTable {
  table: number;
  row: number;
  column: number;
  /** Positions that cells of earlier rows span, as `row/column`. */
  taken: Set<string>;
}

/** Opens a table without rows; `table` distinguishes it from others on the page. */
export function openTable(table: number): OpenTable {
  return { table, row: -1, column: 0, taken: new Set() };
}

/** Starts the next row. */
export function startRow(table: OpenTable): void {
  table.row += 1;
  table.column = 0;
}

/** Places a cell in the first free column of the current row. */
export function addCell(
  open: OpenTable,
  { isHead, rows, columns }: Pick<CellTag, 'isHead' | 'rows' | 'columns'>,
): CellTag {
  const { table, row, taken } = open;
  while (taken.has(`${row}/${open.column}`)) open.column += 1;
  const cell = { table, row, column: open.column, rows, columns, isHead };
  for (let down = 1; down < rows; down += 1)
    for (let across = 0; across < columns; across += 1) taken.add(`${row + down}/${open.column + across}`);
  open.column += columns;
  return cell;
}

/** The `RowSpan` or `ColSpan` of a cell; 1 if the file has no usable value. */
export function readSpan(pdfium: Pdfium, element: number, name: 'RowSpan' | 'ColSpan', scratch: Scratch): number {
  const count = Math.min(Math.max(pdfium._FPDF_StructElement_GetAttributeCount(element), 0), 8);
  if (count === 0) return 1;
  const text = new TextEncoder().encode(`${name}\0`);
  const memory = allocate(pdfium, text.length);
  pdfium.HEAPU8.set(text, memory.address);
  try {
    for (let index = 0; index < count; index += 1) {
      const attributes = pdfium._FPDF_StructElement_GetAttributeAtIndex(element, index);
      const value = attributes === 0 ? 0 : pdfium._FPDF_StructElement_Attr_GetValue(attributes, memory.address);
      if (value === 0 || pdfium._FPDF_StructElement_Attr_GetNumberValue(value, scratch.address) === 0) continue;
      const span = Math.round(scratch.float(0));
      return span >= 1 && span <= maxSpan ? span : 1;
    }
  } finally {
    memory.free();
  }
  return 1;
}
