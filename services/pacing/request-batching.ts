/**
 * Lets concurrent callers with the same key share one result that is never older than their call. A caller that arrives while a
 * request is running gets the result of the next one. At most two requests per key are pending.
 */
export function shareNextResult<T>(ask: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const running = new Map<string, Promise<T>>();
  const following = new Map<string, Promise<T>>();
  const start = (key: string): Promise<T> => {
    const asked = ask(key).finally(() => {
      if (running.get(key) === asked) running.delete(key);
    });
    running.set(key, asked);
    return asked;
  };
  return (key) => {
    const now = running.get(key);
    if (!now) return start(key);
    const next =
      following.get(key) ??
      now
        .catch(() => undefined)
        .then(() => {
          following.delete(key);
          return start(key);
        });
    following.set(key, next);
    return next;
  };
}

/** Like `shareNextResult`, but fetches all ids that are wanted at the same time with one request. */
export function batchReads<T extends { _id: string }>(
  ask: (ids: string[]) => Promise<T[]>,
): (id: string) => Promise<T | undefined> {
  let wanted = new Set<string>();
  const next = shareNextResult(async () => {
    const ids = [...wanted];
    wanted = new Set();
    return new Map((await ask(ids)).map((found) => [found._id, found]));
  });
  return async (id) => {
    wanted.add(id);
    return (await next('')).get(id);
  };
}

/**
 * Like `shareNextResult`, for changes: all values for a key that arrive at the same time are processed together, and each caller gets
 * its own result.
 */
export function batchWrites<V, T>(
  act: (key: string, values: V[]) => Promise<T[]>,
): (key: string, value: V) => Promise<T> {
  const coming = new Map<string, V[]>();
  const next = shareNextResult((key) => {
    const values = coming.get(key) ?? [];
    coming.delete(key);
    return act(key, values);
  });
  return async (key, value) => {
    const values = coming.get(key) ?? [];
    coming.set(key, values);
    const place = values.push(value) - 1;
    const results = await next(key);
    return results[place] as T;
  };
}
