import { defineSearchAttributeKey, SearchAttributeType, TypedSearchAttributes } from '@temporalio/common';
import type { UpdateGraphInput } from '../../model/graph/corpus';
import type { BuildGraphInput } from '../../model/graph/graph-build';
import type { SearchAttribute } from '../../model/run/search-attributes';
import type { Workflows } from '../../model/run/workflows';
import { toIdName } from '../run/workflow-id';
import { getQueueName, type TemporalOptions } from '../temporal/client';
import { openKnownWorkflows } from '../temporal/known-workflows';
import type { GraphRecord } from './store';

/** The graph that a workflow works for. */
type StartedGraph = Pick<GraphRecord, 'id' | 'owner' | 'source' | 'template' | 'name' | 'corpus' | 'workflow_id'>;

/** The id of the graph's workflow. Graphs of earlier versions, and those without readable ids, have the id of the graph. */
export function getGraphWorkflowId({ id, workflow_id }: Pick<GraphRecord, 'id' | 'workflow_id'>): string {
  return workflow_id ?? id;
}

/** The workflows of graphs, by the ids of the workflows. */
export interface GraphEngine {
  /** The workflow id of a new graph. Undefined where Temporal must not contain names: the id is then that of the graph. */
  nameWorkflow(graph: Pick<GraphRecord, 'id' | 'source' | 'name'>): string | undefined;
  /** Idempotent. Fails with WORKFLOW_ENGINE_UNAVAILABLE when Temporal does not answer. */
  start(graph: StartedGraph): Promise<void>;
  /** Requests cancellation. Does nothing when the workflow has already ended. */
  cancel(id: string): Promise<void>;
  /** False when the workflow does not exist or has ended. */
  isRunning(id: string): Promise<boolean>;
  /** Waits until the workflow of a finished graph has ended too. Terminates it when it does not end. */
  settle(id: string): Promise<void>;
  close(): Promise<void>;
}

const ownerAttribute = defineSearchAttributeKey('Owner' satisfies SearchAttribute, SearchAttributeType.KEYWORD);

/** Where the graph is found outside of Temporal; a path where the address of the api is unknown. */
function describeLinks(id: string, publicUrl?: string): string {
  const path = `/api/v1/graphs/${id}`;
  return publicUrl ? `\n\n- [Record](${publicUrl}${path})` : `\n\n- Record: \`${path}\``;
}

/** What Temporal and logs may call the source: titles and names of stored documents are for their readers only. */
function toPublicSource({ document_id, name }: GraphRecord['source']): string {
  return document_id === undefined ? name : 'document';
}

/** Runs graphs as Temporal workflows. Connects lazily. */
export function createGraphEngine(options: TemporalOptions): GraphEngine {
  const { connection, client, startOnce, cancel, isRunning, settle } = openKnownWorkflows(options);
  return {
    // Temporal encrypts no ids.
    nameWorkflow: ({ id, source, name }) =>
      options.dataConverter ? undefined : ['graph', toIdName(name ?? toPublicSource(source)), id].join('/'),
    start: ({ id, owner, source, template, name, corpus, workflow_id }) =>
      startOnce(async () => {
        const start = {
          workflowId: getGraphWorkflowId({ id, workflow_id }),
          taskQueue: await getQueueName(options, 'flow'),
          // An idempotency key leads to the same id again after its graph was removed. Repeating a finished workflow changes
          // nothing.
          workflowIdReusePolicy: 'ALLOW_DUPLICATE',
          staticSummary: `${template} of ${name ?? toPublicSource(source)}`.slice(0, 200),
          staticDetails: `Owner ${owner}.`.slice(0, 1_500) + describeLinks(id, options.publicUrl),
          typedSearchAttributes: new TypedSearchAttributes([{ key: ownerAttribute, value: owner }]),
          memo: { source: toPublicSource(source), template, owner },
          priority: { fairnessKey: owner.slice(0, 64) },
        } as const;
        if (corpus) {
          const input: UpdateGraphInput = { graphId: id, showsCounts: true };
          return client.workflow.start<Workflows['updateGraph']>('updateGraph', { ...start, args: [input] });
        }
        const input: BuildGraphInput = { graphId: id, showsCounts: true };
        return client.workflow.start<Workflows['buildGraph']>('buildGraph', { ...start, args: [input] });
      }),
    cancel,
    isRunning,
    settle,
    close: () => connection.close(),
  };
}
