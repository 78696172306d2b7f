import { tableCell } from '../../document/grid';
import type { TableCell, TableData } from '../../document/model';

/** A position in a table. `kind` is that of its cell (`fcel`, `ched`, …), or the direction of the cell that spans it (`lcel`, …). */
export interface OtslPlace {
  kind: string;
  text: string;
}

/** A model in a loop repeats cells forever. Larger tables lose their last columns. */
const maxPlaces = 100_000;

/**
 * Builds a table from rows of positions. Spans that have no origin, overlap or are not rectangular are cut short. Rows may have
 * different lengths; missing cells are empty.
 */
export function buildTable(grid: readonly (readonly OtslPlace[])[]): TableData {
  const widest = grid.reduce((width, row) => Math.max(width, row.length), 0);
  const columns = Math.min(widest, Math.max(1, Math.floor(maxPlaces / Math.max(1, grid.length))));
  const rows = columns < widest ? grid.map((row) => row.slice(0, columns)) : grid;
  const filledColumns = rows.map(() => new Set<number>());
  const cells: TableCell[] = [];
  for (const [row, places] of rows.entries()) {
    for (const [column, { kind, text }] of places.entries()) {
      if (isSpan(kind) || filledColumns[row]?.has(column)) continue;
      const width = measureWidth(places, column);
      const height = measureHeight(rows, row, column, width);
      for (let below = row; below < row + height; below += 1)
        for (let right = column; right < column + width; right += 1) filledColumns[below]?.add(right);
      const spans = { row_span: height, col_span: width };
      const flags = { column_header: kind === 'ched', row_header: kind === 'rhed', row_section: kind === 'srow' };
      cells.push(tableCell(row, column, text, { ...spans, ...flags }));
    }
  }
  return { table_cells: cells, num_rows: rows.length, num_cols: columns };
}

function isSpan(kind: string | undefined): boolean {
  return kind === 'lcel' || kind === 'ucel' || kind === 'xcel';
}

/** Returns the width of a cell, in columns. */
function measureWidth(places: readonly OtslPlace[], column: number): number {
  let width = 1;
  while (places[column + width]?.kind === 'lcel') width += 1;
  return width;
}

/** Returns the height of a cell of this width, in rows. */
function measureHeight(rows: readonly (readonly OtslPlace[])[], row: number, column: number, width: number): number {
  let height = 1;
  for (;;) {
    const below = rows[row + height];
    if (below?.[column]?.kind !== 'ucel') return height;
    for (let right = 1; right < width; right += 1) if (!isSpan(below[column + right]?.kind)) return height;
    height += 1;
  }
}
