import { readCurrentSets } from '../../operators/document_set/current-sets';
import type { DocumentSetsStore } from '../../services/document-set/document-sets-store';
import type { RunRecord } from '../../services/run/run-record';
import type { ActivityDeps } from '../deps';
import { listDeclaredPlaces } from './declared';

type Deps = Pick<ActivityDeps, 'services' | 'env'>;

/** The ids of the existing sets that the flow writes to, in the form that the ledger stores. */
export async function readSetIds(deps: Deps, run: RunRecord): Promise<Record<string, string>> {
  const currentSets = await readCurrentSets(listConfigs(deps, run), run.owner, deps.services.documentSets);
  return Object.fromEntries(Object.entries(currentSets).flatMap(([key, id]) => (id === undefined ? [] : [[key, id]])));
}

/**
 * Removes the rows of these documents from the flow's sets. With `keepRunId`, removes only rows of earlier runs. Without it, the
 * documents are gone from the source and all their rows are removed, except from sets that retain deleted documents.
 */
export async function removeSetRows(
  deps: Deps,
  run: RunRecord,
  scope: { documentIds: readonly string[]; keepRunId?: string },
): Promise<void> {
  if (scope.documentIds.length === 0) return;
  const retainByDefault = run.snapshot.flow.global_config?.retain_deleted_docs ?? false;
  for (const config of listConfigs(deps, run)) {
    const { documentSets } = deps.services;
    for (const id of Object.values(await readCurrentSets([config], run.owner, documentSets))) {
      if (id === undefined) continue;
      if (scope.keepRunId === undefined) {
        const isRetained = config['retain_deleted_docs'] ?? (await retainsDeleted(documentSets, run.owner, id));
        if (isRetained ?? retainByDefault) continue;
      }
      await documentSets.removeRows(id, { jobId: run.job_id, ...scope });
    }
  }
}

/** The setting of the set itself; undefined or null if it has none. */
async function retainsDeleted(sets: Pick<DocumentSetsStore, 'find'>, owner: string, id: string) {
  return (await sets.find(owner, { id }))?.retain_deleted_docs;
}

/** Configurations of the operators that write to sets. */
function listConfigs({ env }: Deps, run: RunRecord): Record<string, unknown>[] {
  return listDeclaredPlaces(run, env, 'documentSet').map(({ config }) => config);
}
