import { getRunPeople, getRunRights, isNamed } from '../../model/run/rights';
import { omitFolders, type Exports } from '../../services/export/exports';
import type { ExportScope } from '../../services/export/place';
import type { RemovalScope } from '../../services/removal/removals';
import type { StepDeps } from '../../services/removal/steps';
import type { RunRecord } from '../../services/run/run-record';
import type { ActivityDeps } from '../deps';
import { listDeclaredPlaces } from './declared';
import { withConnections } from './snapshots';

type Deps = Pick<ActivityDeps, 'env'> & { services: Pick<ActivityDeps['services'], 'exports'> };

/** The exports for a run. Only administrators and users named in the settings may export to folders. */
export function openExports(
  exports: Exports,
  run: RunRecord,
  { adminGroups, exportPrincipals }: ActivityDeps['roles'],
): Exports {
  // Runs started on the server itself have no recorded people.
  const isTrusted = run.acting !== undefined && run.acting.people === undefined && run.acting.writers.length === 0;
  const mayExport =
    isTrusted || getRunPeople(run).every((runPerson) => isNamed(runPerson, exportPrincipals, adminGroups));
  return mayExport ? exports : omitFolders(exports);
}

/** Removes files and records of these documents from every place that the run exports to. Returns their number. */
export async function removeExported(deps: Deps, run: RunRecord, scope: ExportScope): Promise<number> {
  if (scope.documentIds.length === 0) return 0;
  let removed = 0;
  for (const { place: target } of listDeclaredPlaces(run, deps.env, 'exportsTo')) {
    removed += await deps.services.exports.remove(target, scope);
  }
  return removed;
}

/** Points the aliases of indexes that the run exported to at these indexes. */
export async function finishExports(deps: Deps, run: RunRecord): Promise<void> {
  const { writers: users, job_owner: owner } = getRunRights(run);
  const writer = { runId: run.job_run_id, jobId: run.job_id, owner, users };
  for (const { place: target } of listDeclaredPlaces(run, deps.env, 'exportsTo'))
    await deps.services.exports.finish(target, writer);
}

/** Removes exported files for a removal. Only workers reach the folders, and have the secrets of the buckets. */
export function createExportRemoval({
  connections,
  ...deps
}: Deps & Pick<ActivityDeps, 'connections'>): NonNullable<StepDeps['removeExported']> {
  return async (scope: RemovalScope) => {
    const { jobId, documentIds } = scope;
    let removed = 0;
    for (const run of scope.runs) {
      if ((await deps.services.exports.listPlaceKeys(jobId, documentIds)).length === 0) break;
      removed += await removeExported(deps, await withConnections({ connections }, run), { jobId, documentIds });
    }
    return removed;
  };
}
