import type { StepDeps } from '../../services/removal/steps';
import type { ActivityDeps } from '../deps';
import { withConnections } from './snapshots';
import { listIndexes } from './vector-stores';

/** Removes documents from the stores that a flow names itself: only workers have the secrets that open them. */
export function createElsewhere({
  search,
  connections,
  env,
}: Pick<ActivityDeps, 'connections' | 'env'> & Pick<ActivityDeps['services'], 'search'>): NonNullable<
  StepDeps['removeElsewhere']
> {
  return async (runRecord, { jobId, documentIds }) => {
    const run = await withConnections({ connections }, runRecord);
    let removed = 0;
    for (const { name, target } of listIndexes(run, { env })) {
      if (!target) continue;
      const gone = await search.removeDocuments(name, { jobId, documentIds }, target);
      if (gone > 0) await search.refresh(name, target);
      removed += gone;
    }
    return removed;
  };
}
