import { JobRunsBulk } from '../../model/run/wire-bulk';
import { BulkReply } from '../../model/wire-bulk';
import type { RouteFacts } from '../http/api';
import { applyToItems } from '../http/bulk';
import type { RequestContext } from '../http/policies';
import { route } from '../http/route';
import { changeControls, pauseJobRun, resumeJobRun } from './controls';
import { cancelJobRun, cancelOne, deleteJobRun, deleteOne } from './job-runs';
import { repeatOne, rerunJobRun } from './reruns';

export const changeJobRuns = route({
  method: 'POST',
  path: '/api/v1/job_runs/bulk',
  operationId: 'changeJobRuns',
  scope: 'run',
  summary: 'Cancels, pauses, resumes, repeats or deletes up to 100 runs.',
  description:
    'Each run is handled like a request for a single one, with the same rights; the reply has the outcome of each. `rerun` repeats runs completely, `retry` their failed documents. `delete` refuses runs in progress, and needs an API key with the scope `write` as well.',
  body: JobRunsBulk,
  replies: { 200: BulkReply },
  errors: ['FORBIDDEN', 'WORKFLOW_ENGINE_UNAVAILABLE'],
  handler: ({ body: { action, job_run_ids }, asRequest, ...context }) => {
    const act = (id: string) =>
      asRequest(requests[action], { params: { job_run_id: id } }, () => actions[action](id, context));
    return applyToItems(job_run_ids, { getId: (id) => id, act }, context);
  },
});

type Action = JobRunsBulk['action'];
type Context = RequestContext & { signal: AbortSignal };

/** The requests for a single run. */
const requests: Record<Action, RouteFacts> = {
  cancel: cancelJobRun,
  pause: pauseJobRun,
  resume: resumeJobRun,
  rerun: rerunJobRun,
  retry: rerunJobRun,
  delete: deleteJobRun,
};

/** The bulk actions. */
const actions: Record<Action, (id: string, context: Context) => Promise<{ job_run_id: string } | undefined>> = {
  cancel: (id, context) => dropResult(cancelOne(id, context)),
  pause: (id, context) => dropResult(changeControls(id, context, 'pause')),
  resume: (id, context) => dropResult(changeControls(id, context, 'resume')),
  rerun: (id, context) => repeatRun(id, 'all', context),
  retry: (id, context) => repeatRun(id, 'failed', context),
  delete: (id, context) => dropResult(deleteOne(id, false, context)),
};

async function repeatRun(id: string, mode: 'all' | 'failed', context: Context) {
  const { run } = await repeatOne(id, { mode }, context);
  return { job_run_id: run.job_run_id };
}

async function dropResult(done: Promise<unknown>): Promise<undefined> {
  await done;
}
