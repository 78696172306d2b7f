import { isGrpcServiceError } from '@temporalio/client';
import type { ConvertInput } from '../../model/conversion/task/work';
import { countNouns } from '../../model/count-nouns';
import type { Workflows } from '../../model/run/workflows';
import { getQueueName, type TemporalOptions } from '../temporal/client';
import { openKnownWorkflows } from '../temporal/known-workflows';
import type { TaskSource } from './ports';
import { buildReadableTaskId } from './task-ids';

/** Task data that its workflow is started with. */
export interface StartedTask {
  key: string;
  workflowId: string;
  tenant: string;
  type: 'convert' | 'chunk';
  sources: readonly TaskSource[];
}

/** The workflows of conversion tasks, by the ids of the workflows. */
export interface ConversionEngine {
  /** The workflow id of a new task. Undefined where Temporal must not contain names: the id is then the key of the task. */
  nameWorkflow(task: Pick<StartedTask, 'key' | 'type' | 'sources'>): string | undefined;
  /** Idempotent. Fails with WORKFLOW_ENGINE_UNAVAILABLE when Temporal does not answer. */
  start(task: StartedTask): Promise<void>;
  /** Requests cancellation. Does nothing when the workflow has already ended. */
  cancel(id: string): Promise<void>;
  /**
   * Resolves when the workflow has ended or does not exist; rejects when the signal aborts or Temporal is unreachable. A pending
   * request is never cancelled, because a cancelled request can leave Temporal's SQLite database interrupted for good.
   */
  waitForEnd(id: string, signal: AbortSignal): Promise<void>;
  /** False when the workflow does not exist or has ended. */
  isRunning(id: string): Promise<boolean>;
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** Tasks with few documents go before tasks with many: 1 is the highest priority, 5 the lowest. */
function choosePriority(sources: number): number {
  if (sources <= 1) return 2;
  return sources <= 20 ? 3 : 4;
}

/** Runs tasks as Temporal workflows. Connects lazily. */
export function createConversionEngine(options: TemporalOptions): ConversionEngine {
  const { connection, client, call, startOnce, cancel, isRunning } = openKnownWorkflows(options);

  return {
    // Temporal encrypts no ids.
    nameWorkflow: ({ key, type, sources }) =>
      options.dataConverter ? undefined : buildReadableTaskId(type, sources, key),
    start: ({ key, workflowId, tenant, type, sources }) =>
      startOnce(async () => {
        const input: ConvertInput = { taskId: key, showsCounts: true };
        return client.workflow.start<Workflows['convert']>('convert', {
          workflowId,
          taskQueue: await getQueueName(options, 'convert'),
          args: [input],
          workflowIdReusePolicy: 'REJECT_DUPLICATE',
          staticSummary: `${type} ${countNouns(sources.length, 'source')} of ${tenant}`.slice(0, 200),
          priority: { priorityKey: choosePriority(sources.length), fairnessKey: tenant.slice(0, 64) },
        });
      }),
    cancel,
    async waitForEnd(id, signal) {
      const abort = watchAbort(signal);
      const { workflowService } = connection;
      const request = { ...buildCloseRequest(id), namespace: options.namespace };
      try {
        for (let nextPageToken: Uint8Array | null | undefined; ;) {
          signal.throwIfAborted();
          const response = workflowService.getWorkflowExecutionHistory({ ...request, nextPageToken });
          response.catch(() => undefined);
          const answer = await Promise.race([response, abort.happened]);
          if (answer.history?.events?.length) return;
          ({ nextPageToken } = answer);
        }
      } catch (error) {
        if (!isGrpcServiceError(error) || (error.code as number) !== notFound) throw error;
      } finally {
        abort.forget();
      }
    },
    isRunning,
    ping: () => call(async () => void (await connection.workflowService.getSystemInfo({}))),
    close: () => connection.close(),
  };
}

/** gRPC status code NOT_FOUND. */
const notFound = 5;
/** HISTORY_EVENT_FILTER_TYPE_CLOSE_EVENT */
const closeEvent = 2;

/** A long-poll request for the last event of a workflow. Returns without events when none arrives in time. */
function buildCloseRequest(workflowId: string) {
  return { execution: { workflowId }, waitNewEvent: true, historyEventFilterType: closeEvent, skipArchival: true };
}

/** `happened` rejects when the signal aborts, unless `forget` was called before. */
function watchAbort(signal: AbortSignal): { happened: Promise<never>; forget: () => void } {
  let forget = () => {};
  const happened = new Promise<never>((_, reject) => {
    const onAbort = () => reject(signal.reason as Error);
    signal.addEventListener('abort', onAbort, { once: true });
    forget = () => signal.removeEventListener('abort', onAbort);
  });
  happened.catch(() => undefined);
  return { happened, forget };
}
