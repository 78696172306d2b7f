/**
 * Lets those who ask for the same thing at once share the answer, which is never older than their question: who comes while
 * an answer is under way gets the next one. Two questions about one thing are under way at most.
 */
export function joinNext<T>(ask: (key: string) => Promise<T>): (key: string) => Promise<T> {
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

/** As `joinNext`, for things that can be asked for together: all that are wanted at once cost one question. */
export function askTogether<T extends { _id: string }>(
  ask: (ids: string[]) => Promise<T[]>,
): (id: string) => Promise<T | undefined> {
  let wanted = new Set<string>();
  const next = joinNext(async () => {
    const ids = [...wanted];
    wanted = new Set();
    return new Map((await ask(ids)).map((found) => [found._id, found]));
  });
  return async (id) => {
    wanted.add(id);
    return (await next('')).get(id);
  };
}

/** As `joinNext`, for what is done to a key with many values: all that come at once are done together, each by itself in the answer. */
export function doTogether<V, T>(
  act: (key: string, values: V[]) => Promise<T[]>,
): (key: string, value: V) => Promise<T> {
  const coming = new Map<string, V[]>();
  const next = joinNext((key) => {
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
