import { workflowInfo } from '@temporalio/workflow';

/** The queue of a kind of activity beside the queue of this workflow: `docloom-flow` has `docloom-cpu` and `docloom-io`. */
export function taskQueueOf(kind: 'cpu' | 'io'): string {
  return workflowInfo().taskQueue.replace(/-flow$/, `-${kind}`);
}
