import type { IndexWriter } from '../../services/search/ports';
import type { RunFacts } from '../operator';

/**
 * The users on whose behalf a run writes to an index. `grants` are the other users whom the configuration allows to
 * write.
 */
export function buildIndexWriter(run: RunFacts, grants?: readonly string[]): IndexWriter {
  const { runId, jobId, owner, jobOwner = owner, writers = [owner], startedAt } = run;
  return { runId, jobId, owner: jobOwner, users: writers, startedAt, ...(grants ? { grants: [...grants] } : {}) };
}
