import {
  ActivityCancellationType,
  type ActivityOptions,
  CancellationScope,
  isCancellation,
  proxyActivities,
  sleep,
} from '@temporalio/workflow';
import { countNouns } from '../model/count-nouns';
import type { GraphActivities } from '../model/graph/activities';
import type { CorpusCounts } from '../model/graph/corpus';
import type { BuildGraphInput, GraphOutcome, GraphReport } from '../model/graph/graph-build';
import { toFailure, createRunFailure } from './failures';
import { GraphView } from './graph-view';
import { getTaskQueue } from './task-queue';

const shared: ActivityOptions = {
  heartbeatTimeout: '10s',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
};

/**
 * Builds one graph; the workflow has the graph's id. The activity stores the result of each chunk, so that a crash loses only the
 * chunks in progress. Records the outcome whatever happens. Returns a summary for the Temporal UI.
 */
export async function buildGraph({ graphId, showsCounts = false }: BuildGraphInput): Promise<GraphReport> {
  const view = new GraphView(showsCounts);
  const { build_graph } = proxyActivities<GraphActivities>({
    ...shared,
    taskQueue: getTaskQueue('graph'),
    startToCloseTimeout: '7d',
    retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '10s', maximumAttempts: 10 },
  });
  const { finish_graph } = proxyActivities<GraphActivities>({
    ...shared,
    taskQueue: getTaskQueue('io'),
    startToCloseTimeout: '1h',
    retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '10s', maximumAttempts: 1_000 },
  });
  const finish = async (outcome: GraphOutcome) => {
    await CancellationScope.nonCancellable(() => finish_graph({ graphId, outcome }));
    view.end(outcome, buildCounts(outcome), formatReason(outcome));
    if (outcome.state === 'FAILED') throw createRunFailure(outcome.code, outcome.message);
  };
  let outcome: GraphOutcome;
  try {
    outcome = await build_graph({ graphId });
  } catch (error) {
    await finish(isCancellation(error) ? { state: 'CANCELED' } : { state: 'FAILED', ...toFailure(error) });
    throw error;
  }
  await finish(outcome);
  // The activity may see the cancellation in the record before the workflow's cancel request arrives, which then ends this sleep.
  if (outcome.state === 'CANCELED') await sleep('5s');
  return { summary: formatReason(outcome), state: outcome.state };
}

function formatReason(outcome: GraphOutcome): string {
  if (outcome.state === 'CANCELED') return 'The graph was cancelled.';
  if (outcome.state === 'FAILED') return `${outcome.code}: ${outcome.message}`;
  const { nodes, edges, files } = outcome.facts;
  return `${[countNouns(nodes, 'node'), countNouns(edges, 'edge'), countNouns(files.length, 'file')].join(', ')}.`;
}

function buildCounts({ state }: GraphOutcome): CorpusCounts {
  return { documents: 1, failed: state === 'FAILED' ? 1 : 0 };
}
