import { gridOf } from '../grid';
import type { TableCell, TableData } from '../model';

/** Tables with more rows break over pages. */
const maxRowsPerPage = 30;

/** Writes a table as `writeTabular` with its spans. `content` returns the LaTeX of a cell. Empty if there are no cells. */
export function writeTabular(data: TableData, content: (cell: TableCell) => string): string {
  const grid = gridOf(data);
  const columns = grid[0]?.length ?? 0;
  if (columns === 0) return '';
  const environment = grid.length > maxRowsPerPage ? 'longtable' : 'tabular';
  const rows = grid.map((cells, row) => `${writeRow(cells, row, content)} \\\\ ${writeLineBelow(grid, row)}`);
  return `\\begin{${environment}}{|${'l|'.repeat(columns)}}\n\\hline\n${rows.join('\n')}\n\\end{${environment}}`;
}

function writeRow(cells: readonly TableCell[], row: number, content: (cell: TableCell) => string): string {
  const parts: string[] = [];
  for (let column = 0; column < cells.length;) {
    const cell = cells[column]!;
    let end = column + 1;
    while (cells[end] === cell) end += 1;
    const span = end - column;
    const isFirst = cell.start_row_offset_idx === row;
    const cellText = isFirst ? content(cell) : '';
    const tall =
      isFirst && cell.row_span > 1 && cellText !== '' ? `\\multirow{${cell.row_span}}{*}{${cellText}}` : cellText;
    parts.push(span > 1 ? `\\multicolumn{${span}}{|l|}{${tall}}` : tall);
    column = end;
  }
  return parts.join(' & ');
}

/** Returns the rule below a row, which does not cross cells that continue in the next row. */
function writeLineBelow(grid: readonly (readonly TableCell[])[], row: number): string {
  const cells = grid[row]!;
  const next = grid[row + 1];
  const isOpen = cells.map((cell, column) => next?.[column] === cell);
  if (!isOpen.some(Boolean)) return '\\hline';
  const rules: string[] = [];
  for (let from = 0; from < isOpen.length; from++) {
    if (isOpen[from]) continue;
    let to = from;
    while (to + 1 < isOpen.length && !isOpen[to + 1]) to += 1;
    rules.push(`\\cline{${from + 1}-${to + 1}}`);
    from = to;
  }
  // A row that begins with a bracket would be read as an option of the line break.
  return rules.join('') || '\\relax';
}
