import { Type } from '@sinclair/typebox';
import { isFinal } from '../../model/run/run';
import { JobRunConcurrency, JobRunControls } from '../../model/run/wire-controls';
import type { RunControl } from '../../services/run/control';
import { getWorkflowId } from '../../services/run/workflow-id';
import { type RequestContext, read, requireMay, runPolicy } from '../http/policies';
import { route } from '../http/route';
import { createStateError } from './job-runs';

const params = Type.Object({ job_run_id: Type.String({ format: 'uuid' }) });
const errors = ['JOB_RUN_NOT_FOUND', 'JOB_RUN_INVALID_STATE', 'WORKFLOW_ENGINE_UNAVAILABLE'] as const;

export const getRunControls = route({
  method: 'GET',
  path: '/api/v1/job_runs/{job_run_id}/controls',
  operationId: 'getRunControls',
  summary: 'Whether a run in progress is paused, and how many batches it runs at the same time.',
  params,
  replies: { 200: JobRunControls },
  errors,
  handler: ({ params: { job_run_id }, ...context }) => changeControls(job_run_id, context),
});

export const pauseJobRun = route({
  method: 'POST',
  path: '/api/v1/job_runs/{job_run_id}/pause',
  operationId: 'pauseJobRun',
  scope: 'run',
  summary: 'Pauses a run: running batches finish, no further one starts.',
  params,
  replies: { 200: JobRunControls },
  errors: [...errors, 'FORBIDDEN', 'CONFLICT'],
  handler: ({ params: { job_run_id }, ...context }) => changeControls(job_run_id, context, 'pause'),
});

export const resumeJobRun = route({
  method: 'POST',
  path: '/api/v1/job_runs/{job_run_id}/resume',
  operationId: 'resumeJobRun',
  scope: 'run',
  summary: 'Resumes a paused run.',
  params,
  replies: { 200: JobRunControls },
  errors: [...errors, 'FORBIDDEN', 'CONFLICT'],
  handler: ({ params: { job_run_id }, ...context }) => changeControls(job_run_id, context, 'resume'),
});

export const setRunConcurrency = route({
  method: 'PUT',
  path: '/api/v1/job_runs/{job_run_id}/concurrency',
  operationId: 'setRunConcurrency',
  scope: 'run',
  summary: 'Changes how many batches of a run are processed at the same time, until it ends.',
  params,
  body: JobRunConcurrency,
  replies: { 200: JobRunControls },
  errors: [...errors, 'FORBIDDEN'],
  handler: ({ params: { job_run_id }, body, ...context }) =>
    changeControls(job_run_id, context, { concurrency: body.max_concurrent_batches }),
});

/** State of a live run, after a change if there is one. */
export async function changeControls(
  runId: string,
  context: RequestContext,
  change?: RunControl,
): Promise<JobRunControls> {
  const run = await read(runPolicy, runId, context);
  if (change !== undefined) await requireMay(runPolicy, 'control', run, context);
  if (isFinal(run.status)) throw createStateError(runId, `is ${run.status}`);
  const { isPaused, concurrency } = await context.services.runs.control(getWorkflowId(run), change);
  return { job_run_id: runId, is_paused: isPaused, max_concurrent_batches: concurrency };
}
