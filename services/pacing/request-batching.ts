/**
 * Lets concurrent callers with the same key share one result that is never older than their call. A caller that arrives while a
 * request is running receives the result of the next request. At most two requests per key are pending.
 */
export function shareNextResult<T>(request: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const running = new Map<string, Promise<T>>();
  const following = new Map<string, Promise<T>>();
  const start = (key: string): Promise<T> => {
    const result = request(key).finally(() => {
      if (running.get(key) === result) running.delete(key);
    });
    running.set(key, result);
    return result;
  };
  return (key) => {
    const current = running.get(key);
    if (!current) return start(key);
    const next =
      following.get(key) ??
      current
        .catch(() => undefined)
        .then(() => {
          following.delete(key);
          return start(key);
        });
    following.set(key, next);
    return next;
  };
}

/** Like `shareNextResult`, but fetches all ids that callers want at the same time in one request. */
export function batchReads<T extends { _id: string }>(
  request: (ids: string[]) => Promise<T[]>,
): (id: string) => Promise<T | undefined> {
  let wantedIds = new Set<string>();
  const next = shareNextResult(async () => {
    const ids = [...wantedIds];
    wantedIds = new Set();
    return new Map((await request(ids)).map((record) => [record._id, record]));
  });
  return async (id) => {
    wantedIds.add(id);
    return (await next('')).get(id);
  };
}

/**
 * Like `shareNextResult`, for changes: all values for a key that arrive at the same time are processed together, and each caller
 * receives its own result.
 */
export function batchWrites<V, T>(
  act: (key: string, values: V[]) => Promise<T[]>,
): (key: string, value: V) => Promise<T> {
  const waiting = new Map<string, V[]>();
  const next = shareNextResult((key) => {
    const values = waiting.get(key) ?? [];
    waiting.delete(key);
    return act(key, values);
  });
  return async (key, value) => {
    const values = waiting.get(key) ?? [];
    waiting.set(key, values);
    const index = values.push(value) - 1;
    const results = await next(key);
    return results[index] as T;
  };
}
