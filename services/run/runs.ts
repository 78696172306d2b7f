import { type Client, WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client';
import {
  defineSearchAttributeKey,
  type Payload,
  type PayloadCodec,
  SearchAttributeType,
  TypedSearchAttributes,
} from '@temporalio/common';
import type { RunFlowInput } from '../../model/run/run';
import type { SearchAttribute } from '../../model/run/search-attributes';
import type { RunRecord } from './run-record';
import { callTemporal } from '../temporal/call';
import { openTemporal, queueName, type TemporalOptions } from '../temporal/client';
import type { Workflows } from '../../model/run/workflows';

/** The workflow engine, as used by the API and the command line. */
export interface Runs {
  /** Starts the workflow of a run; its id is the job run id. Does nothing when the run has already started. */
  start(run: RunRecord): Promise<void>;
  cancel(runId: string): Promise<void>;
  /** The state according to Temporal; undefined when the workflow does not exist. */
  status(
    runId: string,
  ): Promise<'RUNNING' | 'COMPLETED' | 'FAILED' | 'CANCELED' | 'TERMINATED' | 'TIMED_OUT' | undefined>;
  /**
   * Unavailable services that the run's operators wait for, one entry per operator. Empty when there are none or nothing is
   * known.
   */
  outages(runId: string): Promise<Outage[]>;
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** An unavailable service, as reported by the operator that waits for it. */
export interface Outage {
  operator: string;
  code: string;
  message: string;
  /** ISO 8601. */
  since: string;
  /** When the run gives up, ISO 8601. */
  until?: string;
}

/** Number of batches that are queried. An unavailable service affects all batches. */
const mostBatchesAsked = 4;

const keyword = (name: SearchAttribute) => defineSearchAttributeKey(name, SearchAttributeType.KEYWORD);

/** Search attributes that a run has from its start. */
const searchAttributes = {
  FlowName: keyword('FlowName'),
  JobRunId: keyword('JobRunId'),
  ProjectId: keyword('ProjectId'),
  Owner: keyword('Owner'),
};

/** Runs flows as Temporal workflows. Connects lazily. Throws WORKFLOW_ENGINE_UNAVAILABLE when Temporal does not answer. */
export function createRuns(options: TemporalOptions): Runs {
  const { connection, client } = openTemporal(options);

  const call = <T>(action: () => Promise<T>) => callTemporal({ connection, address: options.address }, action);

  return {
    start: (run) =>
      call(async () => {
        try {
          await client.workflow.start<Workflows['runFlow']>('runFlow', {
            workflowId: run.job_run_id,
            taskQueue: await queueName(options, 'flow'),
            args: [workflowInput(run)],
            workflowIdReusePolicy: 'REJECT_DUPLICATE',
            typedSearchAttributes: attributesOf(run),
            ...describeRun(run),
            memo: memoOf(run),
            priority: { fairnessKey: (run.project_id ?? run.owner).slice(0, 64) },
          });
        } catch (error) {
          // Ids are generated here and never reused, so an earlier attempt has started this same run.
          if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
        }
      }),
    cancel: (runId) =>
      call(async () => {
        try {
          await client.workflow.getHandle(runId).cancel();
        } catch (error) {
          if (!(error instanceof WorkflowNotFoundError)) throw error;
        }
      }),
    status: (runId) =>
      call(async () => {
        try {
          const { status } = await client.workflow.getHandle(runId).describe();
          return statusOf(status.name);
        } catch (error) {
          if (error instanceof WorkflowNotFoundError) return undefined;
          throw error;
        }
      }),
    outages: (runId) => call(() => findOutages(client, runId, options.dataConverter?.payloadCodecs)),
    ping: () => call(async () => void (await connection.workflowService.getSystemInfo({}))),
    close: () => connection.close(),
  };
}

/** The argument of the run's workflow. */
export function workflowInput(run: RunRecord): RunFlowInput {
  const { job_run_id: runId, job_id: jobId, flow_name: flowName, rerun } = run;
  const seed = rerun && rerun.mode !== 'all' ? { seed: { operators: rerun.seeded ?? [] } } : {};
  return { runId, jobId, flowName, plan: run.snapshot.plan, showsCounts: true, ...seed };
}

/** Summary and details of the run's workflow in the Temporal UI. */
export function describeRun(run: RunRecord): { staticSummary: string; staticDetails: string } {
  const names = run.snapshot.flow.flow.map(({ name }) => name).join(', ');
  return {
    staticSummary: `${run.flow_name}: ${sourcesOf(run)}`.slice(0, 200),
    staticDetails: `Job ${run.job_id}, owner ${run.owner}. Operators: ${names}.`.slice(0, 2_000),
  };
}

/** Facts about a run in the list of the Temporal UI. Encrypted like payloads. */
export function memoOf(run: RunRecord): Record<string, string> {
  return {
    flow: run.flow_name,
    flow_id: run.flow_id,
    sources: sourcesOf(run),
    owner: run.owner,
    ...(run.project_id ? { project_id: run.project_id } : {}),
  };
}

function attributesOf(run: RunRecord): TypedSearchAttributes {
  return new TypedSearchAttributes([
    { key: searchAttributes.FlowName, value: run.flow_name },
    { key: searchAttributes.JobRunId, value: run.job_run_id },
    { key: searchAttributes.Owner, value: run.owner },
    ...(run.project_id ? [{ key: searchAttributes.ProjectId, value: run.project_id }] : []),
  ]);
}

function sourcesOf(run: RunRecord): string {
  return run.snapshot.plan.sources.map(({ name }) => name).join(', ');
}

function statusOf(name: string): Awaited<ReturnType<Runs['status']>> {
  if (name === 'CANCELLED') return 'CANCELED';
  if (name === 'COMPLETED' || name === 'FAILED' || name === 'TERMINATED' || name === 'TIMED_OUT') return name;
  return 'RUNNING';
}

/** Queries the workflow of the run and those of a few batches. */
async function findOutages(
  client: Client,
  runId: string,
  codecs: readonly PayloadCodec[] | undefined,
): Promise<Outage[]> {
  const { namespace } = client.options;
  const describe = (workflowId: string) =>
    client.workflowService.describeWorkflowExecution({ namespace, execution: { workflowId } });
  try {
    const run = await describe(runId);
    const children = (run.pendingChildren ?? []).flatMap(({ workflowId }) => workflowId ?? []);
    const batches = await Promise.all(children.slice(0, mostBatchesAsked).map(describe));
    const pending = [run, ...batches].flatMap(({ pendingActivities }) => pendingActivities ?? []);
    return await outagesOf(pending, codecs);
  } catch (error) {
    // A workflow or batch may end between two requests.
    if (isNotFound(error)) return [];
    throw error;
  }
}

interface PendingActivity {
  activityType?: { name?: string | null } | null;
  heartbeatDetails?: { payloads?: Payload[] | null } | null;
}

/** Outages in the heartbeats of running activities, decrypted by the codecs; the earliest per operator. */
export async function outagesOf(
  activities: readonly PendingActivity[],
  codecs: readonly PayloadCodec[] = [],
): Promise<Outage[]> {
  const found = new Map<string, Outage>();
  for (const { activityType, heartbeatDetails } of activities) {
    const pulse = await pulseOf(heartbeatDetails?.payloads?.[0], codecs);
    if (pulse?.waitingFor === undefined || pulse.since === undefined) continue;
    const [, code = '', message = ''] = /^([A-Z_]+): (.*)$/s.exec(pulse.waitingFor) ?? [];
    const operator = activityType?.name ?? '';
    const known = found.get(operator);
    const until = pulse.until === undefined ? {} : { until: pulse.until };
    if (!known || pulse.since < known.since)
      found.set(operator, { operator, code, message, since: pulse.since, ...until });
  }
  return [...found.values()];
}

interface WaitingPulse {
  waitingFor?: string;
  since?: string;
  until?: string;
}

async function pulseOf(
  payload: Payload | undefined,
  codecs: readonly PayloadCodec[],
): Promise<WaitingPulse | undefined> {
  if (!payload) return undefined;
  try {
    let clear: Payload | undefined = payload;
    for (const codec of codecs.toReversed()) [clear] = clear ? await codec.decode([clear]) : [];
    return JSON.parse(Buffer.from(clear?.data ?? []).toString('utf8')) as WaitingPulse;
  } catch {
    return undefined;
  }
}

function isNotFound(error: unknown): boolean {
  const notFound = 5;
  return error instanceof WorkflowNotFoundError || (error as { code?: unknown }).code === notFound;
}
