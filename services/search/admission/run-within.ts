import { AppError } from '../../../model/errors';
import { findEngineError, type SearchConnection, type Send } from '../connection';
import type { Leave } from './admission';
import { followSignal } from './follow-signal';
import { createStopwatch } from './stopwatch';

/** All calls of one request together, so that a caller waits less than 10 s. */
const deadlineMs = 9_000;

/** When calls may start, and when nobody waits for them any more. */
export interface Turn {
  /** Aborts when the caller leaves. */
  gone?: AbortSignal | undefined;
  /** Waits until the calls may start, and returns the function that ends the turn. */
  enter: (signal: AbortSignal) => Promise<Leave>;
}

/** Runs calls under one deadline, the wait for the turn included. Bad requests according to the engine are errors of the caller: 422. */
export async function runWithin<T>(
  connection: SearchConnection,
  work: (send: Send, signal: AbortSignal) => Promise<T>,
  { gone, enter }: Partial<Turn> = {},
): Promise<T> {
  // The timer of `AbortSignal.timeout` would keep each search alive until it expires.
  const controller = new AbortController();
  const stopFollowing = followSignal(controller, gone);
  const timer = setTimeout(() => controller.abort(), deadlineMs);
  const deadline = controller.signal;
  const engine = createStopwatch();
  // The connection cancels an aborted call in the engine.
  const send: Send = async (call) => {
    const options = { timeoutMs: deadlineMs, signal: deadline, accept: [404] };
    const { status, body } = await engine.measure(() => connection.send(call, options));
    return status === 404 ? undefined : body;
  };
  let leave: Leave | undefined;
  try {
    leave = await enter?.(deadline);
    return await Promise.race([work(send, deadline), rejectWhenAborted(deadline)]);
  } catch (error) {
    gone?.throwIfAborted();
    if (deadline.aborted) {
      throw new AppError(
        'SEARCH_CONNECTION_FAILED',
        `The search server at ${connection.address} did not answer within ${deadlineMs / 1_000} s.`,
        {},
        error,
      );
    }
    const engineError = findEngineError(error);
    if (engineError?.status === 400)
      throw new AppError(
        'VALIDATION_ERROR',
        `The search server refuses this search: ${engineError.reason}.`,
        {},
        error,
      );
    throw error;
  } finally {
    leave?.(engine.totalMs());
    clearTimeout(timer);
    stopFollowing();
  }
}

/** Ends the wait for work that does not obey the signal, such as what other callers read. */
function rejectWhenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}
