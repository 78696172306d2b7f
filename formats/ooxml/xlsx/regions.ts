import { columnLimit } from './cells';
import { type Grid, toCellKey, type Rectangle } from './grid';

/** The position of a table on the sheet, and the keys of its non-empty cells, row by row. */
export interface Region extends Rectangle {
  keys: number[];
}

/** Larger tables are split in two while most of their cells are empty. */
const maxSparsePlaces = 200_000;
/** A table with fewer places per non-empty cell is not sparse. */
const maxPlacesPerCell = 20;
/** A sheet with more separate ranges is a pattern rather than tables, and is read as one table. */
const maxRegions = 20_000;

/** Returns the connected ranges of a sheet, ordered by first cell. Cells of a merged range count as non-empty. */
export function findRegions(grid: Pick<Grid, 'cells' | 'merges'>): Region[] {
  const filled = new Set(grid.cells.keys());
  for (const { top, left, bottom, right } of grid.merges) {
    for (let row = top; row < bottom; row++) {
      for (let column = left; column < right; column++) filled.add(toCellKey(row, column));
    }
  }
  const keys = [...grid.cells.keys()].sort((a, b) => a - b);
  const seen = new Set<number>();
  const boxes: Rectangle[] = [];
  for (const key of keys) {
    if (!seen.has(key)) boxes.push(findConnected(key, filled, seen));
    if (boxes.length > maxRegions) return splitSparse(findBounds(keys));
  }
  return assignCells(boxes, keys);
}

/** Returns the smallest rectangle around all cells connected to this one by their sides. */
function findConnected(start: number, filled: ReadonlySet<number>, seen: Set<number>): Rectangle {
  const queue = [start];
  seen.add(start);
  const box = createEmptyBox();
  for (let key = queue.pop(); key !== undefined; key = queue.pop()) {
    const column = key % columnLimit;
    extendBox(box, key);
    const neighbours = [key - columnLimit, key + columnLimit];
    if (column > 0) neighbours.push(key - 1);
    if (column < columnLimit - 1) neighbours.push(key + 1);
    for (const next of neighbours) {
      if (!filled.has(next) || seen.has(next)) continue;
      seen.add(next);
      queue.push(next);
    }
  }
  return box;
}

/** Assigns every cell to the first rectangle that covers it, so that overlapping ranges are not written twice. */
function assignCells(boxes: Rectangle[], keys: readonly number[]): Region[] {
  const claimed = new Set<number>();
  const rows = collectRowIndex(keys);
  return boxes.flatMap((box) => {
    const ownKeys: number[] = [];
    for (let row = box.top; row < box.bottom; row++) {
      const columns = rows.get(row) ?? [];
      for (let at = findFirst(columns, box.left); at < columns.length && columns[at]! < box.right; at++) {
        const key = toCellKey(row, columns[at]!);
        if (claimed.has(key)) continue;
        claimed.add(key);
        ownKeys.push(key);
      }
    }
    return ownKeys.length === 0 ? [] : splitSparse({ ...box, keys: ownKeys });
  });
}

/** Binary search in ascending values: returns the index of the first value that is at least `min`. */
function findFirst(values: readonly number[], min: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle]! < min) low = middle + 1;
    else high = middle;
  }
  return low;
}

function collectRowIndex(keys: readonly number[]): Map<number, number[]> {
  const rows = new Map<number, number[]>();
  for (const key of keys) {
    const row = Math.floor(key / columnLimit);
    const columns = rows.get(row);
    if (columns === undefined) rows.set(row, [key % columnLimit]);
    else columns.push(key % columnLimit);
  }
  return rows;
}

/** Splits a large sparse table: a thin line of cells around a huge empty area would otherwise create a huge table. */
function splitSparse(region: Region): Region[] {
  const height = region.bottom - region.top;
  const width = region.right - region.left;
  const places = height * width;
  if (places <= maxSparsePlaces || places <= region.keys.length * maxPlacesPerCell) return [region];
  const isTall = height >= width;
  const middle = isTall ? region.top + (height >> 1) : region.left + (width >> 1);
  const getPosition = (key: number) => (isTall ? Math.floor(key / columnLimit) : key % columnLimit);
  return [
    region.keys.filter((key) => getPosition(key) < middle),
    region.keys.filter((key) => getPosition(key) >= middle),
  ]
    .filter((keys) => keys.length > 0)
    .map(findBounds)
    .flatMap(splitSparse);
}

function findBounds(keys: number[]): Region {
  const box = createEmptyBox();
  for (const key of keys) extendBox(box, key);
  return { ...box, keys };
}

function createEmptyBox(): Rectangle {
  return { top: Infinity, left: Infinity, bottom: 0, right: 0 };
}

function extendBox(box: Rectangle, key: number): void {
  const row = Math.floor(key / columnLimit);
  const column = key % columnLimit;
  box.top = Math.min(box.top, row);
  box.left = Math.min(box.left, column);
  box.bottom = Math.max(box.bottom, row + 1);
  box.right = Math.max(box.right, column + 1);
}
