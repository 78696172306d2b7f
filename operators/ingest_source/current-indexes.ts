import { effectiveConfig } from '../../model/flow/config';
import type { OperatorContext } from '../operator';
import { getCurrentSets } from '../document_set/current-sets';
import { getSearchTarget } from '../vectordb/schema';

/** The UUIDs of the indexes and document sets that the flow writes to; undefined for those that do not exist. */
export async function getCurrentIndexes(
  context: OperatorContext<'search' | 'documentSets'>,
): Promise<Record<string, string | undefined>> {
  const { flow } = context.run;
  const getConfigs = (wanted: string) =>
    flow.flow
      .filter(({ type }) => type === wanted)
      .map((operator) => context.configOf?.(operator.name) ?? effectiveConfig(flow, operator));
  const currentSets = await getCurrentSets(
    getConfigs('document_set'),
    context.run.owner,
    context.services.documentSets,
  );
  for (const config of getConfigs('vectordb')) {
    const name = config['index_name'];
    if (typeof name === 'string')
      currentSets[name] = (await context.services.search.indexUuids([name], getSearchTarget(config)))[name];
  }
  return currentSets;
}
