import type { Collection, Document, Filter, Sort } from 'mongodb';

/** Which records of a list a page holds, in which order. */
export interface PageQuery {
  sort: Sort;
  limit: number;
  offset: number;
  /** The members to read; by default all. */
  projection?: Document;
}

/** One page of the matching records, each as `read` returns it, and the number of all of them. */
export async function readPage<T extends { _id: string }, Item>(
  collection: Collection<T>,
  filter: Filter<T>,
  { sort, limit, offset, projection }: PageQuery,
  read: (stored: T) => Item,
): Promise<{ items: Item[]; total: number }> {
  const page = collection.find(filter, projection ? { projection } : {}).sort(sort);
  const records = await page.skip(offset).limit(limit).toArray();
  // Most lists end on their first page, which then tells their length.
  const isEnd = records.length < limit && (records.length > 0 || offset === 0);
  const total = isEnd ? offset + records.length : await collection.countDocuments(filter);
  return { items: (records as T[]).map((record) => read(record)), total };
}
