import { workflowInfo } from '@temporalio/workflow';

/** The queue of a kind of activity beside the queue of this workflow: `docloom-flow` has `docloom-cpu`, `docloom-io` and `docloom-graph`. */
export function taskQueueOf(kind: 'cpu' | 'io' | 'graph'): string {
  return workflowInfo().taskQueue.replace(/-flow$/, `-${kind}`);
}
