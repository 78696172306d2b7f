import { setTimeout as delay } from 'node:timers/promises';
import type { InstallationRecord, InstallationRecords } from '../services/installation/record';
import type { EarlierQueues } from '../services/temporal/earlier-queues';

/** What draining the queues of an earlier version needs. */
export interface Drain {
  record: InstallationRecord;
  records: InstallationRecords;
  queues: EarlierQueues;
  warn: (message: string) => void;
  signal: AbortSignal;
  /** Time between two looks. */
  pauseMs?: number;
  /** How long the queues are polled at least, since an api of the earlier version may still start workflows. */
  leastMs?: number;
}

/** Looks in a row that must find nothing, since Temporal lists workflows with a delay. */
const looks = 2;

/** Resolves when no workflow is left on the queues of the earlier version; the record says so then. Tries again while servers are away. */
export async function drained(drain: Drain): Promise<void> {
  const { record, records, queues, warn, signal, pauseMs = 30_000, leastMs = 600_000 } = drain;
  for (let quiet = 0; quiet < looks;) {
    await delay(pauseMs, undefined, { signal });
    try {
      await queues.moveSchedules();
      quiet = (await queues.countRunning()) === 0 ? quiet + 1 : 0;
    } catch (error) {
      quiet = 0;
      warn(`the queues of the earlier version could not be looked at: ${String(error)}`);
    }
    if (Date.now() - Date.parse(record.created_at) < leastMs) quiet = Math.min(quiet, looks - 1);
  }
  await records.set({ drained: true });
}
