import type { OperatorIndex } from '../../operators/operator';
import type { RunRecord } from '../../services/run/run-record';
import type { ActivityDeps } from '../deps';
import { listDeclaredPlaces } from './declared';

/** The indexes that the run's operators write to. */
export function listIndexes(run: RunRecord, { env }: Pick<ActivityDeps, 'env'>): OperatorIndex[] {
  return listDeclaredPlaces(run, env, 'index').map(({ place }) => place);
}

/** The UUIDs of the existing indexes, by name. */
export async function readIndexUuids(
  { services }: Pick<ActivityDeps, 'services'>,
  stores: readonly OperatorIndex[],
): Promise<Record<string, string>> {
  const uuids: Record<string, string> = {};
  for (const { name, target } of stores) Object.assign(uuids, await services.search.findIndexUuids([name], target));
  return uuids;
}

/** Removes the entries of these documents from every index of the flow. */
export async function removeEntries(
  { services }: Pick<ActivityDeps, 'services'>,
  stores: readonly OperatorIndex[],
  scope: { jobId: string; documentIds: readonly string[]; keepRunId?: string },
): Promise<void> {
  if (scope.documentIds.length === 0) return;
  for (const { name, target } of stores) await services.search.removeDocuments(name, scope, target);
}
