/** A cached answer, its time of request, and the request that replaces it. */
interface Entry<T> {
  value: Promise<T>;
  at: number;
  renewal?: Promise<void>;
}

/**
 * Caches the answers of `ask` by key for `freshMs`. In the second half of this time an answer is replaced in the background,
 * so that a frequently used key never waits. Errors are not cached.
 */
export function createRenewingCache<T>(
  ask: (key: string) => Promise<T>,
  { freshMs, maxEntries, now }: { freshMs: number; maxEntries: number; now: () => number },
): (key: string) => Promise<T> {
  const entries = new Map<string, Entry<T>>();

  function renew(key: string): Promise<T> {
    if (entries.size >= maxEntries) entries.clear();
    const entry: Entry<T> = { value: ask(key), at: now() };
    entries.set(key, entry);
    entry.value.catch(() => {
      if (entries.get(key) === entry) entries.delete(key);
    });
    return entry.value;
  }
  async function renewInBackground(key: string, old: Entry<T>): Promise<void> {
    const at = now();
    const value = await ask(key).catch(() => undefined);
    if (value !== undefined && entries.get(key) === old) entries.set(key, { value: Promise.resolve(value), at });
  }
  return (key) => {
    const entry = entries.get(key);
    const age = entry ? now() - entry.at : Number.POSITIVE_INFINITY;
    if (!entry || age >= freshMs) return renew(key);
    if (age >= freshMs / 2) entry.renewal ??= renewInBackground(key, entry);
    return entry.value;
  };
}
