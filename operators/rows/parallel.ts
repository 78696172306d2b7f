import type { OperatorContext } from '../operator';

/**
 * Maps items with `work`, in order, with at most `maxConcurrent` at a time. The first failure aborts the signal passed to `work` and is
 * thrown. Progress counts items.
 */
export async function mapConcurrently<Item, Result>(
  items: readonly Item[],
  maxConcurrent: number,
  { signal: runSignal, progress }: Pick<OperatorContext, 'signal' | 'progress'>,
  work: (item: Item, signal: AbortSignal) => Promise<Result>,
): Promise<Result[]> {
  const failure = new AbortController();
  const signal = AbortSignal.any([runSignal, failure.signal]);
  const results: Result[] = Array.from({ length: items.length });
  let next = 0;
  let done = 0;
  const workInTurn = async () => {
    for (let index = next++; index < items.length; index = next++) {
      signal.throwIfAborted();
      results[index] = await work(items[index] as Item, signal);
      done += 1;
      progress(done, items.length);
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.min(maxConcurrent, items.length) }, workInTurn));
  } catch (error) {
    failure.abort(error);
    runSignal.throwIfAborted();
    throw error;
  }
  return results;
}
