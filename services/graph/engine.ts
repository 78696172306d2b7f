import type { UpdateGraphInput } from '../../model/graph/corpus';
import type { BuildGraphInput } from '../../model/graph/graph-build';
import type { Workflows } from '../../model/run/workflows';
import type { GraphRecord } from './store';
import { openKnownWorkflows } from '../temporal/known-workflows';
import { queueName, type TemporalOptions } from '../temporal/client';

/** The workflows of graphs. A workflow has the id of its graph. */
export interface GraphEngine {
  /** Idempotent. Fails with WORKFLOW_ENGINE_UNAVAILABLE when Temporal does not answer. */
  start(graph: Pick<GraphRecord, 'id' | 'owner' | 'source' | 'template' | 'name' | 'corpus'>): Promise<void>;
  /** Requests cancellation. Does nothing when the workflow has already ended. */
  cancel(id: string): Promise<void>;
  /** False when the workflow does not exist or has ended. */
  isRunning(id: string): Promise<boolean>;
  /** Waits until the workflow of a finished graph has ended too. Terminates it when it does not end. */
  settle(id: string): Promise<void>;
  close(): Promise<void>;
}

/** Runs graphs as Temporal workflows. Connects lazily. */
export function createGraphEngine(options: TemporalOptions): GraphEngine {
  const { connection, client, startOnce, cancel, isRunning, settle } = openKnownWorkflows(options);
  return {
    start: ({ id, owner, source, template, name, corpus }) =>
      startOnce(async () => {
        const start = {
          workflowId: id,
          taskQueue: await queueName(options, 'flow'),
          // An idempotency key leads to the same id again after its graph was removed. Repeating a finished workflow changes
          // nothing.
          workflowIdReusePolicy: 'ALLOW_DUPLICATE',
          staticSummary: `${template} of ${name ?? source.name}`.slice(0, 200),
          staticDetails: `Owner ${owner}.`.slice(0, 2_000),
          priority: { fairnessKey: owner.slice(0, 64) },
        } as const;
        if (corpus) {
          const input: UpdateGraphInput = { graphId: id };
          return client.workflow.start<Workflows['updateGraph']>('updateGraph', { ...start, args: [input] });
        }
        const input: BuildGraphInput = { graphId: id };
        return client.workflow.start<Workflows['buildGraph']>('buildGraph', { ...start, args: [input] });
      }),
    cancel,
    isRunning,
    settle,
    close: () => connection.close(),
  };
}
