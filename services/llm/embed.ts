import type { ModelHost } from './host';
import { estimateTokens } from './tokens';

/** How texts are grouped into requests. */
export interface EmbedBatches {
  host: Pick<ModelHost, 'maxConcurrent'>;
  /** Maximum texts per request. */
  maxTexts?: number;
  /** Maximum estimated tokens per request; a longer text is sent alone. */
  maxTokens?: number;
  signal: AbortSignal;
  request: (texts: readonly string[], signal: AbortSignal) => Promise<number[][]>;
  /** Called after each request, so that its vectors are kept when a later request fails. */
  onBatch: (from: number, vectors: number[][]) => Promise<void> | void;
}

const defaultMaxTexts = 32;
const defaultMaxTokens = 65_536;

/** Sends the texts in batches, several at a time. The first failure cancels the others and is thrown. */
export async function embedBatches(texts: readonly string[], batches: EmbedBatches): Promise<void> {
  const parts = listParts(texts, batches.maxTexts ?? defaultMaxTexts, batches.maxTokens ?? defaultMaxTokens);
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

function listParts(
  texts: readonly string[],
  maxTexts: number,
  maxTokens: number,
): { from: number; texts: readonly string[] }[] {
  const parts: { from: number; texts: readonly string[] }[] = [];
  let from = 0;
  let tokens = 0;
  for (const [index, text] of texts.entries()) {
    const textTokens = estimateTokens(text);
    if (index > from && (index - from >= maxTexts || tokens + textTokens > maxTokens)) {
      parts.push({ from, texts: texts.slice(from, index) });
      from = index;
      tokens = 0;
    }
    tokens += textTokens;
  }
  if (from < texts.length) parts.push({ from, texts: texts.slice(from) });
  return parts;
}
