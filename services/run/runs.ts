import { WorkflowNotFoundError } from '@temporalio/client';
import { defineSearchAttributeKey, SearchAttributeType, TypedSearchAttributes } from '@temporalio/common';
import type { RunFlowInput } from '../../model/run/run';
import type { SearchAttribute } from '../../model/run/search-attributes';
import type { Workflows } from '../../model/run/workflows';
import { shareNextResult } from '../pacing/request-batching';
import { getQueueName, type TemporalOptions } from '../temporal/client';
import { openKnownWorkflows } from '../temporal/known-workflows';
import { controlRun, type RunControl, type RunControls } from './control';
import type { RunRecord } from './run-record';
import { getReadableWorkflowId, getWorkflowId } from './workflow-id';

/** The workflow engine, as used by the API and the command line. */
export interface Runs {
  /** The workflow id of a new run. Undefined where Temporal must not contain names: the id is then that of the run. */
  nameWorkflow(run: RunRecord): string | undefined;
  /** Starts the workflow of a run, under its `workflow_id`. Does nothing when the run has already started. */
  start(run: RunRecord): Promise<void>;
  cancel(workflowId: string): Promise<void>;
  /** Throws CONFLICT when a run is paused already or is not paused, JOB_RUN_INVALID_STATE when it has ended. */
  control(workflowId: string, change?: RunControl): Promise<RunControls>;
  /** The state according to Temporal; undefined when the workflow does not exist. */
  readStatus(
    workflowId: string,
  ): Promise<'RUNNING' | 'COMPLETED' | 'FAILED' | 'CANCELED' | 'TERMINATED' | 'TIMED_OUT' | undefined>;
  ping(): Promise<void>;
  close(): Promise<void>;
}

const defineKeyword = (name: SearchAttribute) => defineSearchAttributeKey(name, SearchAttributeType.KEYWORD);

/** Search attributes that a run has from its start. */
const searchAttributes = {
  FlowName: defineKeyword('FlowName'),
  JobRunId: defineKeyword('JobRunId'),
  ProjectId: defineKeyword('ProjectId'),
  Owner: defineKeyword('Owner'),
};

/** Maximum characters, within the limits of Temporal: 400 bytes for a summary, 20,000 for details, 64 for a fairness key. */
const maxSummaryLength = 200;
const maxDetailsLength = 1_500;
const maxFairnessKeyLength = 64;

/** Runs flows as Temporal workflows. Connects lazily. Throws WORKFLOW_ENGINE_UNAVAILABLE when Temporal does not answer. */
export function createRuns(options: TemporalOptions): Runs {
  const { client, connection, call, startOnce, cancel } = openKnownWorkflows(options);

  return {
    // Temporal encrypts no ids.
    nameWorkflow: (run) => (options.dataConverter ? undefined : getReadableWorkflowId(run)),
    // Ids are generated here and never reused, so an earlier attempt has started this same run.
    start: (run) =>
      startOnce(async () =>
        client.workflow.start<Workflows['runFlow']>('runFlow', {
          workflowId: getWorkflowId(run),
          taskQueue: await getQueueName(options, 'flow'),
          args: [createWorkflowInput(run)],
          workflowIdReusePolicy: 'REJECT_DUPLICATE',
          typedSearchAttributes: createAttributes(run),
          ...describeRun(run, options.publicUrl),
          memo: buildMemo(run),
          priority: { fairnessKey: (run.project_id ?? run.owner).slice(0, maxFairnessKeyLength) },
        }),
      ),
    control: (workflowId, change) => call(() => controlRun(client, workflowId, change)),
    cancel,
    // Every stream of events asks for the state of its run.
    readStatus: shareNextResult((workflowId) =>
      call(async () => {
        try {
          const { status } = await client.workflow.getHandle(workflowId).describe();
          return getStatus(status.name);
        } catch (error) {
          if (error instanceof WorkflowNotFoundError) return undefined;
          throw error;
        }
      }),
    ),
    ping: () => call(async () => void (await connection.workflowService.getSystemInfo({}))),
    close: () => connection.close(),
  };
}

/** The argument of the run's workflow. */
export function createWorkflowInput(run: RunRecord): RunFlowInput {
  const { job_run_id: runId, job_id: jobId, flow_name: flowName, rerun } = run;
  const seed = rerun && rerun.mode !== 'all' ? { seed: { operators: rerun.seeded ?? [] } } : {};
  return {
    runId,
    jobId,
    flowName,
    plan: run.snapshot.plan,
    showsCounts: true,
    readableIds: run.workflow_id !== undefined,
    ...seed,
  };
}

/** Summary and details of the run's workflow in the Temporal UI. */
export function describeRun(run: RunRecord, publicUrl = ''): { staticSummary: string; staticDetails: string } {
  const names = run.snapshot.flow.flow.map(({ name }) => name).join(', ');
  return {
    staticSummary: `${formatSample(run)}${run.flow_name}: ${joinSources(run)}`.slice(0, maxSummaryLength),
    staticDetails:
      `Job ${run.job_id}, owner ${run.owner}. Operators: ${names}.`.slice(0, maxDetailsLength) +
      describeLinks(run, publicUrl),
  };
}

/** Facts about a run in the list of the Temporal UI. Encrypted like payloads. */
export function buildMemo(run: RunRecord): Record<string, string> {
  return {
    flow: run.flow_name,
    flow_id: run.flow_id,
    sources: joinSources(run),
    owner: run.owner,
    ...(run.project_id ? { project_id: run.project_id } : {}),
    ...(run.sample ? { sample: String(run.sample.documents) } : {}),
  };
}

/** Links to the run outside of Temporal; only paths if the address of the API is unknown. */
function describeLinks({ job_run_id: id }: RunRecord, publicUrl: string): string {
  const record = `${publicUrl}/api/v1/job_runs/${id}`;
  const links = { Console: `${publicUrl}/console/runs/${id}`, Record: record, Report: `${record}/report` };
  return `\n\n${Object.entries(links)
    .map(([name, address]) => (publicUrl ? `- [${name}](${address})` : `- ${name}: \`${address}\``))
    .join('\n')}`;
}

function formatSample({ sample }: RunRecord): string {
  return sample ? `Sample of ${sample.documents}: ` : '';
}

function createAttributes(run: RunRecord): TypedSearchAttributes {
  return new TypedSearchAttributes([
    { key: searchAttributes.FlowName, value: run.flow_name },
    { key: searchAttributes.JobRunId, value: run.job_run_id },
    { key: searchAttributes.Owner, value: run.owner },
    ...(run.project_id ? [{ key: searchAttributes.ProjectId, value: run.project_id }] : []),
  ]);
}

function joinSources(run: RunRecord): string {
  return run.snapshot.plan.sources.map(({ name }) => name).join(', ');
}

function getStatus(name: string): Awaited<ReturnType<Runs['readStatus']>> {
  if (name === 'CANCELLED') return 'CANCELED';
  if (name === 'COMPLETED' || name === 'FAILED' || name === 'TERMINATED' || name === 'TIMED_OUT') return name;
  return 'RUNNING';
}
