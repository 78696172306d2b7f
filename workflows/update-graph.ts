import {
  ActivityCancellationType,
  type ActivityOptions,
  CancellationScope,
  continueAsNew,
  isCancellation,
  patched,
  proxyActivities,
  sleep,
} from '@temporalio/workflow';
import { countNouns } from '../model/count-nouns';
import type { GraphActivities } from '../model/graph/activities';
import type { CorpusCounts, CorpusOutcome, UpdateGraphInput } from '../model/graph/corpus';
import { toFailure, createRunFailure } from './failures';
import { GraphView } from './graph-view';
import { getTaskQueue } from './task-queue';

const shared: ActivityOptions = {
  heartbeatTimeout: '10s',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
};
const retry = { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '10s', maximumAttempts: 10 } as const;

/** Parts that are read at the same time. */
const maxConcurrentParts = 4;
/** Parts after which the update continues as a new run, so that its history stays short. */
const partsPerRun = 400;

/**
 * Brings a corpus graph up to date; the workflow has the graph's id. Each part reads some documents and replaces their facts, so
 * that a crash loses only the documents in progress. Records the outcome whatever happens.
 */
export async function updateGraph(input: UpdateGraphInput): Promise<void> {
  const { graphId, parts: planned, next = 0, showsCounts = false } = input;
  const view = new GraphView(showsCounts);
  const counts = input.counts ?? { documents: 0, failed: 0 };
  const options = { ...shared, startToCloseTimeout: '7d', retry } as const;
  const { update_graph_part, resolve_graph_entities } = proxyActivities<GraphActivities>({
    ...options,
    taskQueue: getTaskQueue('graph'),
  });
  const { plan_graph_update, finish_graph_update } = proxyActivities<GraphActivities>({
    ...options,
    taskQueue: getTaskQueue('io'),
    retry: { ...retry, maximumAttempts: 1_000 },
  });
  const plan = planned === undefined ? await plan_graph_update({ graphId }).catch(readOutcome) : { parts: planned };
  let outcome: CorpusOutcome = 'end' in plan ? plan.end : { state: 'COMPLETED' };
  if ('parts' in plan) {
    const until = Math.min(plan.parts, next + partsPerRun);
    let part = next;
    const worker = async () => {
      while (part < until && outcome.state === 'COMPLETED') {
        const done = await update_graph_part({ graphId, part: part++ }).catch(
          (error: unknown) => readOutcome(error).end,
        );
        if (done.state !== 'COMPLETED') outcome = done;
        else if (done.counts) addCounts(counts, done.counts);
        view.show(`${part} of ${plan.parts} parts.`);
      }
    };
    // Every part ends before the graph does, also when another has failed.
    await Promise.all(Array.from({ length: maxConcurrentParts }, worker));
    if (outcome.state === 'COMPLETED' && until < plan.parts) {
      view.stop();
      await continueAsNew<typeof updateGraph>({ graphId, parts: plan.parts, next: until, showsCounts, counts });
    }
    if (outcome.state === 'COMPLETED' && patched('resolve-entities'))
      outcome = await resolve_graph_entities({ graphId }).catch((error: unknown) => readOutcome(error).end);
  }
  // Histories of earlier versions have no result here.
  const finished = await CancellationScope.nonCancellable(() => finish_graph_update({ graphId, outcome }));
  view.stop();
  if (finished?.isQueuedAgain) await continueAsNew<typeof updateGraph>({ graphId, showsCounts });
  view.end(outcome, counts, describeOutcome(outcome, counts));
  if (outcome.state === 'FAILED') throw createRunFailure(outcome.code, outcome.message);
  // The activity may see the cancellation in the record before the workflow's cancel request arrives, which then ends this sleep.
  if (outcome.state === 'CANCELED') await sleep('5s');
}

function addCounts(counts: CorpusCounts, { documents, failed }: CorpusCounts): void {
  counts.documents += documents;
  counts.failed += failed;
}

function describeOutcome(outcome: CorpusOutcome, { documents, failed }: CorpusCounts): string {
  const read = `${countNouns(documents, 'document')} read, ${failed} failed.`;
  return outcome.state === 'FAILED' ? `${outcome.code}: ${outcome.message}\n\n${read}` : read;
}

function readOutcome(error: unknown): { end: CorpusOutcome } {
  return { end: isCancellation(error) ? { state: 'CANCELED' } : { state: 'FAILED', ...toFailure(error) } };
}
