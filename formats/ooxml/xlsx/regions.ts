import { columnLimit, type Grid, keyOf, type Rectangle } from './grid';

/** A table's place on the sheet and the keys of the cells in it that hold something, row by row. */
export interface Region extends Rectangle {
  keys: number[];
}

/** Tables of more places are cut in two as long as most of them is empty. */
const maxSparsePlaces = 200_000;
/** A sheet of more loose ranges is a pattern, not tables: it is read as one. */
const maxRegions = 20_000;

/** The connected ranges of a sheet, by their first cell. Cells of a merged range count as filled. */
export function findRegions(grid: Pick<Grid, 'cells' | 'merges'>): Region[] {
  const filled = new Set(grid.cells.keys());
  for (const { top, left, bottom, right } of grid.merges) {
    for (let row = top; row < bottom; row++) {
      for (let column = left; column < right; column++) filled.add(keyOf(row, column));
    }
  }
  const keys = [...grid.cells.keys()].sort((a, b) => a - b);
  const seen = new Set<number>();
  const boxes: Rectangle[] = [];
  for (const key of keys) {
    if (!seen.has(key)) boxes.push(flood(key, filled, seen));
    if (boxes.length > maxRegions) return splitSparse(around(keys));
  }
  return claim(boxes, keys);
}

/** The smallest rectangle around everything that touches the cell by a side. */
function flood(start: number, filled: ReadonlySet<number>, seen: Set<number>): Rectangle {
  const queue = [start];
  seen.add(start);
  const box = { top: Infinity, left: Infinity, bottom: 0, right: 0 };
  for (let key = queue.pop(); key !== undefined; key = queue.pop()) {
    const row = Math.floor(key / columnLimit);
    const column = key % columnLimit;
    box.top = Math.min(box.top, row);
    box.left = Math.min(box.left, column);
    box.bottom = Math.max(box.bottom, row + 1);
    box.right = Math.max(box.right, column + 1);
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

/** Gives every cell to the first rectangle that covers it, so that a range in another's corner is not written twice. */
function claim(boxes: Rectangle[], keys: readonly number[]): Region[] {
  const claimed = new Set<number>();
  const rows = rowIndex(keys);
  return boxes.flatMap((box) => {
    const own: number[] = [];
    for (let row = box.top; row < box.bottom; row++) {
      const columns = rows.get(row) ?? [];
      for (let at = firstAtLeast(columns, box.left); at < columns.length && columns[at]! < box.right; at++) {
        const key = keyOf(row, columns[at]!);
        if (claimed.has(key)) continue;
        claimed.add(key);
        own.push(key);
      }
    }
    return own.length === 0 ? [] : splitSparse({ ...box, keys: own });
  });
}

/** Index of the first value that is not below `least`, in ascending values. */
function firstAtLeast(values: readonly number[], least: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle]! < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

function rowIndex(keys: readonly number[]): Map<number, number[]> {
  const rows = new Map<number, number[]>();
  for (const key of keys) {
    const row = Math.floor(key / columnLimit);
    const columns = rows.get(row);
    if (columns === undefined) rows.set(row, [key % columnLimit]);
    else columns.push(key % columnLimit);
  }
  return rows;
}

/** A thin line of cells around a huge empty field would make a huge table; its halves are tables of their own. */
function splitSparse(region: Region): Region[] {
  const height = region.bottom - region.top;
  const width = region.right - region.left;
  const places = height * width;
  if (places <= maxSparsePlaces || places <= region.keys.length * 20) return [region];
  const isTall = height >= width;
  const middle = isTall ? region.top + (height >> 1) : region.left + (width >> 1);
  const position = (key: number) => (isTall ? Math.floor(key / columnLimit) : key % columnLimit);
  return [region.keys.filter((key) => position(key) < middle), region.keys.filter((key) => position(key) >= middle)]
    .filter((keys) => keys.length > 0)
    .map(around)
    .flatMap(splitSparse);
}

function around(keys: number[]): Region {
  const box = { top: Infinity, left: Infinity, bottom: 0, right: 0 };
  for (const key of keys) {
    const row = Math.floor(key / columnLimit);
    const column = key % columnLimit;
    box.top = Math.min(box.top, row);
    box.left = Math.min(box.left, column);
    box.bottom = Math.max(box.bottom, row + 1);
    box.right = Math.max(box.right, column + 1);
  }
  return { ...box, keys };
}
