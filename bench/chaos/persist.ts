import { setTimeout as delay } from 'node:timers/promises';
import { ApiError } from '../../client/api-error';

/** The result of a workload, by subject; values are plain JSON. */
export type Outcome = Record<string, unknown>;

/** How long a call is retried while servers are unavailable, as a client of a service would do. */
const patienceMs = 300_000;

/** Repeats a call while it fails for a temporary reason: no answer, 5xx or 429. */
export async function retryWhileAway<T>(call: () => Promise<T>): Promise<T> {
  for (const deadline = Date.now() + patienceMs; ; await delay(300)) {
    try {
      return await call();
    } catch (error) {
      const passes = error instanceof ApiError && (error.status === 0 || error.status >= 500 || error.status === 429);
      if (!passes || Date.now() > deadline) throw error;
    }
  }
}
