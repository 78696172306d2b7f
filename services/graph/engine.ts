import type { BuildGraphInput } from '../../model/graph/graph-build';
import type { Workflows } from '../../model/run/workflows';
import type { GraphRecord } from './store';
import { openKnownWorkflows } from '../temporal/known-workflows';
import { queueName, type TemporalOptions } from '../temporal/client';

/** The workflows of graphs; their ids are the graphs'. */
export interface GraphEngine {
  /** Starting a graph again is harmless. WORKFLOW_ENGINE_UNAVAILABLE when Temporal does not answer. */
  start(graph: Pick<GraphRecord, 'id' | 'owner' | 'source' | 'template'>): Promise<void>;
  /** Asks the workflow to end; harmless when it has. */
  cancel(id: string): Promise<void>;
  /** False when there is no such workflow or it has ended. */
  isRunning(id: string): Promise<boolean>;
  /** Waits until the workflow of a graph that has ended is over too; one that stays is terminated. */
  settle(id: string): Promise<void>;
  close(): Promise<void>;
}

/** Graphs as Temporal workflows. Connects lazily. */
export function createGraphEngine(options: TemporalOptions): GraphEngine {
  const { connection, client, startOnce, cancel, isRunning, settle } = openKnownWorkflows(options);
  return {
    start: ({ id, owner, source, template }) =>
      startOnce(async () => {
        const input: BuildGraphInput = { graphId: id };
        return client.workflow.start<Workflows['buildGraph']>('buildGraph', {
          workflowId: id,
          taskQueue: await queueName(options, 'flow'),
          args: [input],
          // An idempotency key gives the same id again when its graph was removed. What has ended once does nothing a second time.
          workflowIdReusePolicy: 'ALLOW_DUPLICATE',
          staticSummary: `${template} of ${source.name}`.slice(0, 200),
          staticDetails: `Owner ${owner}.`.slice(0, 2_000),
          priority: { fairnessKey: owner.slice(0, 64) },
        });
      }),
    cancel,
    isRunning,
    settle,
    close: () => connection.close(),
  };
}
