import { maxGridPlaces, tableCell } from '../../document/grid';
import type { NodeItem, TableCell, TextItem } from '../../document/model';
import { AppError } from '../../model/errors';
import { findAttribute, type Element, iterateElements, isBlock, listReadElements } from './dom';
import { gatherRuns, normaliseRuns, plain, type Style } from './inline';
import { type Page, joinRunTexts } from './page';

export type WalkCell = (parent: NodeItem, cell: Element, style: Style) => void;

interface PlacedCell {
  element: Element;
  row: number;
  column: number;
  rows: number;
  columns: number;
  isColumnHeader: boolean;
}

/** Adds a table. Content other than plain text becomes nodes below the table. */
export function addTable(
  page: Page,
  parent: NodeItem,
  table: Element,
  { style, captions, walkCell }: { style: Style; captions: TextItem[]; walkCell: WalkCell },
): void {
  const { cells, rows, columns } = placeCells(page, table);
  if (cells.length === 0) return;
  page.tables += 1;
  const number = page.tables;
  const data = { table_cells: [] as TableCell[], num_rows: rows, num_cols: columns };
  const item = page.builder.table(data, { parent, layer: page.layer, captions });
  for (const cell of cells) {
    const isHeader = cell.element.tagName === 'th';
    const added = tableCell(cell.row, cell.column, readCellText(cell.element), {
      row_span: cell.rows,
      col_span: cell.columns,
      column_header: cell.isColumnHeader,
      row_header: isHeader && !cell.isColumnHeader,
    });
    if (isRich(cell.element)) {
      const name = `rich_cell_group_${number}_${cell.column}_${cell.row}`;
      const group = page.builder.group('unspecified', { parent: item, layer: page.layer, name });
      walkCell(group, cell.element, style);
      if (group.children.length > 0) added.ref = { $ref: group.self_ref };
    }
    data.table_cells.push(added);
  }
}

/** Returns the rows of the table itself, without those of nested tables. */
function listRows(table: Element): Element[] {
  const sections = ['thead', 'tbody', 'tfoot'];
  const parts = listReadElements(table);
  // Browsers show the foot last, wherever it is in the source.
  const isFoot = ({ tagName }: Element) => tagName === 'tfoot';
  const ordered = parts.some(isFoot) ? [...parts.filter((part) => !isFoot(part)), ...parts.filter(isFoot)] : parts;
  return ordered
    .flatMap((child) => (sections.includes(child.tagName) ? listReadElements(child) : [child]))
    .filter((child) => child.tagName === 'tr');
}

function placeCells(page: Page, table: Element): { cells: PlacedCell[]; rows: number; columns: number } {
  const tableRows = listRows(table).map((tr) => ({
    isHead: tr.parentNode !== null && 'tagName' in tr.parentNode && tr.parentNode.tagName === 'thead',
    cells: listReadElements(tr).filter((cell) => cell.tagName === 'td' || cell.tagName === 'th'),
  }));
  const cells: PlacedCell[] = [];
  /** The first free row of each column, below the cells placed so far. */
  const freeFrom: number[] = [];
  let [row, places] = [0, 0];
  for (const { isHead, cells: elements } of tableRows) {
    if (elements.length === 0) continue;
    const isAllHeader = elements.every((cell) => cell.tagName === 'th');
    // If all header cells of a row span downwards, the row shares its line with the next one, as in the reference.
    const isShared = isAllHeader && elements.every((cell) => readSpan(cell, 'rowspan') > 1);
    let column = 0;
    for (const element of elements) {
      while ((freeFrom[column] ?? 0) > row) column += 1;
      const columns = readSpan(element, 'colspan');
      const rows = Math.min(Math.max(1, readSpan(element, 'rowspan') - (isShared ? 1 : 0)), tableRows.length - row);
      places += rows * columns;
      if (places > maxGridPlaces)
        throw new AppError('DOCUMENT_TOO_LARGE', `A table of '${page.name}' has more than ${maxGridPlaces} places.`);
      for (let at = column; at < column + columns; at++) freeFrom[at] = row + rows;
      cells.push({
        element,
        row,
        column,
        rows,
        columns,
        isColumnHeader: isAllHeader || (isHead && element.tagName === 'th'),
      });
      column += columns;
    }
    if (!isShared) row += 1;
  }
  return {
    cells: cells.map((cell) => ({ ...cell, rows: Math.max(1, Math.min(cell.rows, row - cell.row)) })),
    rows: Math.max(row, 1),
    columns: freeFrom.length,
  };
}

/** Limits of HTML. */
const maxSpans = { rowspan: 65_534, colspan: 1_000 } as const;

/** Returns a span within the limits of HTML. A rowspan of 0 extends to the last row. */
function readSpan(cell: Element, name: 'rowspan' | 'colspan'): number {
  const value = Number.parseInt(findAttribute(cell, name) ?? '1', 10);
  if (name === 'rowspan' && value === 0) return maxSpans.rowspan;
  return Math.min(Math.max(value || 1, 1), maxSpans[name]);
}

function readCellText(cell: Element): string {
  return joinRunTexts(gatherRuns(cell, plain, new Set(), () => undefined));
}

const richElements = new Set(['ul', 'ol', 'dl', 'menu', 'table', 'img', 'pre', 'figure', 'details', 'br', 'input']);

/** True if plain text would lose content: formatting, links, lists, several paragraphs, pictures. */
function isRich(cell: Element): boolean {
  let paragraphs = 0;
  for (const element of iterateElements(cell)) {
    if (richElements.has(element.tagName)) return true;
    const isParagraph =
      isBlock(element) && element.childNodes.some((child) => 'value' in child && child.value.trim() !== '');
    if (isParagraph) paragraphs += 1;
  }
  const hasOwnText = cell.childNodes.some((child) => 'value' in child && child.value.trim() !== '');
  if (paragraphs + (hasOwnText ? 1 : 0) > 1) return true;
  const runs = normaliseRuns(gatherRuns(cell, plain, new Set(), () => undefined));
  return runs.some(({ style }) => (Object.keys(plain) as (keyof Style)[]).some((key) => style[key] !== plain[key]));
}
