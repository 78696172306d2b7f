import type { Timings } from '../../model/conversion/task/result';

/** Measures the stages of one document. */
export interface Stopwatch {
  /** A repeated stage adds another measurement. */
  measure<T>(stage: string, work: () => T | Promise<T>): Promise<T>;
  /** Returns all stages so far, and `pipeline_total` from the start until now. */
  timings(): Timings;
}

/** Starts the measurement immediately. */
export function createStopwatch(): Stopwatch {
  const startedAt = performance.now();
  const stages: Timings = {};
  const add = (stage: string, from: number, until: number) => {
    const entry = (stages[stage] ??= { scope: 'document', count: 0, times: [], start_timestamps: [] });
    entry.count += 1;
    entry.times.push((until - from) / 1_000);
    entry.start_timestamps.push(formatTimestamp(from));
  };
  return {
    async measure(stage, work) {
      const from = performance.now();
      try {
        return await work();
      } finally {
        add(stage, from, performance.now());
      }
    },
    timings() {
      const now = performance.now();
      return {
        pipeline_total: {
          scope: 'document',
          count: 1,
          times: [(now - startedAt) / 1_000],
          start_timestamps: [formatTimestamp(startedAt)],
        },
        ...stages,
      };
    },
  };
}

/** ISO 8601 in UTC with microseconds. */
function formatTimestamp(at: number): string {
  const ms = performance.timeOrigin + at;
  const micros = String(Math.floor((ms % 1) * 1_000)).padStart(3, '0');
  return new Date(ms).toISOString().replace('Z', `${micros}Z`);
}
