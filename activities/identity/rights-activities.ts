import { randomUUID } from 'node:crypto';
import type { RightsActivities } from '../../model/identity/sync';
import { syncIdentities } from '../../services/identity/sync-identities';
import { runActivityWork } from '../conduct';
import type { ActivityDeps } from '../deps';
import { openDirectories } from './directories';
import { syncAccess } from './sync-access';

const minuteMs = 60_000;

/** The activities that synchronize rights outside of runs. */
export function createRightsActivities(deps: ActivityDeps): RightsActivities {
  const { identityMaps: maps, audit, accessSyncs } = deps;
  const clock = () => new Date();
  return {
    list_due_syncs: () =>
      runActivityWork(async () => {
        const all = await maps.list();
        const isDue = (at: string | undefined, minutes: number) =>
          at === undefined || clock().getTime() - Date.parse(at) >= minutes * minuteMs;
        return {
          maps: all
            .filter(({ state, sync_minutes = 5 }) => isDue(state.synced_at, sync_minutes))
            .map(({ map_id }) => map_id),
          jobs: await accessSyncs.listDue(clock()),
        };
      }),
    sync_identities: (input) =>
      runActivityWork(
        async (signal) => {
          const syncDeps = { maps, audit, clock, newId: randomUUID, ...openDirectories(deps, signal) };
          const { changed } = await syncIdentities(syncDeps, input);
          return { changed: changed.length, jobs: changed.length > 0 ? await accessSyncs.listJobs() : [] };
        },
        { waitForOutages: false },
      ),
    sync_access: (input) => runActivityWork((signal) => syncAccess(deps, input, signal), { waitForOutages: false }),
  };
}
