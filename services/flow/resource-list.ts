import type { Collection, Filter, Sort } from 'mongodb';
import type { ResourceQuery } from './ports';

/** A filter by part of a name, case-insensitive. */
export function createNameFilter(name: string): { $regex: string; $options: string } {
  return { $regex: name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), $options: 'i' };
}

/** One page of the matches, and their total. Equal values are ordered by id, so that pages do not overlap. */
export async function readPage<T extends { _id: string }>(
  collection: Collection<T>,
  filter: Filter<T>,
  { limit, offset, sort = '-created_on' }: ResourceQuery,
): Promise<{ items: T[]; total: number }> {
  const order: Sort = { [sort.replace(/^-/, '')]: sort.startsWith('-') ? -1 : 1, _id: 1 };
  const [total, items] = await Promise.all([
    collection.countDocuments(filter),
    collection.find(filter).sort(order).skip(offset).limit(limit).toArray(),
  ]);
  return { items: items as T[], total };
}
