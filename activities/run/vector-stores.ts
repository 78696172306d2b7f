import { operators } from '../../operators/index';
import { getSearchTarget } from '../../operators/vectordb/schema';
import type { RunRecord } from '../../services/run/run-record';
import type { SearchTarget } from '../../services/search/ports';
import type { ActivityDeps } from '../deps';
import { getConfig } from './snapshots';

/** An index that a flow writes to, and its server (undefined: the configured one). */
export interface VectorStore {
  index: string;
  target: SearchTarget | undefined;
  /** An alias that points to the index once the run is done. */
  alias?: string;
}

/** The indexes of the vectordb operators that the run executes. A run that starts at a later operator may skip some. */
export function vectorStores(run: RunRecord, deps: Pick<ActivityDeps, 'env'>): VectorStore[] {
  const vectordb = operators.find(({ name }) => name === 'vectordb');
  if (!vectordb) return [];
  const executed = new Set(run.snapshot.plan.stages.flatMap((stage) => stage.operators.map(({ name }) => name)));
  return run.snapshot.flow.flow
    .filter(({ name, type }) => type === vectordb.name && executed.has(name))
    .map(({ name }) => {
      const config = getConfig(run, name, vectordb, deps.env);
      const { alias } = config;
      return {
        index: String(config['index_name']),
        target: getSearchTarget(config),
        ...(typeof alias === 'string' ? { alias } : {}),
      };
    });
}

/** The UUIDs of the existing indexes, by name. */
export async function indexUuids(
  { services }: Pick<ActivityDeps, 'services'>,
  stores: readonly VectorStore[],
): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const { index, target } of stores) Object.assign(found, await services.search.indexUuids([index], target));
  return found;
}

/** Removes the entries of these documents from every index of the flow. */
export async function removeEntries(
  { services }: Pick<ActivityDeps, 'services'>,
  stores: readonly VectorStore[],
  scope: { jobId: string; documentIds: readonly string[]; keepRunId?: string },
): Promise<void> {
  if (scope.documentIds.length === 0) return;
  for (const { index, target } of stores) await services.search.removeDocuments(index, scope, target);
}
