import { AppError } from '../../model/errors';
import { isFinal } from '../../model/run/run';
import type { RunRecord } from '../../services/run/run-record';
import { projectPolicy, type RequestContext, requireMay } from '../http/policies';
import { cancelRun, findSettledRun } from '../run/state';
import { awaitEnd } from '../run/watch';

/** Throws PROJECT_NOT_FOUND with the field, or FORBIDDEN, unless the user may add flows to the project; null means no project. */
export async function requireProject(projectId: string | null, context: RequestContext): Promise<void> {
  if (projectId === null) return;
  const project = await context.services.projects.get(context.user, projectId);
  if (project) return requireMay(projectPolicy, 'addFlows', project, context);
  throw new AppError('PROJECT_NOT_FOUND', `Project with ID '${projectId}' not found.`, {
    target: { type: 'field', name: 'project_id' },
  });
}

/**
 * Prepares flows for removal. Throws FLOW_IN_USE while runs are active; with `force`, cancels them and waits for their end. Then
 * removes schedules, so that none starts a removed flow.
 */
export async function prepareRemoval(
  scope: { flowId: string } | { projectId: string },
  force: boolean,
  context: RequestContext & { signal: AbortSignal },
): Promise<void> {
  await endRuns(scope, force, context);
  const { flowRuns, schedules, failures, reviews } = context.services;
  const flowIds = 'flowId' in scope ? [scope.flowId] : await flowRuns.listScheduledFlowIds(scope.projectId);
  for (const flowId of flowIds) {
    await schedules.removeAll(flowId);
    await failures.forgetJob(flowId);
    await reviews.forgetJob(flowId);
  }
}

async function endRuns(
  scope: { flowId: string } | { projectId: string },
  force: boolean,
  context: RequestContext & { signal: AbortSignal },
): Promise<void> {
  const { services, options, signal } = context;
  const activeRuns: RunRecord[] = [];
  for (const runId of await services.flowRuns.listOpen(scope)) {
    const stored = await services.runsStore.get(runId);
    const run = stored && (await findSettledRun(stored, services, options.probeTimeoutMs)).run;
    if (run && !isFinal(run.status)) activeRuns.push(run);
  }
  const [first] = activeRuns;
  if (!first) return;
  if (!force) {
    throw new AppError(
      'FLOW_IN_USE',
      `The flow '${first.flow_name}' has a run that is ${first.status} (${activeRuns.length} in all, among them '${first.job_run_id}'); cancel it first, or delete with force=true.`,
    );
  }
  await Promise.all(activeRuns.map(async (run) => cancelRun(run, context)));
  for (const run of activeRuns) await awaitEnd(run, { services, options }, signal);
}
