import { maxGridPlaces, tableCell } from '../../document/grid';
import type { TableData } from '../../document/model';
import { AppError } from '../../model/errors';
import { findLargest } from '../extremes';
import { readMarker } from './list-marker';
import { listNames, kind, property } from './properties';
import { listChildren, type Place, type Reading } from './reading';
import type { NoteObject } from './section';
import { readParagraph } from './text';

/** Adds a table. A single row without borders is a layout: its cells are added one after another. */
export function addTable(reading: Reading, table: NoteObject, place: Place): void {
  const { builder } = reading;
  const rows = listChildren(reading, table).filter((row) => row.kind === kind.row);
  const cells = rows.map((row) => listChildren(reading, row).filter((cell) => cell.kind === kind.cell));
  const columns = Math.max(0, findLargest(cells.map((row) => row.length)));
  if (columns === 0) return;
  const depth = place.depth + 1;
  const hasBorders = table.properties.get(property.hasBorders) !== false;
  if (!hasBorders && rows.length === 1) {
    for (const cell of cells[0]!)
      reading.addBlocks(reading, listChildren(reading, cell), { parent: place.parent, depth });
    return;
  }
  if (rows.length * columns > maxGridPlaces)
    throw new AppError('DOCUMENT_TOO_LARGE', `A table has more than ${maxGridPlaces} cells.`);
  const data: TableData = { table_cells: [], num_rows: rows.length, num_cols: columns };
  const item = builder.table(data, { parent: place.parent });
  const number = builder.document.tables.length - 1;
  for (const [row, inRow] of cells.entries())
    for (const [column, cell] of inRow.entries()) {
      const blocks = listChildren(reading, cell);
      const { text, isRich } = readCell(reading, blocks);
      const added = tableCell(row, column, text, { column_header: row === 0 });
      data.table_cells.push(added);
      if (!isRich) continue;
      const group = builder.group('unspecified', { parent: item, name: `rich_cell_group_${number}_${column}_${row}` });
      reading.addBlocks(reading, blocks, { parent: group, depth });
      if (group.children.length > 0) added.ref = { $ref: group.self_ref };
    }
}

/** The paragraphs of a cell, one per line. A cell with other content is rich. */
function readCell(reading: Reading, blocks: readonly NoteObject[]): { text: string; isRich: boolean } {
  const { space, maxDepth } = reading;
  const lines: string[] = [];
  const seen = new Set<NoteObject>();
  let isRich = false;
  const visit = (object: NoteObject, depth: number): void => {
    if (seen.has(object) || reading.seen.has(object) || depth > maxDepth) return;
    seen.add(object);
    if (object.kind === kind.text) {
      const { runs } = readParagraph(space, object);
      if (runs.some(({ formatting, hyperlink }) => formatting !== null || hyperlink !== null)) isRich = true;
      const line = runs.map((run) => run.text).join('');
      if (line !== '') lines.push(line);
      return;
    }
    // The text of tables in cells is in the content of the rich cell only.
    if (object.kind !== kind.element && object.kind !== kind.outline && object.kind !== kind.elements) {
      isRich = true;
      return;
    }
    if (readMarker(space, object)) isRich = true;
    for (const name of [...listNames(object, property.content), ...listNames(object, property.children)]) {
      const child = space.object(name);
      if (child) visit(child, depth + 1);
    }
  };
  for (const block of blocks) visit(block, 0);
  return { text: lines.join('\n'), isRich };
}
