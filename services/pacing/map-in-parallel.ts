/**
 * Calls `work` for each item, for at most `limit` items at a time. Results are in the order of the items. Rejects with the first
 * error, after which no further item is started; with p-limit, all would be.
 */
export async function mapInParallel<Item, Result>(
  items: readonly Item[],
  limit: number,
  work: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const workThrough = async () => {
    try {
      while (next < items.length) {
        const index = next;
        next += 1;
        results[index] = await work(items[index] as Item, index);
      }
    } catch (error) {
      next = items.length;
      throw error;
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, limit) }, workThrough));
  return results;
}
