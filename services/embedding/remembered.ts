import { type EmbeddingCache, buildVectorKey } from './embedding-cache';

/** How to get vectors, with and without the cache. */
export interface Remembered {
  cache: Pick<EmbeddingCache, 'get' | 'put'> | undefined;
  /** Identifies the settings that determine the vectors. Cached vectors of another space are not used. */
  space: string;
  request: (texts: readonly string[], onBatch: (from: number, vectors: number[][]) => Promise<void>) => Promise<void>;
  /** Called with the number of cached texts, if there are any. */
  onCached: (count: number) => void;
  progress: (done: number) => void;
}

/**
 * Returns one vector per text, in the same order. Equal texts are requested once. Every response is cached at once, so that a
 * retry continues where the first attempt failed.
 */
export async function embedWithCache(texts: readonly string[], how: Remembered): Promise<number[][]> {
  const keys = texts.map((text) => buildVectorKey(text, how.space));
  const byKey = new Map(keys.map((key, index) => [key, texts[index] ?? '']));
  const vectors = new Map((await how.cache?.get([...byKey.keys()])) ?? []);
  const remembered = new Set(vectors.keys());
  await ask([...byKey.keys()].filter((key) => !vectors.has(key)));
  const lengths = new Set([...vectors.values()].map(({ length }) => length));
  if (lengths.size > 1 && remembered.size > 0) {
    // The model behind this name has been replaced since.
    await ask([...remembered]);
  } else if (remembered.size > 0) {
    how.onCached(keys.filter((key) => remembered.has(key)).length);
  }
  return keys.map((key) => vectors.get(key) ?? []);

  async function ask(missing: string[]): Promise<void> {
    if (missing.length === 0) return;
    let done = keys.length - missing.length;
    await how.request(
      missing.map((key) => byKey.get(key) ?? ''),
      async (from, receivedVectors) => {
        const fresh = new Map(receivedVectors.map((vector, index) => [missing[from + index] ?? '', vector]));
        for (const [key, vector] of fresh) vectors.set(key, vector);
        await how.cache?.put(fresh);
        done += receivedVectors.length;
        how.progress(Math.min(done, keys.length));
      },
    );
  }
}
