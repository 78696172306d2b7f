import { isFinal, type RunState } from '../model/run/run';
import { startGraceMs } from '../model/run/settle';
import { buildSamplePrefix } from '../services/run/sample-services';
import { settleRun } from '../services/run/settle-run';
import { getWorkflowId } from '../services/run/workflow-id';
import type { ActivityDeps } from './deps';

/** Runs per query. */
const pageSize = 100;
const dayMs = 24 * 60 * 60 * 1_000;
/** No file takes this long to write. An older unfinished file belongs to a process that was killed. */
const unfinishedMs = dayMs;
/** No run lasts this long. The texts that its history refers to are needed until it ends. */
const privateTextsMs = 90 * dayMs;

/** Queries Temporal about a page of runs that are not final, and settles those whose workflow has ended. */
export async function settleRuns(deps: ActivityDeps, after: string): Promise<{ settled: number; next?: string }> {
  const now = new Date();
  const before = new Date(now.getTime() - startGraceMs).toISOString();
  const open = await deps.runsStore.listOpenRuns(before, pageSize, after);
  let settled = 0;
  for (const run of open) {
    const engine = await deps.runs.readStatus(getWorkflowId(run));
    const settledState: { status: RunState } = await settleRun(deps.runsStore, run, { engine, now });
    if (isFinal(settledState.status)) settled += 1;
  }
  const last = open.at(-1);
  return { settled, ...(open.length === pageSize && last ? { next: last.created_at } : {}) };
}

/**
 * Removes the tables of a page of runs that ended before the retention period. The converted documents and graphs of a job are
 * removed once none of its runs has tables and the ledger lists none of its documents; until then a run may refer to them. Files
 * left unfinished by killed workers are removed after a day, unfinished uploads after the configured hours.
 */
export async function removeExpired(deps: ActivityDeps): Promise<{ runs: number; jobs: number; more: boolean }> {
  const now = new Date();
  await deps.store.removeUnfinished(new Date(now.getTime() - unfinishedMs));
  await deps.uploads.sweep(now);
  await deps.privateTexts?.forget(new Date(now.getTime() - privateTextsMs));
  const before = new Date(now.getTime() - deps.retentionDays * dayMs).toISOString();
  const expired = await deps.runsStore.listExpiredRuns(before, pageSize);
  for (const run of expired) {
    await deps.services.tables.removeRun(run.job_run_id);
    // A sample run that crashed could not remove them.
    if (run.sample) await deps.services.files.removePrefix(buildSamplePrefix(run.job_run_id));
    await deps.runsStore.noteTablesRemoved(run.job_run_id, now.toISOString());
  }
  let jobs = 0;
  for (const jobId of new Set(expired.map(({ job_id }) => job_id))) {
    if (await deps.runsStore.isJobInUse(jobId)) continue;
    if (await deps.services.ledger.hasDocuments(jobId)) continue;
    await deps.services.files.removePrefix(`documents/${jobId}/`);
    await deps.services.files.removePrefix(`graphs/${jobId}/`);
    jobs += 1;
  }
  return { runs: expired.length, jobs, more: expired.length === pageSize };
}
