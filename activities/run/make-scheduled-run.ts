import { AppError } from '../../model/errors';
import type { ScheduledRunInput } from '../../model/run/run';
import { schedulePlace } from '../../services/flow/schedules';
import { describeRun, workflowInput } from '../../services/run/runs';
import { makeRun } from '../../services/run/start-run';
import type { ActivityDeps } from '../deps';
import { takeJob } from './job-lock';
import type { ScheduledStart } from '../../model/run/activities';

/** Makes the run of a due schedule, as the owner of the schedule. The workflow of the schedule starts it. */
export async function makeScheduledRun(
  deps: ActivityDeps,
  input: ScheduledRunInput & { key: string },
): Promise<ScheduledStart> {
  const { flowId, owner, key, scheduleId } = input;
  const configuration = deps.sealer?.open(input.configuration, schedulePlace(scheduleId)) ?? input.configuration;
  const flow = await deps.flows.get({ username: owner, email: '', full_name: '', groups: [] }, flowId);
  if (!flow) {
    throw new AppError(
      'FLOW_NOT_FOUND',
      `The flow ${flowId} of the schedule ${input.scheduleId} does not exist, or '${owner}' may not see it any more.`,
    );
  }
  const { run } = makeRun(deps, {
    flow,
    owner,
    jobId: flow.flow_id,
    overrides: configuration,
    metadata: { schedule_id: input.scheduleId },
    idempotencyKey: key,
  });
  const { holder } = await takeJob(deps, run.job_id, run.job_run_id);
  if (holder !== undefined) {
    const earlier = await deps.runsStore.get(holder);
    // A second attempt of this activity finds the run of the first.
    if (earlier?.idempotency_key !== key) return { holder };
    return startOf(earlier);
  }
  return startOf(await deps.runsStore.create(run));
}

function startOf(run: Parameters<typeof workflowInput>[0]): ScheduledStart {
  return {
    run: workflowInput(run),
    summary: describeRun(run).staticSummary,
    searchAttributes: {
      FlowName: [run.flow_name],
      JobRunId: [run.job_run_id],
      Owner: [run.owner],
      ...(run.project_id ? { ProjectId: [run.project_id] } : {}),
    },
  };
}
