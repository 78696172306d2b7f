import { randomUUID } from 'node:crypto';
import { ApplicationFailure, CancelledFailure, Context } from '@temporalio/activity';
import type { GraphActivities } from '../../model/graph/activities';
import type { CorpusOutcome, CorpusPlan } from '../../model/graph/corpus';
import type { RunActivities } from '../../model/run/activities';
import type { updateGraph } from '../../workflows/update-graph';
import { type Harness, startHarness } from '../support/workflow/harness';

/** The requirements of a test for an update, and the recorded calls. */
interface Update {
  plan: () => CorpusPlan;
  part: (part: number, attempt: number) => Promise<CorpusOutcome>;
  parts: number[];
  open: number;
  maxOpen: number;
  ends: CorpusOutcome[];
  /** How often nodes were compared. */
  resolved: number;
  /** How often the set changes during an update. */
  again: number;
}
const done: CorpusOutcome = { state: 'COMPLETED' };
const updates = new Map<string, Update>();
const getUpdate = (id: string) => updates.get(id) as Update;
const activities: Partial<GraphActivities> = {
  plan_graph_update: async ({ graphId }) => getUpdate(graphId).plan(),
  async update_graph_part({ graphId, part }) {
    const update = getUpdate(graphId);
    update.parts.push(part);
    update.maxOpen = Math.max(update.maxOpen, ++update.open);
    try {
      return await update.part(part, Context.current().info.attempt);
    } finally {
      update.open -= 1;
    }
  },
  async resolve_graph_entities({ graphId }) {
    getUpdate(graphId).resolved += 1;
    return done;
  },
  finish_graph_update: async ({ graphId, outcome }) => {
    getUpdate(graphId).ends.push(outcome);
    return { isQueuedAgain: (getUpdate(graphId).again -= 1) >= 0 };
  },
};

let harness: Harness;
beforeAll(async () => {
  // No run is made here; a worker must have an activity.
  const unused = { unused: () => Promise.reject(new Error('not used')) };
  harness = await startHarness(unused, {} as RunActivities, undefined, activities);
});
afterAll(() => harness.close());

async function start(plan: Update['plan'], part: Update['part'] = async () => done, showsCounts?: boolean) {
  const id = randomUUID();
  const update: Update = { plan, part, parts: [], open: 0, maxOpen: 0, ends: [], resolved: 0, again: 0 };
  updates.set(id, update);
  const handle = await harness.client.workflow.start<typeof updateGraph>('updateGraph', {
    workflowId: id,
    taskQueue: harness.taskQueue,
    args: [showsCounts ? { graphId: id, showsCounts } : { graphId: id }],
  });
  return { id, update, handle };
}

test('every part is read once, some at a time, and the end is recorded', async () => {
  const { id, update, handle } = await start(() => ({ parts: 9 }));
  await handle.result();
  expect(update.parts.toSorted((part, other) => part - other)).toEqual(Array.from({ length: 9 }, (_, part) => part));
  expect([update.maxOpen <= 4, update.resolved]).toEqual([true, 1]);
  expect(update.ends).toEqual([done]);
  await harness.record('update-graph', id);
});

test('an update that has nothing to do reads nothing', async () => {
  const dry = await start(() => ({ end: done }));
  await dry.handle.result();
  const failure: CorpusOutcome = { state: 'FAILED', code: 'GRAPH_LIMIT_REACHED', message: 'too much' };
  const limited = await start(() => ({ end: failure }));
  await expect(limited.handle.result()).rejects.toMatchObject({ cause: { type: 'GRAPH_LIMIT_REACHED' } });
  expect([dry.update.parts, dry.update.ends, limited.update.ends]).toEqual([[], [done], [failure]]);
});

test('a failed part ends the update once the parts in progress are done; service failures are retried', async () => {
  const { id, update, handle } = await start(
    () => ({ parts: 40 }),
    async (part, attempt) => {
      if (part === 1 && attempt === 1) throw ApplicationFailure.create({ type: 'HTTP_ERROR', message: 'odd' });
      if (part === 5)
        throw ApplicationFailure.create({ type: 'HOSTEDMODEL_AUTH_FAILED', message: 'no key', nonRetryable: true });
      return done;
    },
  );
  await expect(handle.result()).rejects.toMatchObject({ cause: { type: 'HOSTEDMODEL_AUTH_FAILED' } });
  expect(update.ends).toEqual([{ state: 'FAILED', code: 'HOSTEDMODEL_AUTH_FAILED', message: 'no key' }]);
  expect(update.parts.filter((part) => part === 1).length).toBeGreaterThanOrEqual(1);
  expect([update.open, update.resolved, Math.max(...update.parts) < 39]).toEqual([0, 0, true]);
  await harness.record('update-graph-failed', id);
});

test('a cancelled update cancels its parts and is recorded as such', async () => {
  let begun: () => void = () => undefined;
  const running = new Promise<void>((resolve) => (begun = resolve));
  const { id, update, handle } = await start(
    () => ({ parts: 8 }),
    async () => {
      begun();
      const { cancellationSignal: signal } = Context.current();
      const timer = setInterval(() => Context.current().heartbeat(), 100);
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      clearInterval(timer);
      throw new CancelledFailure('cancelled');
    },
  );
  await running;
  await handle.cancel();
  await expect(handle.result()).rejects.toMatchObject({ cause: expect.any(Error) });
  expect([update.ends, update.open]).toEqual([[{ state: 'CANCELED' }], 0]);
  expect((await handle.describe()).status.name).toBe('CANCELLED');
  await harness.record('update-graph-cancelled', id);
});

test('an update is followed by another while its set changes', async () => {
  const { update, handle } = await start(() => ({ parts: 1 }));
  update.again = 2;
  await handle.result();
  expect([update.parts, update.ends.length]).toEqual([[0, 0, 0], 3]);
});

test('a long update continues as a new run', async () => {
  const { update, handle } = await start(() => ({ parts: 405 }));
  await handle.result();
  expect([new Set(update.parts).size, update.parts.length]).toEqual([405, 405]);
  expect(update.ends).toEqual([done]);
  expect((await handle.describe()).historyLength).toBeLessThan(200);
});

test('outcome and counts of all parts are in the list of the Temporal UI', async () => {
  const { id, handle } = await start(
    () => ({ parts: 3 }),
    async () => ({ state: 'COMPLETED', counts: { documents: 4, failed: 1 } }),
    true,
  );
  await handle.result();
  expect((await handle.describe()).searchAttributes).toMatchObject({
    Outcome: ['COMPLETED_WITH_ERRORS'],
    Documents: [12],
    FailedDocuments: [3],
  });
  await harness.record('update-graph-shown', id);
});
