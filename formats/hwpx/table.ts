import { maxGridPlaces, tableCell } from '../../document/grid';
import type { TableData } from '../../document/model';
import { AppError } from '../../model/errors';
import { findLargest } from '../extremes';
import { findChild, listElements, type XmlElement } from '../xml/xml';
import { type Place, type Reading, readBlockText } from './context';
import { listParagraphs } from './package';

interface Cell {
  element: XmlElement;
  row: number;
  column: number;
  rowSpan: number;
  columnSpan: number;
}

/** Objects in a cell that need more than its text. */
const richObject = /^hp:(?:tbl|pic|container)$/;

/** Adds a table with its caption. A table of a single cell is a box around its content. */
export function addTable(reading: Reading, table: XmlElement, place: Place): void {
  const cells = listCells(table);
  const [only] = cells;
  if (cells.length === 1 && only && only.rowSpan === 1 && only.columnSpan === 1) {
    reading.addBlocks(reading, listParagraphs(findChild(only.element, 'hp:subList')), place);
    return;
  }
  if (cells.length === 0) return;
  const rows = findLargest(cells.map(({ row, rowSpan }) => row + rowSpan));
  const columns = findLargest(cells.map(({ column, columnSpan }) => column + columnSpan));
  if (rows * columns > maxGridPlaces)
    throw new AppError('DOCUMENT_TOO_LARGE', `A table has more than ${maxGridPlaces} places.`);
  const caption = readBlockText(reading, findChild(table, 'hp:caption'));
  const captions = caption === '' ? [] : [reading.builder.text('caption', caption, place)];
  const data: TableData = { table_cells: [], num_rows: rows, num_cols: columns };
  const item = reading.builder.table(data, { ...place, captions });
  const number = reading.builder.document.tables.length - 1;
  const hasHeaderCells = cells.some(({ element }) => element.attributes['header'] === '1');
  for (const { element, row, column, rowSpan, columnSpan } of cells) {
    const list = findChild(element, 'hp:subList');
    const isHeader = hasHeaderCells ? element.attributes['header'] === '1' : row === 0;
    const added = tableCell(row, column, readBlockText(reading, list), {
      row_span: rowSpan,
      col_span: columnSpan,
      column_header: isHeader,
    });
    data.table_cells.push(added);
    if (!containsObject(list)) continue;
    const name = `rich_cell_group_${number}_${column}_${row}`;
    const group = reading.builder.group('unspecified', { parent: item, name });
    reading.addBlocks(reading, listParagraphs(list), { parent: group });
    if (group.children.length > 0) added.ref = { $ref: group.self_ref };
  }
}

function listCells(table: XmlElement): Cell[] {
  return listElements(table, 'hp:tr').flatMap((line, index) =>
    listElements(line, 'hp:tc').map((element, at) => {
      const [address, span] = [findChild(element, 'hp:cellAddr'), findChild(element, 'hp:cellSpan')];
      return {
        element,
        row: parseCount(address?.attributes['rowAddr'], index),
        column: parseCount(address?.attributes['colAddr'], at),
        rowSpan: Math.max(1, parseCount(span?.attributes['rowSpan'], 1)),
        columnSpan: Math.max(1, parseCount(span?.attributes['colSpan'], 1)),
      };
    }),
  );
}

/** Parses a whole number from 0 to the largest number of places of a table. */
function parseCount(text: string | undefined, otherwise: number): number {
  const number = Number(text);
  return text !== undefined && Number.isInteger(number) && number >= 0 && number <= maxGridPlaces ? number : otherwise;
}

/** True if the paragraphs of a cell contain tables or pictures. */
function containsObject(list: XmlElement | undefined): boolean {
  return listParagraphs(list).some((paragraph) =>
    listElements(paragraph, 'hp:run').some((run) => listElements(run).some(({ name }) => richObject.test(name))),
  );
}
