import { WorkflowExecutionAlreadyStartedError, WorkflowFailedError, WorkflowNotFoundError } from '@temporalio/client';
import type { ConvertInput } from '../model/conversion/work';
import type { convert } from '../workflows/convert';
import { callTemporal } from './temporal-call';
import { openTemporal, type TemporalOptions } from './temporal-client';

/** What is known of a task when its workflow is started. */
export interface StartedTask {
  id: string;
  tenant: string;
  type: 'convert' | 'chunk';
  sources: number;
}

/** The workflows of conversion tasks; their ids are the tasks'. */
export interface ConversionEngine {
  /** Starting a task again is harmless. WORKFLOW_ENGINE_UNAVAILABLE when Temporal does not answer. */
  start(task: StartedTask): Promise<void>;
  /** Asks the workflow to end; harmless when it has. */
  cancel(id: string): Promise<void>;
  /** Resolves when the workflow has ended or does not exist; rejects when the signal aborts or Temporal is away. */
  ended(id: string, signal: AbortSignal): Promise<void>;
  /** False when there is no such workflow or it has ended. */
  isRunning(id: string): Promise<boolean>;
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** Tasks of many documents give way to those of few: 1 goes first, 5 last. */
function priorityOf(sources: number): number {
  if (sources <= 1) return 2;
  return sources <= 20 ? 3 : 4;
}

/** Tasks as Temporal workflows. Connects lazily. */
export function createConversionEngine(options: TemporalOptions): ConversionEngine {
  const { connection, client } = openTemporal(options);
  const call = <T>(action: () => Promise<T>) => callTemporal({ connection, address: options.address }, action);

  return {
    start: ({ id, tenant, type, sources }) =>
      call(async () => {
        try {
          const input: ConvertInput = { taskId: id };
          await client.workflow.start<typeof convert>('convert', {
            workflowId: id,
            taskQueue: `${options.taskQueue}-convert`,
            args: [input],
            workflowIdReusePolicy: 'REJECT_DUPLICATE',
            staticSummary: `${type} ${sources} ${sources === 1 ? 'source' : 'sources'} of ${tenant}`.slice(0, 200),
            priority: { priorityKey: priorityOf(sources), fairnessKey: tenant.slice(0, 64) },
          });
        } catch (error) {
          if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
        }
      }),
    cancel: (id) =>
      call(async () => {
        try {
          await client.workflow.getHandle(id).cancel();
        } catch (error) {
          if (!(error instanceof WorkflowNotFoundError)) throw error;
        }
      }),
    async ended(id, signal) {
      try {
        await connection.withAbortSignal(signal, () => client.workflow.getHandle(id).result());
      } catch (error) {
        if (!(error instanceof WorkflowFailedError) && !(error instanceof WorkflowNotFoundError)) throw error;
      }
    },
    isRunning: (id) =>
      call(async () => {
        try {
          const { status } = await client.workflow.getHandle(id).describe();
          return status.name === 'RUNNING';
        } catch (error) {
          if (error instanceof WorkflowNotFoundError) return false;
          throw error;
        }
      }),
    ping: () => call(async () => void (await connection.workflowService.getSystemInfo({}))),
    close: () => connection.close(),
  };
}
