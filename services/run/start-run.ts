import { hash, randomUUID } from 'node:crypto';
import { AppError } from '../../model/errors';
import { buildEffectiveConfig, applyOverrides } from '../../model/flow/config';
import type { FlowDefinition } from '../../model/flow/flow';
import type { OperatorDefinition } from '../../model/flow/operator';
import type { Plan } from '../../model/flow/plan';
import { planFlow } from '../../model/flow/plan-flow';
import { describeRedirected, findRedirected } from '../../model/flow/redirected-secrets';
import { type FlowAlert, validateFlow } from '../../model/flow/validation';
import { planSample } from '../../model/run/plan-sample';
import type { RunRights } from '../../model/run/rights';
import type { Rerun, Sample } from '../../model/run/run';
import type { QueryCheck } from '../flow/query-check';
import type { RunRecord, RunsStore } from './run-record';
import type { Runs } from './runs';

/** Dependencies of starting a run. */
export interface StartRunDeps {
  operators: readonly OperatorDefinition[];
  runsStore: RunsStore;
  runs: Pick<Runs, 'start' | 'nameWorkflow'>;
  /** When given, a run with a query that the engine rejects is not started. */
  queryCheck?: QueryCheck;
}

/** A run to be started: its flow, owner, job and run parameters. */
export interface StartRunRequest {
  flow: FlowDefinition & { flow_id: string };
  owner: string;
  /** The people for whom the run acts. */
  acting: RunRights;
  jobId: string;
  overrides?: Record<string, unknown>;
  metadata?: Record<string, string>;
  /** Repeating the key with the same request of the same owner returns the existing run; with another request, CONFLICT. */
  idempotencyKey?: string;
  /** The earlier run to repeat, and the plan when only a part of the flow's plan runs. */
  rerun?: { of: Rerun; plan?: Plan };
  sample?: Sample;
}

/**
 * Validates, plans, records and starts a run. An invalid flow never starts: FLOW_VALIDATION_FAILED lists every problem. When
 * Temporal is unavailable the record ends FAILED, so that no run waits for a start that never happens. A run with an idempotency
 * key stays QUEUED instead, so that the same request can start it.
 */
export async function startRun(
  deps: StartRunDeps,
  request: StartRunRequest,
): Promise<{ run: RunRecord; warnings: FlowAlert[] }> {
  const { run: requestedRun, warnings } = buildRun(deps, request);
  await refuseQueries(requestedRun.snapshot.flow, deps.queryCheck);
  const run = await deps.runsStore.create(requestedRun);
  if (!isSameRequest(run, requestedRun)) {
    throw new AppError(
      'CONFLICT',
      `The idempotency key '${request.idempotencyKey}' was used for the run ${run.job_run_id} of the flow '${run.flow_name}'; use another key for another flow, other parameters or another re-run.`,
      { target: { type: 'header', name: 'Idempotency-Key' } },
    );
  }
  if (run.status !== 'QUEUED') return { run, warnings };
  try {
    await deps.runs.start(run);
  } catch (error) {
    if (request.idempotencyKey === undefined) {
      const message = error instanceof Error ? error.message : String(error);
      await deps.runsStore.update(run.job_run_id, {
        status: 'FAILED',
        message: `The run could not be started: ${message}`,
        ended_at: new Date().toISOString(),
      });
    }
    throw error;
  }
  return { run, warnings };
}

/** Records of earlier versions have no hash of the request. */
function isSameRequest(stored: RunRecord, requested: RunRecord): boolean {
  if (stored.flow_id !== requested.flow_id) return false;
  return stored.request_hash === undefined || stored.request_hash === requested.request_hash;
}

/**
 * Creates the record of a run without storing it. Throws FLOW_VALIDATION_FAILED when the flow with its run parameters is invalid.
 */
