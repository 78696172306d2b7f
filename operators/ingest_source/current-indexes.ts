import { getEffectiveConfig } from '../../model/flow/config';
import { getCurrentSets } from '../document_set/current-sets';
import type { OperatorContext } from '../operator';
import { getSearchTarget } from '../vectordb/provider-config';
import type { VectordbConfig } from '../vectordb/schema';
import { getIndexWriter } from '../vectordb/writer';

/**
 * The UUIDs of the indexes and document sets that the flow writes to; undefined for those that do not exist. Called
 * before any document is converted. Throws INDEX_NOT_OWNED if the run may not write to one of the indexes.
 */
export async function getCurrentIndexes(
  context: OperatorContext<'search' | 'documentSets'>,
): Promise<Record<string, string | undefined>> {
  const { flow } = context.run;
  const getConfigs = (operatorType: string) =>
    flow.flow
      .filter(({ type }) => type === operatorType)
      .map((operator) => context.configOf?.(operator.name) ?? getEffectiveConfig(flow, operator));
  const currentSets = await getCurrentSets(
    getConfigs('document_set'),
    context.run.owner,
    context.services.documentSets,
  );
  const { search } = context.services;
  for (const config of getConfigs('vectordb')) {
    const { index_name: name, alias } = config as Partial<VectordbConfig>;
    if (name === undefined) continue;
    const target = getSearchTarget(config);
    // A sample run writes nothing.
    if (context.run.sample === undefined)
      await search.checkWriter?.({ name, alias }, target, getIndexWriter(context.run));
    currentSets[name] = (await search.indexUuids([name], target))[name];
  }
  return currentSets;
}
