import type { ActivityDeps } from '../deps';

/** Takes the job for the run; while another run of it is not finished, gives that run. */
export async function takeJob(
  { runsStore, runs }: Pick<ActivityDeps, 'runsStore' | 'runs'>,
  jobId: string,
  runId: string,
): Promise<{ holder?: string }> {
  const { acquired, holder } = await runsStore.acquireJob(jobId, runId);
  if (acquired) return {};
  // A holder whose workflow has ended without giving the job up (terminated, timed out) holds nothing.
  const status = await runs.status(holder);
  if (status !== 'RUNNING' && (await runsStore.replaceHolder(jobId, holder, runId))) return {};
  return { holder };
}
