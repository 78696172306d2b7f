import {
  ActivityCancellationType,
  type ActivityOptions,
  CancellationScope,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
  sleep,
} from '@temporalio/workflow';
import type { GraphActivities } from '../model/graph/activities';
import type { BuildGraphInput } from '../model/graph/graph-build';
import { failureOf, runFailure } from './failures';
import { taskQueueOf } from './task-queue';

const shared: ActivityOptions = {
  heartbeatTimeout: '5s',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
};

/**
 * Builds one graph; the workflow has the graph's id. The activity stores the result of each chunk, so that a crash loses only the
 * chunks in progress. Records the outcome whatever happens.
 */
export async function buildGraph({ graphId }: BuildGraphInput): Promise<void> {
  const { build_graph } = proxyActivities<GraphActivities>({
    ...shared,
    taskQueue: taskQueueOf('graph'),
    startToCloseTimeout: '7d',
    retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '10s', maximumAttempts: 10 },
  });
  const { finish_graph } = proxyActivities<GraphActivities>({
    ...shared,
    taskQueue: taskQueueOf('io'),
    startToCloseTimeout: '1h',
    retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '10s', maximumAttempts: 1_000 },
  });
  let outcome;
  try {
    outcome = await build_graph({ graphId });
  } catch (error) {
    const end = isCancellation(error)
      ? ({ state: 'CANCELED' } as const)
      : ({ state: 'FAILED', ...failureOf(error) } as const);
    await CancellationScope.nonCancellable(() => finish_graph({ graphId, outcome: end }));
    throw end.state === 'CANCELED' ? error : runFailure(end.code, end.message);
  }
  const end = outcome;
  await CancellationScope.nonCancellable(() => finish_graph({ graphId, outcome: end }));
  if (end.state === 'FAILED') throw runFailure(end.code, end.message);
  // The activity may see the cancellation in the record before the workflow's cancel request arrives, which then ends this sleep.
  if (end.state === 'CANCELED') return sleep('5s');
  setCurrentDetails(`${end.facts.nodes} nodes, ${end.facts.edges} edges, ${end.facts.files.length} files.`);
}
