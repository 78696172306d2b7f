import { createRenewingCache } from '../../services/pacing/renewing-cache';
import type { OperatorStats, RunRecord } from '../../services/run/run-record';
import type { ApiServices } from '../services';

/** A run with what its parts have reported so far. */
export interface RunLook {
  run: RunRecord;
  stats: readonly OperatorStats[];
  settled: Awaited<ReturnType<ApiServices['runsStore']['countSettled']>>;
}

/** Half of the time between two checks of an event stream. */
const freshMs = 250;
const maxRuns = 200;

/** The streams of one api share what they read; rights are checked for each of them. */
const readers = new WeakMap<ApiServices, (runId: string) => Promise<RunLook | undefined>>();

/**
 * The run as it was at most 250 ms ago; undefined when it does not exist. However many streams follow a run, it is read a few times
 * a second, because summing up its parts takes as long as many other requests.
 */
export function lookAtRun(runId: string, services: ApiServices): Promise<RunLook | undefined> {
  let reader = readers.get(services);
  if (!reader) {
    const read = (id: string) => readLook(id, services);
    reader = createRenewingCache(read, { freshMs, maxEntries: maxRuns, now: () => performance.now() });
    readers.set(services, reader);
  }
  return reader(runId);
}

async function readLook(runId: string, { runsStore }: ApiServices): Promise<RunLook | undefined> {
  const run = await runsStore.get(runId);
  if (!run) return undefined;
  const [stats, settled] = await Promise.all([runsStore.readOperatorStats(runId), runsStore.countSettled(runId)]);
  return { run, stats, settled };
}
