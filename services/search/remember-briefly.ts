import type { Send } from './connection';

/** Cache time for data read from the index. */
const freshMs = 5_000;

/** Reads once for all callers of the next five seconds. A failure is not kept: the next caller reads again. */
export function rememberBriefly<T>(read: (send: Send) => Promise<T>): (send: Send) => Promise<T> {
  let cached: { readAt: number; found: Promise<T> } | undefined;
  return async (send) => {
    if (cached && performance.now() - cached.readAt < freshMs) return cached.found;
    const loading = read(send);
    cached = { readAt: performance.now(), found: loading };
    loading.catch(() => (cached = undefined));
    return loading;
  };
}
