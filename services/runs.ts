import { Client, Connection, isGrpcServiceError, WorkflowNotFoundError } from '@temporalio/client';
import { defineSearchAttributeKey, SearchAttributeType, TypedSearchAttributes } from '@temporalio/common';
import { AppError } from '../model/errors';
import type { RunFlowInput } from '../model/run';
import type { RunRecord, Runs } from './ports';
import type { runFlow } from '../workflows/run-flow';

const callTimeoutMs = 8_000;
const keyword = (name: string) => defineSearchAttributeKey(name, SearchAttributeType.KEYWORD);

/** What operators of Temporal may filter runs by. */
export const searchAttributes = {
  FlowName: keyword('FlowName'),
  JobRunId: keyword('JobRunId'),
  ProjectId: keyword('ProjectId'),
  Owner: keyword('Owner'),
  Outcome: keyword('Outcome'),
};

/** Runs as Temporal workflows. Connects lazily; WORKFLOW_ENGINE_UNAVAILABLE when Temporal does not answer. */
export function createRuns(options: { address: string; namespace: string; taskQueue: string }): Runs {
  const connection = Connection.lazy({ address: options.address, connectTimeout: '4s' });
  const client = new Client({ connection, namespace: options.namespace });

  const call = async <T>(action: () => Promise<T>): Promise<T> => {
    try {
      return await connection.withDeadline(Date.now() + callTimeoutMs, action);
    } catch (error) {
      if (error instanceof WorkflowNotFoundError || error instanceof AppError) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      if (isGrpcServiceError(rootOf(error)) || /deadline|unavailable|connect/i.test(reason)) {
        throw new AppError(
          'WORKFLOW_ENGINE_UNAVAILABLE',
          `Temporal at ${options.address} does not answer: ${reason}.`,
          {},
          error,
        );
      }
      throw error;
    }
  };

  return {
    start: (run) =>
      call(async () => {
        await client.workflow.start<typeof runFlow>('runFlow', {
          workflowId: run.job_run_id,
          taskQueue: `${options.taskQueue}-flow`,
          args: [workflowInput(run)],
          workflowIdReusePolicy: 'REJECT_DUPLICATE',
          typedSearchAttributes: attributesOf(run),
          staticSummary: `${run.flow_name}: ${sourcesOf(run)}`.slice(0, 200),
          staticDetails:
            `Job ${run.job_id}, owner ${run.owner}. Operators: ${run.snapshot.flow.flow.map(({ name }) => name).join(', ')}.`.slice(
              0,
              2_000,
            ),
          priority: { fairnessKey: (run.project_id ?? run.owner).slice(0, 64) },
        });
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
    ping: () => call(async () => void (await connection.workflowService.getSystemInfo({}))),
    close: () => connection.close(),
  };
}

function workflowInput(run: RunRecord): RunFlowInput {
  return { runId: run.job_run_id, jobId: run.job_id, flowName: run.flow_name, plan: run.snapshot.plan };
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

function rootOf(error: unknown): unknown {
  return error instanceof Error && error.cause ? rootOf(error.cause) : error;
}
