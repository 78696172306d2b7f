import { type EngineState, getSettledMessage, settleState } from '../../model/run/settle';
import type { RunRecord, RunsStore } from './run-record';

/**
 * Updates the run after its workflow was queried. When the workflow ended without recording it, the record becomes final and the
 * job's lock is released. A record that became final in the meantime is not changed.
 */
export async function settleRun(
  store: Pick<RunsStore, 'update' | 'releaseJob'>,
  run: RunRecord,
  { engine, now }: { engine: EngineState; now: Date },
): Promise<RunRecord> {
  const state = settleState(run.status, engine, now.getTime() - Date.parse(run.created_at));
  if (state === run.status) return run;
  const settled = await store.update(run.job_run_id, {
    status: state,
    message: getSettledMessage(state, engine),
    ended_at: now.toISOString(),
  });
  await store.releaseJob(run.job_id, run.job_run_id);
  return settled ?? run;
}
