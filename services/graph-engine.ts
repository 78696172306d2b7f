import { WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client';
import type { BuildGraphInput } from '../model/graph-build';
import type { buildGraph } from '../workflows/build-graph';
import type { GraphRecord } from './graph-store';
import { callTemporal } from './temporal-call';
import { openTemporal, type TemporalOptions } from './temporal-client';

/** The workflows of graphs; their ids are the graphs'. */
export interface GraphEngine {
  /** Starting a graph again is harmless. WORKFLOW_ENGINE_UNAVAILABLE when Temporal does not answer. */
  start(graph: Pick<GraphRecord, 'id' | 'owner' | 'source' | 'template'>): Promise<void>;
  /** Asks the workflow to end; harmless when it has. */
  cancel(id: string): Promise<void>;
  /** False when there is no such workflow or it has ended. */
  isRunning(id: string): Promise<boolean>;
  close(): Promise<void>;
}

/** Graphs as Temporal workflows. Connects lazily. */
export function createGraphEngine(options: TemporalOptions): GraphEngine {
  const { connection, client } = openTemporal(options);
  const call = <T>(action: () => Promise<T>) => callTemporal({ connection, address: options.address }, action);
  return {
    start: ({ id, owner, source, template }) =>
      call(async () => {
        try {
          const input: BuildGraphInput = { graphId: id };
          await client.workflow.start<typeof buildGraph>('buildGraph', {
            workflowId: id,
            taskQueue: `${options.taskQueue}-flow`,
            args: [input],
            workflowIdReusePolicy: 'REJECT_DUPLICATE',
            staticSummary: `${template} of ${source.name}`.slice(0, 200),
            staticDetails: `Owner ${owner}.`.slice(0, 2_000),
            priority: { fairnessKey: owner.slice(0, 64) },
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
    close: () => connection.close(),
  };
}
