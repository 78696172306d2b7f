import { findLargest } from '../../extremes';
import { type Box, measureOverlapX, union } from '../geometry/box';
import type { PageCell, PageTable } from '../table/page-table';
import type { TablePart } from './part';
import type { LaidPage } from './write';

/** Maximum overlap of a column with the next column of the other part, in points. */
const slack = 4;

/**
 * Joins a table at the end of a page with one at the start of the next page that has the same columns, and drops the repeated
 * header rows. Does not join tables of contents.
 */
export function joinContinuedTables(pages: readonly LaidPage[]): LaidPage[] {
  const joined: LaidPage[] = [];
  for (const page of pages) {
    const holder = joined.findLastIndex(({ parts }) => parts.length > 0);
    const before = joined[holder]?.parts.at(-1);
    const first = page.parts[0];
    if (before?.kind !== 'table' || first?.kind !== 'table' || !continues(before, first)) {
      joined.push(page);
      continue;
    }
    const held = joined[holder] as LaidPage;
    const whole: TablePart = {
      ...before,
      table: append(before.table, first.table),
      continued: [...(before.continued ?? []), { page: page.page, box: first.box }],
    };
    joined[holder] = { ...held, parts: [...held.parts.slice(0, -1), whole] };
    joined.push({ ...page, parts: page.parts.slice(1) });
  }
  return joined;
}

function continues(before: TablePart, next: TablePart): boolean {
  const [a, b] = [before.table, next.table];
  if (before.isIndex || next.isIndex || a.columns !== b.columns || a.columns < 2) return false;
  const [upper, lower] = [findColumnBoxes(a), findColumnBoxes(b)];
  const sharesColumns = upper.every((box, index) => {
    const other = lower[index];
    return box && other ? measureOverlapX(box, other) > 0 : true;
  });
  const crossesColumns = upper.some((box, index) => {
    const other = lower[index + 1];
    return box && other && measureOverlapX(box, other) > slack;
  });
  return sharesColumns && !crossesColumns;
}

/** The bounding box of the text in each column; undefined for a column without single-column cells. */
function findColumnBoxes(table: PageTable): (Box | undefined)[] {
  return Array.from({ length: table.columns }, (_, column) => {
    const boxes = table.cells.flatMap((cell) =>
      cell.column === column && cell.columnEnd === column + 1 && cell.box ? [cell.box] : [],
    );
    return boxes.length > 0 ? union(boxes) : undefined;
  });
}

function append(table: PageTable, next: PageTable): PageTable {
  const rows = Math.max(0, findLargest(next.cells.filter(({ header }) => header).map(({ rowEnd }) => rowEnd)));
  const head = (cells: readonly PageCell[]) =>
    cells
      .filter(({ row }) => row < rows)
      .map(({ text }) => text)
      .join('\n');
  const skipped = rows > 0 && head(table.cells) === head(next.cells) ? rows : 0;
  const added = next.cells
    .filter(({ row }) => row >= skipped)
    .map((cell) => ({
      ...cell,
      row: cell.row - skipped + table.rows,
      rowEnd: cell.rowEnd - skipped + table.rows,
      header: false,
    }));
  return { ...table, rows: table.rows + next.rows - skipped, cells: [...table.cells, ...added] };
}
