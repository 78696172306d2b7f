import type { DocumentBuilder } from '../../../document/builder';
import type { Provenance } from '../../../document/model';
import { AppError } from '../../../model/errors';
import type { ReadOptions } from '../../format';
import { addComments } from './comments';
import { createControlReader } from './controls';
import { readDrawing } from './drawing';
import type { Grid, Rectangle } from './grid';
import { addFurniture } from './header-footer';
import { findRegions } from './regions';
import { indexMerges, toTable } from './table';
import {
  readGridOnce,
  type ItemOptions,
  type PlacedItem,
  type SheetRef,
  type WorkbookContext,
} from './workbook-context';

/** Adds all sheets of a workbook in order. Throws DOCUMENT_TOO_LARGE if there are too many. */
export function addSheets(context: WorkbookContext, { limits }: Pick<ReadOptions, 'limits'>): void {
  const { sheets } = context;
  if (sheets.length > limits.maxPages) {
    throw new AppError(
      'DOCUMENT_TOO_LARGE',
      `The workbook has ${sheets.length} sheets; the limit is ${limits.maxPages}.`,
    );
  }
  const readControls = createControlReader(context);
  for (const sheet of sheets) addSheet(context, sheet, readControls(sheet));
}

/** Adds a sheet as a group of tables, texts, pictures and charts from top to bottom. Boxes are measured in cells. */
function addSheet(context: WorkbookContext, sheet: SheetRef, controls: readonly PlacedItem[]): void {
  const { builder } = context;
  const layer = sheet.isHidden ? 'invisible' : 'body';
  const parent = builder.group('sheet', { name: sheet.name, layer });
  const grid = readGridOnce(context, sheet.part);
  const items = [...addTableItems(builder, grid), ...readDrawing(context, sheet, grid), ...controls];
  const whole = addItems(builder, { parent, layer, pageNo: sheet.pageNo }, items);
  addFurniture(builder, grid, { parent, sheet: sheet.name, prov: [whole] });
  addComments(context, sheet);
}

/** Adds the items of a sheet from top to bottom, and its page. Returns the provenance of the whole sheet. */
export function addItems(
  builder: DocumentBuilder,
  { parent, layer, pageNo }: Pick<ItemOptions, 'parent' | 'layer'> & { pageNo: number },
  items: PlacedItem[],
): Provenance {
  let width = 0;
  let height = 0;
  // Array.sort is stable: items that start in the same row stay ordered from left to right.
  for (const { place, add } of items.sort((a, b) => a.place.top - b.place.top)) {
    width = Math.max(width, place.right);
    height = Math.max(height, place.bottom);
    add({ parent, layer, prov: [buildProvenance(pageNo, place)] });
  }
  builder.page(pageNo, width, height);
  return buildProvenance(pageNo, { top: 0, left: 0, right: width, bottom: height });
}

/** Returns the tables of a sheet and the labels above them. */
export function addTableItems(builder: DocumentBuilder, grid: Grid): PlacedItem[] {
  const merges = indexMerges(grid);
  return findRegions(grid).flatMap((region) => {
    const { label, place, data } = toTable(grid, region, merges);
    const table: PlacedItem = { place, add: (options) => void builder.table(data, options) };
    if (label === undefined) return [table];
    return [{ place: label.place, add: (options) => void builder.text('text', label.text, options) }, table];
  });
}

function buildProvenance(pageNo: number, { left, top, right, bottom }: Rectangle): Provenance {
  return { page_no: pageNo, bbox: { l: left, t: top, r: right, b: bottom, coord_origin: 'TOPLEFT' }, charspan: [0, 0] };
}
