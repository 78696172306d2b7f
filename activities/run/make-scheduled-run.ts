import { AppError } from '../../model/errors';
import { serviceAccountPrefix } from '../../model/login/wire-keys';
import type { ScheduledStart } from '../../model/run/activities';
import type { ScheduledRunInput } from '../../model/run/run';
import { formatSchedulePlace } from '../../services/flow/schedules';
import { describeRun, buildMemo, createWorkflowInput } from '../../services/run/runs';
import { computeShare } from '../../services/run/sharing';
import { buildRun } from '../../services/run/start-run';
import { getWorkflowId } from '../../services/run/workflow-id';
import type { ActivityDeps } from '../deps';
import { lockJob } from './job-lock';

/** Creates the run of a due schedule, as the owner of the schedule. The workflow of the schedule starts it. */
export async function makeScheduledRun(
  deps: ActivityDeps,
  input: ScheduledRunInput & { key: string },
): Promise<ScheduledStart> {
  const { flowId, owner, groups = [], key } = input;
  const configuration = await readConfiguration(deps, input);
  await requireOwner(deps, owner);
  const user = { username: owner, email: '', full_name: '', groups };
  const flow = await deps.flows.get(user, flowId);
  if (!flow) {
    throw new AppError(
      'FLOW_NOT_FOUND',
      `The flow ${flowId} of the schedule ${input.scheduleId} does not exist, or '${owner}' may no longer see it.`,
    );
  }
  if (!(await deps.flows.mayChange(user, flow))) {
    throw new AppError(
      'FORBIDDEN',
      `The schedule ${input.scheduleId} of the flow ${flowId} belongs to '${owner}', who may not change the flow; only those who may can have schedules.`,
    );
  }
  const { run } = buildRun(deps, {
    flow,
    owner,
    ...computeShare(flow, user, { mayChange: true, roles: deps.roles }),
    overrides: configuration,
    metadata: { schedule_id: input.scheduleId },
    idempotencyKey: key,
  });
  const { holder } = await lockJob(deps, run.job_id, run.job_run_id);
  if (holder !== undefined) {
    const earlier = await deps.runsStore.get(holder);
    // A second attempt of this activity finds the run that the first one created.
    if (earlier?.idempotency_key !== key) return { holder };
    return buildStart(earlier);
  }
  return buildStart(await deps.runsStore.create(run));
}

/** Throws FORBIDDEN for a service account that was removed: a schedule that it created meanwhile starts nothing. */
export async function requireOwner({ readers }: Pick<ActivityDeps, 'readers'>, owner: string): Promise<void> {
  if (!owner.startsWith(serviceAccountPrefix) || (await readers.find(owner)).principals) return;
  throw new AppError('FORBIDDEN', `The service account '${owner}', which owns the schedule, was removed.`);
}

/** Prefers the record: the copy in Temporal, from earlier versions, may be encrypted with a key that no longer exists. */
export async function readConfiguration(
  { schedules, sealer }: Pick<ActivityDeps, 'schedules' | 'sealer'>,
  { scheduleId, configuration }: Pick<ScheduledRunInput, 'scheduleId' | 'configuration'>,
): Promise<Record<string, unknown>> {
  const stored = await schedules.readConfiguration(scheduleId);
  if (stored) return stored;
  if (!configuration) throw new AppError('SCHEDULE_NOT_FOUND', `The schedule ${scheduleId} no longer exists.`);
  return sealer?.open(configuration, formatSchedulePlace(scheduleId)) ?? configuration;
}

function buildStart(run: Parameters<typeof createWorkflowInput>[0]): ScheduledStart {
  return {
    run: createWorkflowInput(run),
    workflowId: getWorkflowId(run),
    summary: describeRun(run).staticSummary,
    memo: buildMemo(run),
    searchAttributes: {
      FlowName: [run.flow_name],
      JobRunId: [run.job_run_id],
      Owner: [run.owner],
      ...(run.project_id ? { ProjectId: [run.project_id] } : {}),
    },
  };
}
