import { effectiveConfig } from '../../model/flow-config';
import type { OperatorContext } from '../operator';
import { searchTargetOf } from '../vectordb/target';

/** The UUIDs of the indexes that the flow writes to, undefined for one that does not exist. Empty without a vectordb. */
export async function currentIndexes(context: OperatorContext<'search'>): Promise<Record<string, string | undefined>> {
  const { flow } = context.run;
  const found: Record<string, string | undefined> = {};
  for (const operator of flow.flow.filter(({ type }) => type === 'vectordb')) {
    const config = context.configOf?.(operator.name) ?? effectiveConfig(flow, operator);
    const name = config['index_name'];
    if (typeof name === 'string')
      found[name] = (await context.services.search.indexUuids([name], searchTargetOf(config)))[name];
  }
  return found;
}
