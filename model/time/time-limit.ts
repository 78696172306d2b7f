/**
 * A signal that aborts after a time in milliseconds. Unlike a plain `AbortSignal.timeout`, it also works as a part of
 * `AbortSignal.any`: a composed signal holds its sources weakly, and a timeout that nobody observes is collected together with its
 * timer, so that the composed signal would never abort.
 */
export function createTimeLimit(ms: number): AbortSignal {
  const limit = AbortSignal.timeout(ms);
  limit.addEventListener('abort', observe, { once: true });
  return limit;
}

function observe(): void {}

/** A limit of one answer. Cleared when the answer is complete, it holds no memory: thousands of answers may begin within one limit. */
export interface TimeLimit {
  controller: AbortController;
  clear(): void;
}

/** Starts a limit in milliseconds, which aborts its controller. */
export function startTimeLimit(ms: number): TimeLimit {
  const controller = new AbortController();
  const late = () => controller.abort(new Error(`its answer was not complete within ${ms / 1_000} s`));
  const timer = setTimeout(late, ms).unref();
  return { controller, clear: () => clearTimeout(timer) };
}
