import type { Collection, Filter, Sort } from 'mongodb';

/** Which records of a list a page holds, in which order. */
export interface PageQuery {
  sort: Sort;
  limit: number;
  offset: number;
}

/** One page of the matching records, each as `read` returns it, and the number of all of them. */
export async function readPage<T extends { _id: string }, Item>(
  collection: Collection<T>,
  filter: Filter<T>,
  { sort, limit, offset }: PageQuery,
  read: (stored: T) => Item,
): Promise<{ items: Item[]; total: number }> {
  const [total, records] = await Promise.all([
    collection.countDocuments(filter),
    collection.find(filter).sort(sort).skip(offset).limit(limit).toArray(),
  ]);
  return { items: (records as T[]).map((record) => read(record)), total };
}
