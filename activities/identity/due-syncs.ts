import { setTimeout as delay } from 'node:timers/promises';
import { asAppError } from '../../model/errors';
import { type AccessSyncs, isSyncDue } from '../../services/identity/access-syncs';
import type { IdentityMaps } from '../../services/identity/maps';
import type { DueSyncs } from '../../services/identity/rights-sync';
import type { Log } from '../../services/process/log';

const minuteMs = 60_000;

/** Ids of the identity maps and jobs whose last sync is older than their interval. */
export async function listDueSyncs(
  {
    identityMaps,
    accessSyncs,
  }: { identityMaps: Pick<IdentityMaps, 'list'>; accessSyncs: Pick<AccessSyncs, 'listDue'> },
  now: Date,
): Promise<{ maps: string[]; jobs: string[] }> {
  const all = await identityMaps.list();
  return {
    maps: all
      .filter(({ state, sync_minutes = 5 }) => isSyncDue(state.synced_at, sync_minutes, now))
      .map(({ map_id }) => map_id),
    jobs: await accessSyncs.listDue(now),
  };
}

/**
 * Asks once a minute, until the signal aborts, whether syncs are due, and starts their workflow only then. Never rejects. A schedule
 * would show a workflow in the Temporal UI each minute, between which people would look for their runs.
 */
export async function startDueSyncs(
  deps: Parameters<typeof listDueSyncs>[0] & { dueSyncs: DueSyncs; log: Pick<Log, 'warn'> },
  signal: AbortSignal,
  everyMs = minuteMs,
): Promise<void> {
  let isScheduleRemoved = false;
  for (; !signal.aborted; await delay(everyMs, undefined, { signal }).catch(() => undefined)) {
    try {
      const { maps, jobs } = await listDueSyncs(deps, new Date());
      if (maps.length + jobs.length > 0) await deps.dueSyncs.start();
      // Afterwards: rights must not wait for it.
      if (!isScheduleRemoved) await deps.dueSyncs.removeSchedule();
      isScheduleRemoved = true;
    } catch (error) {
      if (!signal.aborted) deps.log.warn({ error: asAppError(error).message }, 'due syncs of rights start later');
    }
  }
  // The worker ends, and with it the connection.
  await deps.dueSyncs.close().catch(() => undefined);
}
