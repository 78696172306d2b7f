import { buildEffectiveConfig } from '../../model/flow/config';
import { readCurrentSets } from '../document_set/current-sets';
import type { OperatorContext } from '../operator';
import { findSearchTarget } from '../vectordb/provider-config';
import type { VectordbConfig } from '../vectordb/schema';
import { buildIndexWriter } from '../vectordb/writer';

/**
 * The UUIDs of the indexes and document sets that the flow writes to; undefined for those that do not exist. Called
 * before any document is converted. Throws INDEX_NOT_OWNED if the run may not write to one of the indexes.
 */
export async function readCurrentIndexes(
  context: OperatorContext<'search' | 'documentSets'>,
): Promise<Record<string, string | undefined>> {
  const { flow } = context.run;
  const listConfigs = (operatorType: string) =>
    flow.flow
      .filter(({ type }) => type === operatorType)
      .map((operator) => context.configOf?.(operator.name) ?? buildEffectiveConfig(flow, operator));
  const uuids = await readCurrentSets(listConfigs('document_set'), context.run.owner, context.services.documentSets);
  const { search } = context.services;
  for (const config of listConfigs('vectordb')) {
    const { index_name: name, alias } = config as Partial<VectordbConfig>;
    if (name === undefined) continue;
    const target = findSearchTarget(config);
    // A sample run writes nothing.
    if (context.run.sample === undefined)
      await search.checkWriter?.({ name, alias }, target, buildIndexWriter(context.run), context.signal);
    uuids[name] = (await search.findIndexUuids([name], target, context.signal))[name];
  }
  return uuids;
}
