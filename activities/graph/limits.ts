import type { CorpusLimit } from '../../model/graph/corpus';
import { type GraphStore, noUsage } from '../../services/graph/store';

const limitedAmounts = { documents: 'documents', model_calls: 'model calls', input_tokens: 'input tokens' } as const;

/** Which limit is exceeded, in words. */
export function describeExceededLimit(limit: CorpusLimit | null, needed: Required<CorpusLimit>): string | undefined {
  for (const [name, text] of Object.entries(limitedAmounts) as [keyof CorpusLimit, string][]) {
    const max = limit?.[name];
    if (max !== undefined && needed[name] > max) return `${needed[name]} ${text}, and its limit is ${max}`;
  }
  return undefined;
}

/** Why the update may not continue, if it has used what its limit allows. Finished documents stay. */
export async function describeReachedLimit(store: Pick<GraphStore, 'get'>, id: string): Promise<string | undefined> {
  const { limit, usage } = (await store.get(id))?.corpus ?? { limit: null, usage: noUsage };
  for (const name of ['model_calls', 'input_tokens'] as const) {
    const max = limit?.[name];
    if (max !== undefined && usage[name] >= max)
      return `The update has used ${usage[name]} ${limitedAmounts[name]}, and its limit is ${max}. Finished documents stay; another update reads the rest.`;
  }
  return undefined;
}
