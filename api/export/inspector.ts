import { destinationNeeds, type DestinationKind } from '../../model/export/destination';
import { isNamed } from '../../model/run/rights';
import type { CheckReader, DestinationInspector } from '../../operators/inspection';
import { getExportTarget, storage } from '../../operators/storage/schema';
import type { ConnectionsStore } from '../../services/connection/store';
import { answerAll, type DestinationChecks, refuseDestination } from '../../services/export/check';
import { createFairSlots } from '../../services/pacing/fair-slots';
import { openConfig, usesWorkerSecrets } from '../connection/open-config';

/** Services for the checks. */
export interface DestinationInspectorDeps {
  destinations: DestinationChecks;
  connections: Pick<ConnectionsStore, 'open'>;
  /** Who may export to folders; an empty list means the members of `adminGroups`. */
  exportPrincipals: readonly string[];
  adminGroups: readonly string[];
}

const maxParallelChecks = 4;

const folderRefusal =
  'You may not export into folders of the worker: DOCLOOM_EXPORT_PRINCIPALS does not name you. Administrators may, where it is not set.';
const workerSecrets =
  'The destination uses secrets of the worker, which the api does not know; its server was not contacted.';

/**
 * At most four checks run at the same time; users take turns. A check that has begun ends by itself, so that its file is removed even
 * if nobody waits for the answer; it keeps its turn until then.
 */
export function createDestinationInspector(deps: DestinationInspectorDeps): DestinationInspector {
  const { destinations, connections, exportPrincipals, adminGroups } = deps;
  const slots = createFairSlots(maxParallelChecks);
  const mayExport = (reader: CheckReader | undefined) =>
    reader !== undefined && isNamed(reader, exportPrincipals, adminGroups);
  return {
    async check(config, reader, signal) {
      const kind = findKind(config);
      // Before anything else, so that the answer is the same for every folder.
      if (kind === 'folder' && !mayExport(reader)) return refuseDestination(kind, folderRefusal);
      if (usesWorkerSecrets(config)) return answerAll(kind, { outcome: 'unknown', message: workerSecrets });
      const { types, usualAddress } = storage.secrets(config);
      const secrets = { schema: storage.config, types, fallback: [usualAddress ?? ''] };
      const target = getExportTarget(await openConfig(config, { person: reader, connections }, secrets));
      const release = await slots.take(reader?.username ?? '', signal);
      const checked = destinations.check(target).finally(release);
      return await Promise.race([checked, rejectOnAbort(signal)]);
    },
  };
}

/** The configuration was validated, so it names a destination. */
function findKind({ destination }: Record<string, unknown>): DestinationKind {
  return Object.keys(destinationNeeds).includes(String(destination)) ? (destination as DestinationKind) : 'folder';
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    if (signal.aborted) reject(signal.reason as Error);
  });
}
