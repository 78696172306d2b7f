import { AppError } from '../../../model/errors';
import { createFairSlots } from '../../pacing/fair-slots';
import { followSignal } from './follow-signal';

/** Limits the searches of this process that the engine works on at a time. */
export interface Admission {
  /**
   * Waits for the user's turn, and returns the function that ends it. Throws SEARCH_BUSY as soon as the wait is expected to be too
   * long. Rejects with the signal's reason.
   */
  enter(username: string, signal: AbortSignal): Promise<Leave>;
}

/** `engineMs` is the time that the engine took; by default, all of the turn. */
export type Leave = (engineMs?: number) => void;

/** Searches that wait longer would often be given up unfinished, and then the work of the engine would be in vain. */
const longestWaitMs = 5_000;
/** Shorter, because the expectation is an average. */
const longestExpectedMs = 4_000;
/** While searches take longer than this, fewer run at a time; while they take less than half of it, more. */
const longestSearchMs = 3_000;
/** Searches that run at a time in any case, and at first. */
const fewestSearches = 16;
/** The longest Retry-After. */
const longestRetryMs = 60_000;
/** The share of the newest search in the average duration. */
const weightOfNewest = 0.1;

/**
 * Admits at most `limit` searches at a time, fewer while the engine is slow. The others wait, and users take turns. An engine that gets
 * more searches than it can work on queues them, also those whose callers have given up, so that under overload it finishes few in time.
 */
export function createAdmission(limit: number, now: () => number = () => performance.now()): Admission {
  const fewest = Math.min(fewestSearches, limit);
  let admitted = fewest;
  const slots = createFairSlots(admitted);
  let averageMs = 0;
  const adapt = (engineMs: number) => {
    if (engineMs > longestSearchMs) admitted = Math.max(fewest, admitted - 1);
    else if (engineMs < longestSearchMs / 2) admitted = Math.min(limit, admitted + 1);
    slots.resize(admitted);
  };
  let lastRetryAt = 0;
  /** Refused callers return one after the other, at the rate at which searches are done, so that few are refused again. */
  const createError = (expectedMs: number) => {
    const retryAt = Math.max(lastRetryAt, now() + expectedMs) + averageMs / admitted;
    lastRetryAt = Math.min(retryAt, now() + longestRetryMs);
    return createBusyError(lastRetryAt - now());
  };
  return {
    async enter(username, signal) {
      const expectedMs = ((slots.countAhead(username) + 1) * averageMs) / admitted;
      if (expectedMs > longestExpectedMs) throw createError(expectedMs);
      const leave = await takeWithin(slots, username, signal, () => createError(averageMs));
      const startedAt = now();
      return (engineMs) => {
        const tookMs = now() - startedAt;
        // How soon a caller left says nothing about the engine, nor does a wait for the vector of the question.
        const isTelling = (ms: number) => !signal.aborted || ms > longestSearchMs;
        if (isTelling(tookMs)) averageMs += weightOfNewest * (tookMs - averageMs);
        if (isTelling(engineMs ?? tookMs)) adapt(engineMs ?? tookMs);
        leave();
      };
    },
  };
}

/** Takes a slot before `longestWaitMs` have passed, and else fails with the error. */
async function takeWithin(
  slots: ReturnType<typeof createFairSlots>,
  username: string,
  signal: AbortSignal,
  createError: () => AppError,
): Promise<() => void> {
  const controller = new AbortController();
  const stopFollowing = followSignal(controller, signal);
  const timer = setTimeout(() => controller.abort(createError()), longestWaitMs);
  try {
    return await slots.take(username, controller.signal);
  } finally {
    clearTimeout(timer);
    stopFollowing();
  }
}

function createBusyError(retryAfterMs: number): AppError {
  return new AppError('SEARCH_BUSY', 'Too many searches are waiting for their turn. Try again later.', {
    retryAfterMs,
  });
}
