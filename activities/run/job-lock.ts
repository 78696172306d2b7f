import { getWorkflowId } from '../../services/run/workflow-id';
import type { ActivityDeps } from '../deps';

/** Locks the job for the run. Returns the holder when another run of the job is not finished. */
export async function lockJob(
  { runsStore, runs }: Pick<ActivityDeps, 'runsStore' | 'runs'>,
  jobId: string,
  runId: string,
): Promise<{ holder?: string }> {
  const { acquired, holder } = await runsStore.acquireJob(jobId, runId);
  if (acquired) return {};
  // A workflow that ended without releasing the lock (terminated, timed out) no longer holds it.
  const status = await runs.readStatus(getWorkflowId((await runsStore.get(holder)) ?? { job_run_id: holder }));
  if (status !== 'RUNNING' && (await runsStore.replaceHolder(jobId, holder, runId))) return {};
  return { holder };
}
