import { Piscina } from 'piscina';
import { AppError, type ErrorCode } from '../../model/errors';
import { createFairSlots } from '../pacing/fair-slots';
import { waitForAbort } from '../pacing/wait-for-abort';
import type { OnnxEmbedder, OnnxSettings } from './onnx';

/** The message to the thread. */
export interface EmbedTask {
  modelsFolder: string | undefined;
  threads: number;
  texts: readonly string[];
  settings: OnnxSettings;
}

/** What the thread returns: vectors, or why there are none. */
export interface EmbedAnswer {
  vectors?: number[][];
  failure?: { code: ErrorCode; message: string };
}

/** Of JavaScript objects: a tokenizer of 250,000 pieces needs 170 MB. The model is outside of this limit. */
const memoryMb = 1_024;

/**
 * Runs models from a folder in a thread of its own, because the runtime blocks the thread that calls it. Made for questions: a call
 * that has begun is not interrupted. `threadFile` exports `embedTexts` (EmbedTask to EmbedAnswer).
 */
export function createThreadedOnnxEmbedder(
  threadFile: string,
  { modelsFolder, threads }: Pick<EmbedTask, 'modelsFolder' | 'threads'>,
): OnnxEmbedder & { close(): Promise<void> } {
  // The thread starts with the first call, and then keeps its models loaded.
  const pool = new Piscina<EmbedTask, EmbedAnswer>({
    filename: threadFile,
    name: 'embedTexts',
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: Number.POSITIVE_INFINITY,
    resourceLimits: { maxOldGenerationSizeMb: memoryMb },
  });
  const turns = createFairSlots(1);
  return {
    async embed(texts, settings, signal, progress) {
      if (texts.length === 0) return [];
      // Callers who leave while they wait cost the thread nothing.
      const release = await turns.take('', signal);
      const { left, stopWaiting } = waitForAbort(signal);
      try {
        // The pool does not get the signal: it would end the thread, and the next search would wait for the model again.
        const answer = pool
          .run({ modelsFolder, threads, texts, settings })
          .catch(explainThreadFailure)
          .finally(release);
        const { vectors = [], failure } = await Promise.race([answer, left]);
        if (failure) throw new AppError(failure.code, failure.message);
        progress?.(texts.length);
        return vectors;
      } finally {
        stopWaiting();
      }
    },
    close: () => pool.destroy(),
  };
}

function explainThreadFailure(error: unknown): never {
  const reason = error instanceof Error ? error.message : String(error);
  throw new AppError('LOCALMODEL_CONNECTION_FAILED', `The thread of the embedding model ended: ${reason}`, {}, error);
}
