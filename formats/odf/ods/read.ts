import { createDocument } from '../../../document/builder';
import type { Provenance } from '../../../document/model';
import { AppError } from '../../../model/errors';
import { findLargest } from '../../extremes';
import { type ReadDocument, getStem } from '../../format';
import { columnLimit } from '../../ooxml/xlsx/cells';
import { reportUnreadFormulas } from '../../ooxml/xlsx/formulas';
import { createMergeList, toCellKey, type Rectangle } from '../../ooxml/xlsx/grid';
import { findRegions, type Region } from '../../ooxml/xlsx/regions';
import { findChild, listElements, type XmlElement } from '../../xml/xml';
import { createContext } from '../blocks';
import type { OdfContext } from '../context';
import { addDrawing } from '../drawing';
import { addPageFurniture } from '../furniture';
import { openOdf } from '../package';
import { addRange, type OdfGrid, type Range, readGrid } from '../table';

/** Reads a spreadsheet: one group and one page per sheet, one table per connected range of cells. */
export const read: ReadDocument = (bytes, options) => {
  const { name, limits, profile } = options;
  const office = openOdf(bytes, options, 'spreadsheet');
  const sheets = listElements(office.body, 'table:table');
  if (sheets.length > limits.maxPages) {
    throw new AppError('DOCUMENT_TOO_LARGE', `'${name}' has ${sheets.length} sheets; the limit is ${limits.maxPages}.`);
  }
  const context = createContext(createDocument(getStem(name)), office, options);
  let cells = 0;
  for (const [index, sheet] of sheets.entries()) {
    const grid = readGrid(sheet, cells);
    cells += grid.cells.length;
    addSheet(context, sheet, index + 1, grid);
  }
  if (profile !== 'reference') addPageFurniture(context);
  if (context.formulas) reportUnreadFormulas(context.formulas, options.warn);
  return context.builder.document;
};

function addSheet(context: OdfContext, sheet: XmlElement, page: number, grid: OdfGrid): void {
  const { builder, styles } = context;
  const properties = findChild(styles.find('table', sheet.attributes['table:style-name']), 'style:table-properties');
  const layer = properties?.attributes['table:display'] === 'false' ? 'invisible' : 'body';
  const name = sheet.attributes['table:name'] ?? `Sheet${page}`;
  const parent = builder.group('section', { name: `sheet: ${name}`, layer });
  const ranges = listRanges(grid);
  const cells = new Map(grid.cells.map((cell) => [toCellKey(cell.row, cell.column), cell]));
  for (const range of ranges) {
    const rangeGrid = { ...grid, cells: range.keys.flatMap((key) => cells.get(key) ?? []) };
    addRange(context, rangeGrid, range, { parent, layer, prov: () => [buildProvenance(page, range)] });
  }
  const width = Math.max(1, findLargest(ranges.map(({ right }) => right)));
  const height = Math.max(1, findLargest(ranges.map(({ bottom }) => bottom)));
  builder.page(page, width, height);
  const whole = { top: 0, left: 0, bottom: height, right: width };
  for (const drawing of listDrawings(sheet, grid)) {
    addDrawing(context, drawing, { parent, layer, prov: () => [buildProvenance(page, whole)] });
  }
}

/** Returns the box of a range in rows and columns, not in points. */
function buildProvenance(page: number, { left, top, right, bottom }: Range): Provenance {
  const bbox = { l: left, t: top, r: right, b: bottom, coord_origin: 'TOPLEFT' as const };
  return { page_no: page, bbox, charspan: [0, 0] };
}

function listRanges({ cells, rows, columns }: OdfGrid): Region[] {
  // Cells beyond the last column would be read as cells of the next row.
  const cellsInGrid = cells.filter(({ column }) => column < columnLimit);
  const merges: Rectangle[] = [];
  const addMerge = createMergeList(merges);
  for (const { row, column, rowSpan, columnSpan } of cellsInGrid) {
    if (rowSpan <= 1 && columnSpan <= 1) continue;
    const right = Math.min(column + columnSpan, columns, columnLimit);
    addMerge({ top: row, left: column, bottom: Math.min(row + rowSpan, rows), right });
  }
  const filled = new Map(cellsInGrid.map(({ row, column }) => [toCellKey(row, column), '']));
  return findRegions({ cells: filled, merges });
}

/** Returns the drawings on the sheet itself and those anchored to a cell. Drawings in the text of a cell belong to the cell. */
function listDrawings(sheet: XmlElement, { cells }: OdfGrid): XmlElement[] {
  const isDrawing = ({ name }: XmlElement) => name === 'draw:g' || name === 'draw:custom-shape';
  const onCells = new Set(cells.flatMap(({ element }) => listElements(element).filter(isDrawing)));
  return [...listElements(findChild(sheet, 'table:shapes')), ...onCells];
}
