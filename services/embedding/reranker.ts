import { AppError, type ErrorCode } from '../../model/errors';
import { createFairSlots } from '../pacing/fair-slots';
import { waitForAbort } from '../pacing/wait-for-abort';
import { createWorkerThread } from '../process/worker-thread';
import type { CrossEncoderPlace } from './cross-encoder';

/** The message to the thread. `ended` is shared memory; a caller who gives up sets its first value. */
export interface ScoreTask {
  place: CrossEncoderPlace;
  query: string;
  texts: readonly string[];
  ended: Int32Array<SharedArrayBuffer>;
}

/** What the thread returns: scores, or why there are none. Empty if the caller has left. */
export interface ScoreAnswer {
  scores?: number[];
  failure?: { code: ErrorCode; message: string };
}

/** Texts that a user wants to have scored. */
export interface ScoreRequest {
  username: string;
  query: string;
  texts: readonly string[];
}

/** Runs a cross-encoder of the models folder in a thread of its own, which loads it on first use. */
export interface Reranker {
  /** The score of each text, in the order of the texts; higher fits better. Fails with the reason of the signal. */
  score(request: ScoreRequest, signal: AbortSignal): Promise<number[]>;
  close(): Promise<void>;
}

/** After that, the thread ends and its memory is free. */
const idleTimeoutMs = 600_000;
/** Of JavaScript objects: a tokenizer of 250,000 pieces needs 170 MB. The model is outside of this limit. */
const memoryMb = 1_024;

/** `threadFile` exports `scoreTexts` (ScoreTask to ScoreAnswer). Users take turns, since a request uses all threads of the model. */
export function createReranker({ threadFile, place }: { threadFile: string; place: CrossEncoderPlace }): Reranker {
  const thread = createWorkerThread<ScoreTask, ScoreAnswer>({
    filename: threadFile,
    run: 'scoreTexts',
    memoryMb,
    idleTimeoutMs,
  });
  const turns = createFairSlots(1);
  return {
    async score({ username, query, texts }, signal) {
      const release = await turns.take(username, signal);
      const ended = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
      const { left, stopWaiting } = waitForAbort(signal);
      try {
        // The thread does not get the signal: it would end, and the next search would wait for the model again.
        const answer = thread.run({ place, query, texts, ended }).catch(explainThreadFailure);
        const { scores, failure } = await Promise.race([answer, left]);
        if (failure) throw new AppError(failure.code, failure.message);
        return scores ?? [];
      } finally {
        Atomics.store(ended, 0, 1);
        stopWaiting();
        release();
      }
    },
    close: () => thread.close(),
  };
}

function explainThreadFailure(error: unknown): never {
  const reason = error instanceof Error ? error.message : String(error);
  throw new AppError('RERANK_MODEL_INVALID', `The thread of the reranking model ended: ${reason}`, {}, error);
}
