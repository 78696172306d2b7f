import { randomUUID } from 'node:crypto';
import type { RightsActivities } from '../../model/identity/sync';
import { syncIdentities } from '../../services/identity/sync-identities';
import { runActivityWork } from '../conduct';
import type { ActivityDeps } from '../deps';
import { openDirectories } from './directories';
import { listDueSyncs } from './due-syncs';
import { syncAccess } from './sync-access';

/** The activities that synchronize rights outside of runs. */
export function createRightsActivities(deps: ActivityDeps): RightsActivities {
  const { identityMaps: maps, audit, accessSyncs } = deps;
  const clock = () => new Date();
  return {
    list_due_syncs: () => runActivityWork(() => listDueSyncs(deps, clock())),
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
