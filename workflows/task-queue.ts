import { workflowInfo } from '@temporalio/workflow';

/**
 * The task queue for a kind of activity, derived from this workflow's queue: `docloom-flow` becomes `docloom-cpu`, `docloom-io`,
 * `docloom-graph` or `docloom-webhook`.
 */
export function getTaskQueue(kind: 'cpu' | 'io' | 'graph' | 'webhook'): string {
  return workflowInfo().taskQueue.replace(/-flow$/, `-${kind}`);
}
