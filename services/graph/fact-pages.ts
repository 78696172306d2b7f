import type { Collection, OptionalUnlessRequiredId } from 'mongodb';
import { iterateBatches } from '../../model/lists/batches';
import { isDuplicate } from '../storage/mongo';

/** Maximum facts or ids in one database call. */
export const pageSize = 1_000;

/** Groups items into arrays of up to `pageSize`. */
export async function* readPages<T>(found: AsyncIterable<T>): AsyncGenerator<T[]> {
  let page: T[] = [];
  for await (const item of found) {
    page.push(item);
    if (page.length < pageSize) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

/** Inserts facts. Another attempt of the same activity may have inserted some of them at the same moment. */
export async function insertAll<T extends { _id: string }>(
  collection: Collection<T>,
  facts: readonly T[],
): Promise<void> {
  for (const batch of iterateBatches(facts, pageSize))
    await collection.insertMany(batch as OptionalUnlessRequiredId<T>[], { ordered: false }).catch((error: unknown) => {
      if (!isDuplicate(error)) throw error;
    });
}
