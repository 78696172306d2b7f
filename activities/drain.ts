import { setTimeout as delay } from 'node:timers/promises';
import type { InstallationRecord, InstallationRecords } from '../services/installation/record';
import type { EarlierQueues } from '../services/temporal/earlier-queues';

/** Dependencies and options of draining the queues of an earlier version. */
export interface DrainOptions {
  record: InstallationRecord;
  records: InstallationRecords;
  queues: EarlierQueues;
  warn: (message: string) => void;
  signal: AbortSignal;
  /** Pause between two checks. */
  pauseMs?: number;
  /** Minimum time that the queues are polled, because an API of the earlier version may still start workflows. */
  minMs?: number;
}

/** Consecutive checks that must find nothing, because Temporal lists workflows with a delay. */
const requiredQuietChecks = 2;

/**
 * Resolves, and updates the record, when no workflow is left on the queues of the earlier version. Retries while servers are
 * unavailable.
 */
export async function waitUntilDrained(drain: DrainOptions): Promise<void> {
  const { record, records, queues, warn, signal, pauseMs = 30_000, minMs = 600_000 } = drain;
  for (let quietChecks = 0; quietChecks < requiredQuietChecks;) {
    await delay(pauseMs, undefined, { signal });
    try {
      await queues.moveSchedules();
      quietChecks = (await queues.countRunning()) === 0 ? quietChecks + 1 : 0;
    } catch (error) {
      quietChecks = 0;
      warn(`the queues of the earlier version could not be checked: ${String(error)}`);
    }
    if (Date.now() - Date.parse(record.created_at) < minMs)
      quietChecks = Math.min(quietChecks, requiredQuietChecks - 1);
  }
  await records.set({ drained: true });
}
