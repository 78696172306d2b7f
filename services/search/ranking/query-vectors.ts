import type { Embedder, EmbedderFor } from '../../embedding/embedder';

/** Vectors of questions that one process keeps. */
const maxKept = 1_000;
const keptMs = 600_000;

interface Kept {
  vectors: Promise<number[][]>;
  signal: AbortSignal;
  isDone: boolean;
  at: number;
}

/**
 * An embedder per person that caches the vectors of recent queries: pages, filters and facets of one search need one vector.
 * Nothing is shared between people, because response times would reveal the queries of others.
 */
export function createQueryVectors(embedderFor: EmbedderFor): (username: string) => Embedder {
  const cache = new Map<string, Kept>();
  return (username) => ({
    embed(texts, config, signal) {
      const key = JSON.stringify([username, config, texts]);
      const cached = cache.get(key);
      cache.delete(key);
      // A request that is still running may be aborted; only calls of the same request wait for it.
      const isUsable = cached && Date.now() - cached.at < keptMs && (cached.isDone || cached.signal === signal);
      const entry = isUsable ? cached : embedAnew(embedderFor([username]).embed(texts, config, signal), signal);
      cache.set(key, entry);
      entry.vectors.catch(() => cache.get(key) === entry && cache.delete(key));
      const [oldest] = cache.keys();
      if (cache.size > maxKept && oldest !== undefined) cache.delete(oldest);
      return entry.vectors;
    },
  });

  function embedAnew(vectors: Promise<number[][]>, signal: AbortSignal): Kept {
    const entry = { vectors, signal, isDone: false, at: Date.now() };
    vectors.then(
      () => (entry.isDone = true),
      () => undefined,
    );
    return entry;
  }
}