export function buildRun(
  deps: Pick<StartRunDeps, 'operators'> & { runs: Pick<Runs, 'nameWorkflow'> },
  request: StartRunRequest,
): { run: RunRecord; warnings: FlowAlert[] } {
  // The snapshot does not contain the confirmation, so a run that repeats this one is not confirmed.
  const { confirm_empty_source: isConfirmed, ...otherOverrides } = request.overrides ?? {};
  // The validation refuses a confirmation that is no boolean.
  const overrides = typeof isConfirmed === 'boolean' ? otherOverrides : (request.overrides ?? {});
  const flow = applyOverrides(buildDefinition(request.flow), overrides);
  const redirected = findRedirected(flow, request.flow, request.overrides);
  if (redirected.length > 0)
    throw new AppError('FLOW_INVALID_DATA', redirected.map((secret) => describeRedirected(secret)).join(' '));
  const { errors, warnings } = validateFlow(flow, deps.operators);
  if (errors.length > 0) throw createInvalidFlowError(flow, errors);
  const { idempotencyKey, rerun, sample } = request;
  const plan = rerun?.plan ?? planFlow(flow, deps.operators);
  const run: RunRecord = {
    job_run_id: randomUUID(),
    job_id: request.jobId,
    flow_id: request.flow.flow_id,
    flow_name: flow.flow_name,
    project_id: request.flow.project_id ?? null,
    owner: request.owner,
    acting: request.acting,
    status: 'QUEUED',
    message: '',
    warnings: [],
    created_at: new Date().toISOString(),
    started_at: null,
    ended_at: null,
    totals: { documents: 0, completed: 0, failed: 0, skipped: 0, deleted: 0, pages: 0, withheld: 0 },
    metadata: request.metadata ?? {},
    snapshot: {
      flow,
      plan: sample ? planSample(plan, deps.operators) : plan,
      plan_hash: computePlanHash(flow, deps.operators),
    },
    ...(idempotencyKey === undefined
      ? {}
      : { idempotency_key: idempotencyKey, request_hash: computeRequestHash(request) }),
    ...(rerun ? { rerun: rerun.of } : {}),
    ...(sample ? { sample } : {}),
    ...(isConfirmed === true ? { empty_source_confirmed: true } : {}),
  };
  const workflow_id = deps.runs.nameWorkflow(run);
  return { run: workflow_id === undefined ? run : { ...run, workflow_id }, warnings };
}

/** Throws FLOW_VALIDATION_FAILED for problems that the flow has with these run parameters and not without them. */
export function refuseParameters(
  { operators }: Pick<StartRunDeps, 'operators'>,
  flow: StartRunRequest['flow'],
  overrides: Record<string, unknown>,
): void {
  const definition = buildDefinition(flow);
  const knownMessages = new Set(validateFlow(definition, operators).errors.map(({ message }) => message));
  const { errors } = validateFlow(applyOverrides(definition, overrides), operators);
  const newErrors = errors.filter(({ message }) => !knownMessages.has(message));
  if (newErrors.length > 0) throw createInvalidFlowError(flow, newErrors);
}

async function refuseQueries(flow: FlowDefinition, queryCheck: QueryCheck | undefined): Promise<void> {
  const problems = (await queryCheck?.findProblems(flow, new Set(), new AbortController().signal)) ?? [];
  if (problems.length > 0) throw createInvalidFlowError(flow, problems);
}

/** The error FLOW_VALIDATION_FAILED, with one problem per alert. */
function createInvalidFlowError(flow: FlowDefinition, alerts: readonly FlowAlert[]): AppError {
  const problems = alerts.map(({ message_code, message, pointer }) => ({
    message: `${message_code}: ${message}`,
    target: pointer ? { type: 'field' as const, name: pointer } : undefined,
  }));
  const list = problems.map(({ message }) => message).join(' ');
  return new AppError('FLOW_VALIDATION_FAILED', `The flow '${flow.flow_name}' is invalid: ${list}`, { problems });
}

/** Hash of the request. It stays the same when the request is repeated, even if the flow was changed in between. */
function computeRequestHash({ flow, overrides = {}, metadata = {}, rerun, sample }: StartRunRequest): string {
  const rerunKey = rerun && [rerun.of.run_id, rerun.of.mode, rerun.of.from_operator];
  const sortMembers = (values: Record<string, unknown>) =>
    Object.entries(values).toSorted(([name], [other]) => (name < other ? -1 : 1));
  const fingerprint = [
    flow.flow_id,
    sortMembers(overrides),
    sortMembers(metadata),
    rerunKey,
    ...(sample ? [sample.documents] : []),
  ];
  return hash('sha256', JSON.stringify(fingerprint)).slice(0, 32);
}

function buildDefinition(flow: FlowDefinition): FlowDefinition {
  const { flow_name, description, global_config, flow: operators, edges, tags, project_id } = flow;
  return { flow_name, description, global_config, flow: operators, edges, tags, project_id };
}

/** Hash of the configuration of all operators after the source: documents with another hash were processed differently. */
function computePlanHash(flow: FlowDefinition, definitions: readonly OperatorDefinition[]): string {
  const sources = new Set(definitions.filter(({ scope }) => scope === 'source').map(({ name }) => name));
  const configs = flow.flow
    .filter(({ type }) => !sources.has(type))
    .map((operator) => [operator.type, buildEffectiveConfig(flow, operator)]);
  return hash('sha256', JSON.stringify(configs)).slice(0, 16);
}
