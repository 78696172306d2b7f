import { AppError } from '../model/errors';
import type { TableCell, TableData } from './model';

/** Larger grids are rejected: as full cells they would not fit into memory. */
export const maxGridPlaces = 20_000_000;

/** Returns the cells as rows × columns. A spanning cell appears at each of its positions; missing cells are empty cells. */
export function gridOf(data: TableData): TableCell[][] {
  if (data.num_rows * Math.max(1, data.num_cols) > maxGridPlaces) {
    throw new AppError(
      'DOCUMENT_TOO_LARGE',
      `A table has ${data.num_rows} × ${data.num_cols} places; at most ${maxGridPlaces} are written.`,
    );
  }
  const grid: (TableCell | undefined)[][] = Array.from({ length: data.num_rows }, () =>
    Array<TableCell | undefined>(data.num_cols).fill(undefined),
  );
  for (const cell of data.table_cells) {
    // A cell that ends before it begins still fills its own position.
    const endRow = Math.min(Math.max(cell.end_row_offset_idx, cell.start_row_offset_idx + 1), data.num_rows);
    const endColumn = Math.min(Math.max(cell.end_col_offset_idx, cell.start_col_offset_idx + 1), data.num_cols);
    for (let row = cell.start_row_offset_idx; row < endRow; row++) {
      for (let column = cell.start_col_offset_idx; column < endColumn; column++) grid[row]![column] = cell;
    }
  }
  return grid.map((cells, row) => cells.map((cell, column) => cell ?? createEmptyCell(row, column)));
}

/** The text of a cell, followed by its formula in brackets if the document has it. */
export function showCellText({ text, formula }: TableCell): string {
  if (formula === undefined) return text;
  return text.trim() === '' ? formula : `${text} (${formula})`;
}

function createEmptyCell(row: number, column: number): TableCell {
  return {
    row_span: 1,
    col_span: 1,
    start_row_offset_idx: row,
    end_row_offset_idx: row + 1,
    start_col_offset_idx: column,
    end_col_offset_idx: column + 1,
    text: '',
    column_header: false,
    row_header: false,
    row_section: false,
    fillable: false,
  };
}

/** Creates a cell. Defaults: spans of one, all flags off. */
export function tableCell(row: number, column: number, text: string, input: Partial<TableCell> = {}): TableCell {
  const rows = input.row_span ?? 1;
  const columns = input.col_span ?? 1;
  return {
    ...createEmptyCell(row, column),
    end_row_offset_idx: row + rows,
    end_col_offset_idx: column + columns,
    text,
    ...input,
  };
}
