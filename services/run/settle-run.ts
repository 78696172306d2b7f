import { type EngineState, settledMessage, settledState } from '../../model/run/settle';
import type { RunRecord, RunsStore } from './run-record';

/**
 * The run after the engine was asked about it: a workflow that ended without saying so settles the record, and gives the job
 * up. A record that became final in the meantime stays as it is.
 */
export async function settleRun(
  store: Pick<RunsStore, 'update' | 'releaseJob'>,
  run: RunRecord,
  { engine, now }: { engine: EngineState; now: Date },
): Promise<RunRecord> {
  const state = settledState(run.status, engine, now.getTime() - Date.parse(run.created_at));
  if (state === run.status) return run;
  const settled = await store.update(run.job_run_id, {
    status: state,
    message: settledMessage(state, engine),
    ended_at: now.toISOString(),
  });
  await store.releaseJob(run.job_id, run.job_run_id);
  return settled ?? run;
}
