import type { TemporalOptions } from './client';
import { ensureSchedule } from './interval-schedule';

/** Creates the schedule of the workflow `sweep` unless it exists. */
export function ensureSweep(options: TemporalOptions): Promise<void> {
  return ensureSchedule(options, {
    workflow: 'sweep',
    getId: buildSweepScheduleId,
    every: '10m',
    note: 'Settles runs whose workflow ended, and removes tables whose retention period has passed.',
  });
}

/** The id of the sweep's schedule, and the prefix of its workflows' ids. */
export function buildSweepScheduleId(queuePrefix: string): string {
  return `sweep-${queuePrefix}`;
}
