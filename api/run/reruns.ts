import { Type } from '@sinclair/typebox';
import type { User } from '../../model/access';
import { AppError } from '../../model/errors';
import { planFrom } from '../../model/flow/plan-rerun';
import { isFinal } from '../../model/run/run';
import { JobRunAccepted, JobRunRerun } from '../../model/run/wire';
import type { RunRecord } from '../../services/run/run-record';
import { startRun, type StartRunRequest } from '../../services/run/start-run';
import { createInvalidFieldError } from '../http/invalid-field';
import { authorize, type RequestContext, runPolicy } from '../http/policies';
import { route } from '../http/route';
import type { ApiServices } from '../services';
import { createStateError } from './job-runs';
import { limitRepeatRights, requireRepeat } from './repeat';
import { findIdempotencyKey, toStartedReply, parseParameters } from './request';
import { findSettledRun } from './state';

export const rerunJobRun = route({
  method: 'POST',
  path: '/api/v1/job_runs/{job_run_id}/rerun',
  operationId: 'rerunJob',
  scope: 'run',
  summary: 'Repeats a finished run: completely, for its failed documents only, or starting at an operator.',
  description:
    'A new run of the flow as it was then, for the same owner. Editors and managers of its project may repeat the runs of others, without a configuration; the new run then sees only what both may read. `failed` and `operator` read the tables of the earlier run; after DOCLOOM_TABLE_RETENTION_DAYS they are gone and the reply is 410 TABLE_NOT_FOUND. Takes `Idempotency-Key`.',
  isIdempotent: true,
  params: Type.Object({ job_run_id: Type.String({ format: 'uuid' }) }),
  body: JobRunRerun,
  replies: { 201: JobRunAccepted },
  errors: [
    'JOB_RUN_NOT_FOUND',
    'JOB_RUN_INVALID_STATE',
    'FLOW_NOT_FOUND',
    'FORBIDDEN',
    'TABLE_NOT_FOUND',
    'FLOW_VALIDATION_FAILED',
    'CONFLICT',
    'WORKFLOW_ENGINE_UNAVAILABLE',
  ],
  handler: async ({ params, body, header, ...context }) =>
    toStartedReply(await repeatOne(params.job_run_id, body, context, findIdempotencyKey(header))),
});

/** Starts a run that repeats a finished one. */
export async function repeatOne(runId: string, body: JobRunRerun, context: RequestContext, idempotencyKey?: string) {
  const { services, options } = context;
  const stored = await authorize(runPolicy, 'repeat', runId, context);
  const { run: earlier } = await findSettledRun(stored, services, options.probeTimeoutMs);
  if (!isFinal(earlier.status))
    throw createStateError(earlier.job_run_id, `is ${earlier.status}; it can be repeated when it has ended`);
  if (earlier.sample) throw createStateError(earlier.job_run_id, 'is a sample run; start another one instead');
  const configuration = parseParameters(body.configuration ?? {}, 'configuration');
  const project_id = await requireRepeat(earlier, configuration, context);
  const rerun = await readRerunMode(earlier, body, services);
  return startRun(services, {
    flow: { ...earlier.snapshot.flow, flow_id: earlier.flow_id, project_id },
    owner: earlier.owner,
    jobId: earlier.job_id,
    acting: limitRepeatRights(earlier, context),
    overrides: rerun.of.mode === 'all' ? { force_ingest: true, ...configuration } : configuration,
    metadata: earlier.metadata,
    idempotencyKey: findKeyFor(earlier, idempotencyKey, context.user),
    rerun,
  });
}

/** Keys belong to the owner of a run; a key sent by another user who repeats it must not collide with them. */
function findKeyFor({ owner }: RunRecord, key: string | undefined, { username }: User): string | undefined {
  return key === undefined || owner === username ? key : JSON.stringify([username, key]);
}

async function readRerunMode(
  earlier: RunRecord,
  body: JobRunRerun,
  { runsStore }: Pick<ApiServices, 'runsStore'>,
): Promise<NonNullable<StartRunRequest['rerun']>> {
  const { from_operator: first } = body;
  const mode = body.mode ?? (first === undefined ? 'all' : 'operator');
  const run_id = earlier.job_run_id;
  if (first !== undefined && mode !== 'operator')
    throw createInvalidFieldError(
      'from_operator',
      `Field 'from_operator' belongs to the mode 'operator', not to '${mode}'.`,
    );
  if (mode === 'all') return { of: { run_id, mode } };
  if (earlier.tables_removed_at !== undefined) {
    throw new AppError(
      'TABLE_NOT_FOUND',
      `The tables of the run '${run_id}' were removed at ${earlier.tables_removed_at}; only mode 'all' is left.`,
    );
  }
  if (mode === 'failed') {
    const { total } = await runsStore.listDocuments(run_id, { limit: 1, offset: 0, outcome: 'failed' });
    if (total === 0) throw createStateError(earlier.job_run_id, 'has no failed documents');
    return { of: { run_id, mode } };
  }
  if (first === undefined)
    throw createInvalidFieldError('from_operator', "Field 'from_operator' is missing; the mode 'operator' needs it.");
  const plan = planFrom(earlier.snapshot.plan, first);
  if (!plan) {
    const names = earlier.snapshot.plan.stages.flatMap(({ operators }) => operators.map(({ name }) => name));
    throw createInvalidFieldError(
      'from_operator',
      `Field 'from_operator' is '${first}'; it must be one of ${names.join(', ')}.`,
    );
  }
  return { of: { run_id, mode, from_operator: first, seeded: plan.seeded }, plan: plan.plan };
}
