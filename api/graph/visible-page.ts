import { AppError } from '../../model/errors';
import type { PageCursors } from '../../services/storage/page-cursors';

/** How often one request reads on when it finds too few visible items. */
const maxReads = 25;

/** How to read a list of which the reader may see only some items. */
interface Visible<Item, Shown> {
  /** Items in the order of their keys, after the given key. */
  read: (page: { after: string; limit: number }) => Promise<readonly Item[]>;
  getKey: (item: Item) => string;
  /** The visible form of each item; items that are missing from the result stay hidden. */
  show: (items: readonly Item[]) => Promise<ReadonlyMap<Item, Shown>>;
}

/** Where a page of such a list starts, and how to read on. */
interface Page {
  /** The `next` value of the previous page; absent for the first. */
  after?: string;
  limit: number;
  /** How many items one call of `read` returns. */
  itemsPerRead: number;
  cursors: PageCursors;
  /** Names the list and its reader. */
  place: string;
}

/**
 * A page of the items that the reader may see, and the cursor of the next page, which does not reveal a key: it may be that of
 * a hidden item. Skips hidden items, so that page sizes do not reveal how many there are. May have fewer than `limit` items
 * although more follow.
 */
export async function readVisiblePage<Item, Shown>(
  { after, limit, itemsPerRead, cursors, place }: Page,
  { read, getKey, show }: Visible<Item, Shown>,
): Promise<{ items: Shown[]; next: string | null }> {
  const shown: { key: string; item: Shown }[] = [];
  let from = after === undefined ? '' : openCursor(cursors, after, place);
  let isEnd = false;
  for (let reads = 0; reads < maxReads && !isEnd && shown.length <= limit; reads += 1) {
    const items = await read({ after: from, limit: itemsPerRead });
    const visible = await show(items);
    for (const entry of items) {
      const item = visible.get(entry);
      if (item !== undefined) shown.push({ key: getKey(entry), item });
    }
    const last = items.at(-1);
    isEnd = items.length < itemsPerRead;
    from = last === undefined ? from : getKey(last);
  }
  const lastRead = isEnd ? undefined : from;
  const next = shown.length > limit ? shown[limit - 1]?.key : lastRead;
  return {
    items: shown.slice(0, limit).map(({ item }) => item),
    next: next === undefined ? null : cursors.seal(next, place),
  };
}

function openCursor(cursors: PageCursors, after: string, place: string): string {
  const key = cursors.open(after, place);
  if (key !== undefined) return key;
  throw new AppError('VALIDATION_ERROR', "Parameter 'after' must be the `next` of a page of this list.", {
    target: { type: 'parameter', name: 'after' },
  });
}
