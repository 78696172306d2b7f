import { randomUUID } from 'node:crypto';
import { ApplicationFailure, CancelledFailure, Context } from '@temporalio/activity';
import type { GraphActivities } from '../../model/graph/activities';
import type { GraphOutcome } from '../../model/graph/graph-build';
import type { RunActivities } from '../../model/run/activities';
import type { buildGraph } from '../../workflows/build-graph';
import { type Harness, startHarness } from '../support/workflow/harness';

/** The requirements of a test for a graph, and the recorded calls. */
interface Graph {
  build: (attempt: number) => Promise<GraphOutcome>;
  attempts: number;
  ends: GraphOutcome[];
}
const graphs = new Map<string, Graph>();
const getGraph = (id: string) => graphs.get(id) as Graph;
const activities: Pick<GraphActivities, 'build_graph' | 'finish_graph'> = {
  build_graph: ({ graphId }) => getGraph(graphId).build((getGraph(graphId).attempts += 1)),
  finish_graph: async ({ graphId, outcome }) => void getGraph(graphId).ends.push(outcome),
};
const done: GraphOutcome = { state: 'COMPLETED', facts: { nodes: 2, edges: 1, problems: 0, files: [] } };

let harness: Harness;
beforeAll(async () => {
  // No run is made here; a worker must have an activity.
  const unused = { unused: () => Promise.reject(new Error('not used')) };
  harness = await startHarness(unused, {} as RunActivities, undefined, activities);
});
afterAll(() => harness.close());

async function start(build: Graph['build'], input: { showsCounts?: boolean } = {}) {
  const id = randomUUID();
  const graph: Graph = { build, attempts: 0, ends: [] };
  graphs.set(id, graph);
  const handle = await harness.client.workflow.start<typeof buildGraph>('buildGraph', {
    workflowId: id,
    taskQueue: harness.taskQueue,
    args: [{ graphId: id, ...input }],
  });
  return { id, graph, handle };
}

test('the result is recorded, once, and the workflow returns a summary', async () => {
  const { id, graph, handle } = await start(async () => done);
  expect(await handle.result()).toEqual({ summary: '2 nodes, 1 edge, 0 files.', state: 'COMPLETED' });
  expect([graph.attempts, graph.ends]).toEqual([1, [done]]);
  await harness.record('build-graph', id);
});

test('service failures are retried, a failed outcome is not', async () => {
  const { id, graph, handle } = await start(async (attempt) => {
    if (attempt === 1) throw ApplicationFailure.create({ type: 'HTTP_ERROR', message: 'odd' });
    return done;
  });
  await handle.result();
  expect([graph.attempts, graph.ends]).toEqual([2, [done]]);
  await harness.record('build-graph-retried', id);
  const failure: GraphOutcome = { state: 'FAILED', code: 'GRAPH_EXTRACTION_FAILED', message: 'nothing' };
  const second = await start(async () => failure);
  await expect(second.handle.result()).rejects.toMatchObject({ cause: { type: 'GRAPH_EXTRACTION_FAILED' } });
  expect([second.graph.attempts, second.graph.ends]).toEqual([1, [failure]]);
});

test('a permanent failure ends with the code of the last attempt', async () => {
  const { graph, handle } = await start(async () => {
    throw ApplicationFailure.create({ type: 'SECRET_NOT_FOUND', message: 'not set', nonRetryable: true });
  });
  await expect(handle.result()).rejects.toMatchObject({ cause: { type: 'SECRET_NOT_FOUND' } });
  expect(graph.ends).toEqual([{ state: 'FAILED', code: 'SECRET_NOT_FOUND', message: 'not set' }]);
});

test('an activity that hears of the cancellation first ends the workflow as cancelled', async () => {
  let handled: () => void = () => undefined;
  const known = new Promise<void>((resolve) => (handled = resolve));
  const { graph, handle } = await start(async () => {
    handled();
    return { state: 'CANCELED' };
  });
  await known;
  await handle.cancel();
  await expect(handle.result()).rejects.toMatchObject({ cause: expect.any(Error) });
  expect(graph.ends).toEqual([{ state: 'CANCELED' }]);
  expect((await handle.describe()).status.name).toBe('CANCELLED');
});

test('a cancelled graph waits for its activity to end, and is recorded', async () => {
  let begun: () => void = () => undefined;
  const running = new Promise<void>((resolve) => (begun = resolve));
  let hasEnded = false;
  const { id, graph, handle } = await start(async () => {
    begun();
    const { cancellationSignal: signal } = Context.current();
    const timer = setInterval(() => Context.current().heartbeat(), 100);
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    clearInterval(timer);
    hasEnded = true;
    throw new CancelledFailure('cancelled');
  });
  await running;
  await handle.cancel();
  await expect(handle.result()).rejects.toMatchObject({ cause: expect.any(Error) });
  expect([hasEnded, graph.ends]).toEqual([true, [{ state: 'CANCELED' }]]);
  expect((await handle.describe()).status.name).toBe('CANCELLED');
  await harness.record('build-graph-cancelled', id);
});

test('outcome and counts are in the list of the Temporal UI', async () => {
  const { id, handle } = await start(async () => done, { showsCounts: true });
  await handle.result();
  const { searchAttributes } = await handle.describe();
  expect(searchAttributes).toMatchObject({ Outcome: ['COMPLETED'], Documents: [1], FailedDocuments: [0] });
  await harness.record('build-graph-shown', id);
  const failure: GraphOutcome = { state: 'FAILED', code: 'GRAPH_EXTRACTION_FAILED', message: 'nothing' };
  const lost = await start(async () => failure, { showsCounts: true });
  await expect(lost.handle.result()).rejects.toMatchObject({ cause: { type: 'GRAPH_EXTRACTION_FAILED' } });
  expect((await lost.handle.describe()).searchAttributes).toMatchObject({ Outcome: ['FAILED'], FailedDocuments: [1] });
});
