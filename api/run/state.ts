import { AppError } from '../../model/errors';
import { isFinal } from '../../model/run/run';
import type { EngineState } from '../../model/run/settle';
import type { RunRecord } from '../../services/run/run-record';
import { settleRun } from '../../services/run/settle-run';
import { getWorkflowId } from '../../services/run/workflow-id';
import type { RequestContext } from '../http/policies';
import type { ApiServices } from '../services';

/**
 * The run with its true state. If the stored state is not final, asks the engine, and settles the record when the workflow has
 * ended without writing a final state. `isUnknown` is true when the engine did not answer in time; the stored state is then kept.
 */
export async function findSettledRun(
  run: RunRecord,
  services: ApiServices,
  patienceMs: number,
): Promise<{ run: RunRecord; isUnknown: boolean }> {
  if (isFinal(run.status)) return { run, isUnknown: false };
  const answer = await readEngineState(getWorkflowId(run), services, patienceMs);
  if (answer === 'no answer') return { run, isUnknown: true };
  const settled = await settleRun(services.runsStore, run, { engine: answer, now: services.clock() });
  return { run: settled, isUnknown: false };
}

async function readEngineState(
  workflowId: string,
  services: ApiServices,
  patienceMs: number,
): Promise<EngineState | 'no answer'> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'no answer'>((resolve) => {
    timer = setTimeout(() => resolve('no answer'), patienceMs);
  });
  const request = services.runs.readStatus(workflowId).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'WORKFLOW_ENGINE_UNAVAILABLE') return 'no answer' as const;
    throw error;
  });
  return Promise.race([request, late]).finally(() => clearTimeout(timer));
}

/** Asks the engine to cancel and records the request. Returns the updated record. */
export async function cancelRun(
  run: RunRecord,
  { user, services }: Pick<RequestContext, 'user' | 'services'>,
): Promise<RunRecord> {
  await services.runs.cancel(getWorkflowId(run));
  const by = run.owner === user.username ? '' : ` by '${user.username}'`;
  const updated = await services.runsStore.update(run.job_run_id, {
    status: 'CANCELING',
    message: `Cancellation was requested${by}.`,
  });
  return updated ?? run;
}
