import { tableCell } from '../../../document/grid';
import type { TableData } from '../../../document/model';
import { columnLimit } from './cells';
import { type Grid, toCellKey, type Rectangle } from './grid';
import type { Region } from './regions';

/** A table of a sheet, with the label from a merged row above it. */
export interface SheetTable {
  label: { text: string; place: Rectangle } | undefined;
  place: Rectangle;
  data: TableData;
}

/** Tables up to this size are written with their empty cells, larger ones only with content. */
const maxWrittenPlaces = 50_000;

/** Converts a region to a table with its first row as header. */
export function toTable(grid: Grid, region: Region, merges: Merges): SheetTable {
  const label = findLabel(grid, region, merges);
  const place: Rectangle = label === undefined ? region : { ...region, top: region.top + 1 };
  const data: TableData = { table_cells: [], num_rows: place.bottom - place.top, num_cols: place.right - place.left };
  for (const key of iteratePlaces(place, region.keys, merges)) {
    const row = Math.floor(key / columnLimit) - place.top;
    const column = (key % columnLimit) - place.left;
    const merge = merges.anchors.get(key);
    const rowSpan = merge === undefined ? 1 : Math.min(merge.bottom, place.bottom) - merge.top;
    const columnSpan = merge === undefined ? 1 : Math.min(merge.right, place.right) - merge.left;
    const cell = tableCell(row, column, grid.cells.get(key) ?? '', {
      row_span: rowSpan,
      col_span: columnSpan,
      column_header: row === 0,
    });
    const value = grid.values.get(key);
    if (value !== undefined) cell.value = value;
    const formula = grid.formulas.get(key);
    if (formula !== undefined) cell.formula = formula;
    data.table_cells.push(cell);
  }
  return { label, place, data };
}

/** The merged ranges of a sheet by position. */
export interface Merges {
  anchors: ReadonlyMap<number, Rectangle>;
  /** Positions covered by a merge, except its first cell. */
  covered: ReadonlySet<number>;
}

/** Indexes the merged ranges of a sheet by position. */
export function indexMerges({ merges }: Grid): Merges {
  const anchors = new Map<number, Rectangle>();
  const covered = new Set<number>();
  for (const merge of merges) {
    anchors.set(toCellKey(merge.top, merge.left), merge);
    for (let row = merge.top; row < merge.bottom; row++) {
      for (let column = merge.left; column < merge.right; column++) covered.add(toCellKey(row, column));
    }
    covered.delete(toCellKey(merge.top, merge.left));
  }
  return { anchors, covered };
}

function* iteratePlaces(place: Rectangle, keys: readonly number[], { covered }: Merges): Generator<number> {
  if ((place.bottom - place.top) * (place.right - place.left) > maxWrittenPlaces) {
    for (const key of keys) if (key >= toCellKey(place.top, 0) && !covered.has(key)) yield key;
    return;
  }
  for (let row = place.top; row < place.bottom; row++) {
    for (let column = place.left; column < place.right; column++) {
      if (!covered.has(toCellKey(row, column))) yield toCellKey(row, column);
    }
  }
}

/** Returns the label of a table: a first row with only one merged cell above at least two headers. */
function findLabel(grid: Grid, region: Region, { anchors }: Merges): SheetTable['label'] {
  if (region.bottom - region.top < 2) return undefined;
  const isFilled = (key: number) => (grid.cells.get(key) ?? '').trim() !== '';
  const listFilled = (row: number) =>
    region.keys.filter((key) => Math.floor(key / columnLimit) === row && isFilled(key));
  const [first, second] = listFilled(region.top);
  if (first === undefined || second !== undefined || first % columnLimit !== region.left) return undefined;
  const merge = anchors.get(first);
  if (merge === undefined || merge.bottom - merge.top !== 1 || merge.right - merge.left < 2) return undefined;
  const headers = listFilled(region.top + 1).filter((key) => {
    const below = anchors.get(key);
    return below === undefined || below.right - below.left === 1;
  });
  return headers.length < 2 ? undefined : { text: grid.cells.get(first)!, place: merge };
}
