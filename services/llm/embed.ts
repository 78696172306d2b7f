import type { ModelHost } from './host';
import { estimateTokens } from './tokens';

/** How texts become requests. */
export interface EmbedBatches {
  host: Pick<ModelHost, 'maxConcurrent'>;
  /** Most texts of a request. Default 32. */
  maxTexts?: number;
  /** Most tokens of a request, as estimated; a text that has more goes alone. Default 65,536. */
  maxTokens?: number;
  signal: AbortSignal;
  request: (texts: readonly string[], signal: AbortSignal) => Promise<number[][]>;
  /** Called after each request, so that what is done is not lost by what fails. */
  onBatch: (from: number, vectors: number[][]) => Promise<void> | void;
}

/** Requests of so many texts and tokens, several at a time; the first failure ends the others and is thrown. */
export async function embedBatches(texts: readonly string[], batches: EmbedBatches): Promise<void> {
  const parts = partsOf(texts, batches.maxTexts ?? 32, batches.maxTokens ?? 65_536);
  const stop = new AbortController();
  const signal = AbortSignal.any([batches.signal, stop.signal]);
  let next = 0;
  async function work(): Promise<void> {
    for (let part = parts[next++]; part !== undefined; part = parts[next++]) {
      signal.throwIfAborted();
      await batches.onBatch(part.from, await batches.request(part.texts, signal));
    }
  }
  await Promise.allSettled(
    Array.from({ length: Math.min(batches.host.maxConcurrent, parts.length) }, () =>
      work().catch((error: unknown) => {
        if (!stop.signal.aborted) stop.abort(error);
      }),
    ),
  );
  batches.signal.throwIfAborted();
  if (stop.signal.aborted) throw stop.signal.reason;
}

function partsOf(
  texts: readonly string[],
  maxTexts: number,
  maxTokens: number,
): { from: number; texts: readonly string[] }[] {
  const parts: { from: number; texts: readonly string[] }[] = [];
  let from = 0;
  let tokens = 0;
  for (const [index, text] of texts.entries()) {
    const more = estimateTokens(text);
    if (index > from && (index - from >= maxTexts || tokens + more > maxTokens)) {
      parts.push({ from, texts: texts.slice(from, index) });
      from = index;
      tokens = 0;
    }
    tokens += more;
  }
  if (from < texts.length) parts.push({ from, texts: texts.slice(from) });
  return parts;
}
