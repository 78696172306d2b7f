/** Adds up the time during which at least one of the measured calls runs. */
export interface Stopwatch {
  measure<T>(call: () => Promise<T>): Promise<T>;
  /** Calls that still run count until now. */
  totalMs(): number;
}

export function createStopwatch(now: () => number = () => performance.now()): Stopwatch {
  let running = 0;
  let startedAt = 0;
  let doneMs = 0;
  return {
    async measure(call) {
      if (running === 0) startedAt = now();
      running += 1;
      try {
        return await call();
      } finally {
        running -= 1;
        if (running === 0) doneMs += now() - startedAt;
      }
    },
    totalMs: () => doneMs + (running > 0 ? now() - startedAt : 0),
  };
}
