import type { Formatting, GroupItem, TableCell, TableItem } from '../../../document/model';
import { findChild, listDescendants, listElements, type XmlElement } from '../../xml/xml';
import { readToggle } from '../package';
import type { ParagraphContent } from './runs';
import { createStory, endStory, placeBelow, type Story } from './story';

interface GridCell {
  element: XmlElement;
  row: number;
  column: number;
  columns: number;
  rows: number;
}

/** Wider tables are cut off: they are unreadable, and every cell of the grid would be written. */
const maxColumns = 1024;

/** Adds a table. A table with one cell is only a frame: its content is added without the table. */
export function readTable(story: Story, table: XmlElement): void {
  const rows = listRows(table);
  const cells = placeCells(rows);
  const gridColumns = listElements(findChild(table, 'w:tblGrid'), 'w:gridCol').length;
  const columns = cells.reduce(
    (max, cell) => Math.max(max, cell.column + cell.columns),
    Math.min(gridColumns, maxColumns),
  );
  const [first] = cells;
  if (first === undefined) return;
  if (rows.length === 1 && columns === 1) {
    story.context.addBlocks(story, first.element);
    return;
  }
  story.outline.beforeFloating();
  const { builder } = story.context;
  const headerRows = countHeaderRows(rows);
  const data = { table_cells: [] as TableCell[], num_rows: rows.length, num_cols: columns };
  const item = builder.table(data, placeBelow(story, story.outline.parent()));
  for (const cell of cells) data.table_cells.push(readCell(story, item, cell, cell.row < headerRows));
}

/** Returns the rows of a table, including those inside content controls and revisions. */
function listRows(container: XmlElement): XmlElement[] {
  return listElements(container).flatMap((element) => {
    if (element.name === 'w:tr') return findChild(findChild(element, 'w:trPr'), 'w:del') === undefined ? element : [];
    return ['w:sdt', 'w:sdtContent', 'w:customXml', 'w:ins'].includes(element.name) ? listRows(element) : [];
  });
}

function listCells(container: XmlElement): XmlElement[] {
  return listElements(container).flatMap((element) => {
    if (element.name === 'w:tc') return element;
    return ['w:sdt', 'w:sdtContent', 'w:customXml'].includes(element.name) ? listCells(element) : [];
  });
}

/** Computes the position of every cell. A cell that continues the one above only makes that one taller. */
function placeCells(rows: XmlElement[]): GridCell[] {
  const cells: GridCell[] = [];
  let above = new Map<number, GridCell>();
  for (const [row, element] of rows.entries()) {
    const current = new Map<number, GridCell>();
    let column = readNumber(findChild(findChild(element, 'w:trPr'), 'w:gridBefore'), 0);
    for (const cell of listCells(element)) {
      if (column >= maxColumns) break;
      const properties = findChild(cell, 'w:tcPr');
      const columns = Math.min(Math.max(readNumber(findChild(properties, 'w:gridSpan'), 1), 1), maxColumns - column);
      const merge = findChild(properties, 'w:vMerge');
      const start = merge !== undefined && merge.attributes['w:val'] !== 'restart' ? above.get(column) : undefined;
      if (start === undefined) {
        const placedCell = { element: cell, row, column, columns, rows: 1 };
        cells.push(placedCell);
        current.set(column, placedCell);
      } else {
        start.rows = row - start.row + 1;
        current.set(column, start);
      }
      column += columns;
    }
    above = current;
  }
  return cells;
}

function readNumber(element: XmlElement | undefined, otherwise: number): number {
  const value = Number(element?.attributes['w:val']);
  return Number.isInteger(value) ? value : otherwise;
}

/** Counts the header rows: the first row, or all leading rows that repeat on every page. */
function countHeaderRows(rows: XmlElement[]): number {
  const end = rows.findIndex((row) => readToggle(findChild(row, 'w:trPr'), 'w:tblHeader') !== true);
  return Math.max(1, end < 0 ? 1 : end);
}

function readCell(story: Story, table: TableItem, cell: GridCell, isHeader: boolean): TableCell {
  const { builder } = story.context;
  const tableNumber = builder.document.tables.length;
  let group: GroupItem | undefined;
  // The group is created with the first item, so that an empty cell adds no group.
  const getRoot = (): GroupItem => {
    group ??= builder.group('unspecified', {
      ...placeBelow(story, table),
      name: `rich_cell_group_${tableNumber}_${cell.column}_${cell.row}`,
    });
    return group;
  };
  const contents = listParagraphs(cell.element).map((paragraph) => story.runs.read(paragraph));
  const text = contents.map(({ textWithEquations }) => textWithEquations).join('\n');
  if (isRich(story, cell.element, contents)) {
    const inner = createStory(story.context, { part: story.part, runs: story.runs, layer: story.layer, root: getRoot });
    story.context.addBlocks(inner, cell.element);
    endStory(inner);
  }
  return {
    row_span: cell.rows,
    col_span: cell.columns,
    start_row_offset_idx: cell.row,
    end_row_offset_idx: cell.row + cell.rows,
    start_col_offset_idx: cell.column,
    end_col_offset_idx: cell.column + cell.columns,
    text,
    column_header: isHeader,
    row_header: false,
    row_section: false,
    fillable: false,
    ...(group === undefined ? {} : { ref: { $ref: group.self_ref } }),
  };
}

function listParagraphs(cell: XmlElement): XmlElement[] {
  return listElements(cell).flatMap((element) => {
    if (element.name === 'w:p') return element;
    return element.name === 'w:sdt' ? listElements(element, 'w:sdtContent').flatMap(listParagraphs) : [];
  });
}

/** A plain cell contains one paragraph of unformatted text. All other content is added as items below the table. */
function isRich(story: Story, cell: XmlElement, contents: readonly ParagraphContent[]): boolean {
  const blocks = listElements(cell).filter(({ name }) => name !== 'w:tcPr');
  const [only] = blocks;
  if (blocks.length > 1 || (only !== undefined && only.name !== 'w:p')) return true;
  if (only === undefined) return false;
  if (['w:drawing', 'w:pict'].some((name) => listDescendants(only, name).length > 0)) return true;
  const isBold = story.context.styles.isBold(only);
  // As in the reference, a single link counts as plain text; so does text that is bold only by its style.
  return contents.some(({ pieces }) =>
    pieces.some(
      (piece) =>
        piece.type === 'text' &&
        piece.hyperlink === null &&
        piece.formatting !== null &&
        !(isBold && isOnlyBold(piece.formatting)),
    ),
  );
}

function isOnlyBold({ bold, italic, underline, strikethrough, script }: Formatting): boolean {
  return bold && !italic && !underline && !strikethrough && script === 'baseline';
}
