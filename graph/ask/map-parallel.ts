/** Maps items with at most `count` at a time; results are in item order. Starts no new items after a failure. */
export async function mapParallel<T, R>(
  items: readonly T[],
  count: number,
  work: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const queue = items.entries();
  let hasFailed = false;
  const worker = async () => {
    for (const [index, item] of queue) {
      if (hasFailed) return;
      try {
        results[index] = await work(item, index);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, Math.min(count, items.length)) }, worker));
  return results;
}
