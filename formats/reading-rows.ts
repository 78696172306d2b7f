/** A position on a page; y grows downwards. */
export interface RowPlace {
  left: number;
  top: number;
  bottom: number;
}

/**
 * Sorts items, which drawings list by depth, into rows from top to bottom, and each row from left to right. An item belongs to
 * a row if its middle is above the bottom of the row's first item.
 */
export function sortReadingRows<Item extends RowPlace>(items: readonly Item[]): Item[] {
  const rows: Item[][] = [];
  let bottom = -Infinity;
  for (const item of items.toSorted((first, second) => first.top - second.top)) {
    const row = rows.at(-1);
    if (row && (item.top + item.bottom) / 2 < bottom) row.push(item);
    else {
      rows.push([item]);
      ({ bottom } = item);
    }
  }
  return rows.flatMap((row) => row.toSorted((first, second) => first.left - second.left));
}
