import type { DocumentBuilder } from '../../../document/builder';
import type { ImageRef, Provenance } from '../../../document/model';
import type { OoxmlPackage } from '../package';
import type { CellFormats } from './cell-format';
import { addComments } from './comments';
import { readDrawing } from './drawing';
import { type Grid, keyOf, parseRange, readGrid, type Rectangle } from './grid';
import { addFurniture } from './header-footer';
import { findRegions } from './regions';
import { indexMerges, toTable } from './table';

/** A sheet as listed in the workbook. */
export interface SheetRef {
  name: string;
  part: string;
  isHidden: boolean;
  pageNo: number;
}

/** Data shared by all sheets. */
export interface WorkbookContext {
  builder: DocumentBuilder;
  office: OoxmlPackage;
  sheets: readonly SheetRef[];
  image: (part: string) => ImageRef | undefined;
  strings: readonly string[];
  formats: CellFormats;
  /** Sheets read so far, by part. Charts may refer to any of them. */
  grids: Map<string, Grid>;
}

/** An item on the sheet with its position in cells. */
export interface PlacedItem {
  place: Rectangle;
  add: (options: ItemOptions) => void;
}
/** Where the item is added to the document. */
export interface ItemOptions {
  parent: ReturnType<DocumentBuilder['group']>;
  layer: 'body' | 'invisible';
  prov: Provenance[];
}

/** Adds a sheet as a group of tables, texts, pictures and charts from top to bottom. Boxes are measured in cells. */
export function addSheet(context: WorkbookContext, sheet: SheetRef): void {
  const { builder } = context;
  const layer = sheet.isHidden ? 'invisible' : 'body';
  const parent = builder.group('sheet', { name: sheet.name, layer });
  const grid = gridOf(context, sheet.part);
  const items = [...tableItems(builder, grid), ...readDrawing(context, sheet, grid)];
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
    add({ parent, layer, prov: [provenanceOf(pageNo, place)] });
  }
  builder.page(pageNo, width, height);
  return provenanceOf(pageNo, { top: 0, left: 0, right: width, bottom: height });
}

/** Returns the tables of a sheet and the labels above them. */
export function tableItems(builder: DocumentBuilder, grid: Grid): PlacedItem[] {
  const merges = indexMerges(grid);
  return findRegions(grid).flatMap((region) => {
    const { label, place, data } = toTable(grid, region, merges);
    const table: PlacedItem = { place, add: (options) => void builder.table(data, options) };
    if (label === undefined) return [table];
    return [{ place: label.place, add: (options) => void builder.text('text', label.text, options) }, table];
  });
}

function provenanceOf(pageNo: number, { left, top, right, bottom }: Rectangle): Provenance {
  return { page_no: pageNo, bbox: { l: left, t: top, r: right, b: bottom, coord_origin: 'TOPLEFT' }, charspan: [0, 0] };
}

function gridOf({ office, strings, formats, grids }: WorkbookContext, part: string): Grid {
  let grid = grids.get(part);
  if (grid === undefined) {
    grid = readGrid(office, part, strings, formats);
    grids.set(part, grid);
  }
  return grid;
}

/** Returns the texts of a reference such as `'My Sheet'!$B$2:$B$7`; undefined if it is invalid. */
export function resolveCells(context: WorkbookContext, reference: string): string[] | undefined {
  const bang = reference.lastIndexOf('!');
  const name = reference
    .slice(0, bang)
    .replace(/^'([\s\S]*)'$/, '$1')
    .replaceAll("''", "'");
  const sheet = context.sheets.find((candidate) => candidate.name === name);
  const range = parseRange(reference.slice(bang + 1));
  if (sheet === undefined || range === undefined) return undefined;
  if ((range.bottom - range.top) * (range.right - range.left) > 20_000) return undefined;
  const { cells } = gridOf(context, sheet.part);
  const texts: string[] = [];
  for (let row = range.top; row < range.bottom; row++) {
    for (let column = range.left; column < range.right; column++) texts.push(cells.get(keyOf(row, column)) ?? '');
  }
  return texts;
}
