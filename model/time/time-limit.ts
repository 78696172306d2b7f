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
