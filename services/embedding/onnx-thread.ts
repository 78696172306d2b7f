import { AppError, type ErrorCode } from '../../model/errors';
import { createFairSlots } from '../pacing/fair-slots';
import { waitForAbort } from '../pacing/wait-for-abort';
import { createWorkerThread } from '../process/worker-thread';
import type { OnnxEmbedder, OnnxSettings } from './onnx';

/** The message to the thread. `ended` is shared memory; a caller who gives up sets its first value. */
export interface EmbedTask {
  modelsFolder: string | undefined;
  threads: number;
  texts: readonly string[];
  settings: OnnxSettings;
  ended: Int32Array<SharedArrayBuffer>;
}

/** What the thread returns: vectors, or why there are none. Empty if the caller has left. */
export interface EmbedAnswer {
  vectors?: number[][];
  /** `reason` is for the log only. */
  failure?: { code: ErrorCode; message: string; reason?: string };
}

/** Of JavaScript objects: a tokenizer of 250,000 pieces needs 170 MB. The model is outside of this limit. */
const memoryMb = 1_024;

/**
 * Runs models from a folder in a thread of its own, because the runtime blocks the thread that calls it. Made for questions: one call
 * runs at a time, and people take turns. `threadFile` exports `embedTexts` (EmbedTask to EmbedAnswer).
 */
export function createThreadedOnnxEmbedder(
  threadFile: string,
  { modelsFolder, threads }: Pick<EmbedTask, 'modelsFolder' | 'threads'>,
): OnnxEmbedder & { close(): Promise<void> } {
  const thread = createWorkerThread<EmbedTask, EmbedAnswer>({ filename: threadFile, run: 'embedTexts', memoryMb });
  const turns = createFairSlots(1);
  return {
    async embed(texts, { fairnessKey = '', ...settings }, signal, progress) {
      if (texts.length === 0) return [];
      // Callers who leave while they wait cost the thread nothing.
      const release = await turns.take(fairnessKey, signal);
      const ended = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
      const { left, stopWaiting } = waitForAbort(signal);
      try {
        // The thread does not get the signal: it would end, and the next search would wait for the model again.
        const answer = thread
          .run({ modelsFolder, threads, texts, settings, ended })
          .catch(explainThreadFailure)
          .finally(release);
        const { vectors = [], failure } = await Promise.race([answer, left]);
        if (failure) {
          const cause = failure.reason === undefined ? undefined : new Error(failure.reason);
          throw new AppError(failure.code, failure.message, {}, cause);
        }
        progress?.(texts.length);
        return vectors;
      } finally {
        Atomics.store(ended, 0, 1);
        stopWaiting();
      }
    },
    close: () => thread.close(),
  };
}

/** The reason is only in the cause: it may name files of the server. */
function explainThreadFailure(error: unknown): never {
  throw new AppError('LOCALMODEL_CONNECTION_FAILED', 'The thread of the embedding model ended.', {}, error);
}
