import { pause } from './pause';

/** Lets through so much in a minute; who comes too early waits for its turn. */
export interface RateLimit {
  /** Waits until `amount` fits. An amount beyond a whole minute's share waits for a full minute's share. */
  take(amount: number, signal: AbortSignal): Promise<void>;
}

/** A bucket that holds a minute's share and is filled evenly. `clock` tells milliseconds. */
export function createRateLimit(perMinute: number, clock: () => number = Date.now, wait = pause): RateLimit {
  const perMs = perMinute / 60_000;
  let level = perMinute;
  let at = clock();
  return {
    async take(amount, signal) {
      const now = clock();
      level = Math.min(perMinute, level + (now - at) * perMs);
      at = now;
      // Taken before waiting, so that callers get their turns in order.
      level -= Math.min(amount, perMinute);
      if (level < 0) await wait(-level / perMs, signal);
    },
  };
}
