import { type EmbeddingCache, buildVectorKey } from './embedding-cache';

/** How to get vectors, with and without the cache. */
interface VectorSources {
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
export async function embedWithCache(
  texts: readonly string[],
  { cache, space, request, onCached, progress }: VectorSources,
): Promise<number[][]> {
  const keys = texts.map((text) => buildVectorKey(text, space));
  const textsByKey = new Map(keys.map((key, index) => [key, texts[index] ?? '']));
  const vectors = new Map((await cache?.get([...textsByKey.keys()])) ?? []);
  const cachedKeys = new Set(vectors.keys());
  await requestVectors([...textsByKey.keys()].filter((key) => !vectors.has(key)));
  const lengths = new Set([...vectors.values()].map(({ length }) => length));
  if (lengths.size > 1 && cachedKeys.size > 0) {
    // Another model has this name since the vectors were cached.
    await requestVectors([...cachedKeys]);
  } else if (cachedKeys.size > 0) {
    onCached(keys.filter((key) => cachedKeys.has(key)).length);
  }
  return keys.map((key) => vectors.get(key) ?? []);

  async function requestVectors(missing: string[]): Promise<void> {
    if (missing.length === 0) return;
    let done = keys.length - missing.length;
    await request(
      missing.map((key) => textsByKey.get(key) ?? ''),
      async (from, receivedVectors) => {
        const fresh = new Map(receivedVectors.map((vector, index) => [missing[from + index] ?? '', vector]));
        for (const [key, vector] of fresh) vectors.set(key, vector);
        await cache?.put(fresh);
        done += receivedVectors.length;
        progress(Math.min(done, keys.length));
      },
    );
  }
}
