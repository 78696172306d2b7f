import type { Send } from './connection';

/** Cache time for data read from the index. */
const freshMs = 5_000;

/** Reads once for all callers of the next five seconds. A failure is not kept: the next caller reads again. */
export function rememberBriefly<T>(read: (send: Send) => Promise<T>): (send: Send) => Promise<T> {
  let known: { readAt: number; found: Promise<T> } | undefined;
  return async (send) => {
    if (known && performance.now() - known.readAt < freshMs) return known.found;
    const found = read(send);
    known = { readAt: performance.now(), found };
    found.catch(() => (known = undefined));
    return found;
  };
}
