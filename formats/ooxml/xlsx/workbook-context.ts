import type { DocumentBuilder } from '../../../document/builder';
import type { ImageRef, Provenance } from '../../../document/model';
import { maxPoints } from '../chart';
import type { OoxmlPackage } from '../package';
import { type Grid, toCellKey, parseRange, type Rectangle } from './grid';

/** A sheet as listed in the workbook. */
export interface SheetRef {
  name: string;
  part: string;
  isHidden: boolean;
  pageNo: number;
}

/** A comment on a cell; `author` is empty if unknown. */
export interface CellComment {
  author: string;
  time: string | undefined;
  text: string;
}

/** Data shared by all sheets. */
export interface WorkbookContext {
  builder: DocumentBuilder;
  office: OoxmlPackage;
  sheets: readonly SheetRef[];
  image: (part: string) => ImageRef | undefined;
  /** Reads the cells of a sheet part. */
  readGrid: (part: string) => Grid;
  /** Reads the comments of a part by cell, such as `B7`. */
  readComments: (part: string) => [cell: string, comments: CellComment[]][];
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

/** Reads the cells of a sheet part, or returns those read before. */
export function readGridOnce({ readGrid, grids }: WorkbookContext, part: string): Grid {
  let grid = grids.get(part);
  if (grid === undefined) {
    grid = readGrid(part);
    grids.set(part, grid);
  }
  return grid;
}

/** Returns the texts of a chart's reference such as `'My Sheet'!$B$2:$B$7`; undefined if it is invalid or too large. */
export function resolveCells(context: WorkbookContext, reference: string): string[] | undefined {
  const bang = reference.lastIndexOf('!');
  const name = reference
    .slice(0, bang)
    .replace(/^'([\s\S]*)'$/, '$1')
    .replaceAll("''", "'");
  const sheet = context.sheets.find((candidate) => candidate.name === name);
  const range = parseRange(reference.slice(bang + 1));
  if (sheet === undefined || range === undefined) return undefined;
  if ((range.bottom - range.top) * (range.right - range.left) > maxPoints) return undefined;
  const { cells } = readGridOnce(context, sheet.part);
  const texts: string[] = [];
  for (let row = range.top; row < range.bottom; row++) {
    for (let column = range.left; column < range.right; column++) texts.push(cells.get(toCellKey(row, column)) ?? '');
  }
  return texts;
}
