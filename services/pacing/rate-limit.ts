import { pause } from './pause';

/** Limits an amount per minute. Callers above the limit wait. */
export interface RateLimit {
  /** Waits until `amount` fits. An amount above the limit of a minute counts as a full minute. */
  take(amount: number, signal: AbortSignal): Promise<void>;
}

/** A token bucket with the amount of one minute that refills evenly. `clock` returns milliseconds. */
export function createRateLimit(
  perMinute: number,
  clock: () => number = () => performance.now(),
  wait = pause,
): RateLimit {
  const perMs = perMinute / 60_000;
  let level = perMinute;
  let at = clock();
  return {
    async take(amount, signal) {
      const now = clock();
      level = Math.min(perMinute, level + (now - at) * perMs);
      at = now;
      // Deducted before waiting, so that callers proceed in order.
      level -= Math.min(amount, perMinute);
      if (level < 0) await wait(-level / perMs, signal);
    },
  };
}
