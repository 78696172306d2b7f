import { isAdmin } from '../../model/access';
import { AppError } from '../../model/errors';
import { type RunRights, intersectRights, getRunRights, getRunPeople } from '../../model/run/rights';
import { isFinal } from '../../model/run/run';
import type { RunRecord } from '../../services/run/run-record';
import { getOwnJobId, requireNoParameters } from '../../services/run/sharing';
import { startRun } from '../../services/run/start-run';
import { type RequestContext, flowPolicy, may, requireMay } from '../http/policies';
import { createStateError } from './job-runs';

/**
 * Checks who may repeat a run that shared the job of its flow: users who may change the flow now, regardless of their rights at
 * the time. Only they may pass a configuration, and to the runs of others only administrators. Returns the project of the new
 * run: that of the earlier run, unless the flow has left it since.
 */
export async function requireRepeat(
  earlier: RunRecord,
  configuration: Record<string, unknown>,
  context: RequestContext,
): Promise<string | null> {
  const { flow_id: flowId, flow_name: flowName, job_id: jobId, project_id: projectId, owner } = earlier;
  const flow = await flowPolicy.find(flowId, context);
  const isAdministrator = isAdmin(context.user, context.options.adminGroups);
  // Administrators see all flows, so a flow that they cannot see has been removed.
  if (!flow && isAdministrator) return projectId;
  if (!flow) throw flowPolicy.notFound(flowId);
  const project = flow.project_id === projectId ? projectId : null;
  // Another user must not redirect what the starter of the run passed to it.
  if (owner !== context.user.username && !isAdministrator) requireNoParameters(flowName, configuration);
  if (await may(flowPolicy, 'change', flow, context)) return project;
  await requireMay(flowPolicy, 'run', flow, context);
  requireNoParameters(flowName, configuration);
  if (jobId === getOwnJobId(flowId, owner)) return project;
  throw new AppError(
    'FORBIDDEN',
    `The run '${earlier.job_run_id}' shares the job of the flow '${flowName}', which you may no longer change; start a new run instead.`,
  );
}

/** A repeated run sees no more than the earlier run did, and no more than the user may see. */
export function limitRepeatRights(earlier: RunRecord, { user, options }: RequestContext): RunRights {
  const before = getRunRights(earlier);
  const now = intersectRights([user], options, before.job_owner);
  return {
    readers: [...new Set([...before.readers, ...now.readers])],
    writers: [...new Set([...before.writers, ...now.writers])],
    job_owner: before.job_owner,
    people: [...getRunPeople(earlier), { username: user.username, groups: [...user.groups] }],
  };
}

/**
 * Runs some documents of an earlier run again, from the tables of its sources. JOB_RUN_INVALID_STATE where it has not ended or
 * its tables are gone.
 */
export async function repeatDocuments(
  context: RequestContext,
  runId: string,
  again: { mode: 'failed' | 'chosen'; documents: string[] },
) {
  const { services } = context;
  const earlier = await services.runsStore.get(runId);
  if (!earlier) throw createStateError(runId, 'was removed; run the flow again');
  if (!isFinal(earlier.status)) throw createStateError(runId, `is ${earlier.status}; retry when it has ended`);
  if (earlier.tables_removed_at !== undefined)
    throw createStateError(runId, `lost its tables at ${earlier.tables_removed_at}; run the flow again`);
  const project_id = await requireRepeat(earlier, {}, context);
  return startRun(services, {
    flow: { ...earlier.snapshot.flow, flow_id: earlier.flow_id, project_id },
    owner: earlier.owner,
    jobId: earlier.job_id,
    acting: limitRepeatRights(earlier, context),
    metadata: earlier.metadata,
    rerun: { of: { run_id: runId, ...again } },
  });
}
