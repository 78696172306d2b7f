import { ApplicationFailure, Context } from '@temporalio/activity';
import { WorkflowFailedError, type WorkflowHandle } from '@temporalio/client';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import type { FinishedRun, RunActivities } from '../../model/run/activities';
import type { OperatorCall, PartReport } from '../../model/run/run';
import { runMessages, type RunView } from '../../model/run/run-messages';
import { chainPlan, type Harness, ingestReport, partReport, startHarness } from '../support/workflow/harness';

let harness: Harness | undefined;
let calls: OperatorCall[];
let finished: FinishedRun[];
let broken: string[];

beforeEach(() => {
  calls = [];
  finished = [];
  broken = [];
});
afterEach(async () => {
  await harness?.close();
  harness = undefined;
});

/** The rows of a part by its name: a whole part has four; each split halves it. */
function getRows(part: string): number {
  return 4 / 2 ** (part.split('-').length - 1);
}

function records(change: Partial<RunActivities> = {}): RunActivities {
  return {
    acquire_job: async () => undefined,
    open_run: async () => undefined,
    split_part: async ({ part }) => ({ rows: getRows(part) }),
    mark_broken: async ({ part, code }) => {
      broken.push(`${part} ${code}`);
      return partReport(1, { out: 0, failed: 1, failures: [{ id: part, name: part, code, message: 'broken' }] });
    },
    settle_part: async () => ({ completed: 4 - broken.length, failed: broken.length, skipped: 0 }),
    finish_run: async (input) => {
      finished.push(input);
      return { state: input.state, totals: input.totals };
    },
    seed_run: async () => ({ parts: [2], documents: 5, warnings: [] }),
    make_scheduled_run: async () => ({ holder: 'none' }),
    settle_runs: async () => ({ settled: 0 }),
    remove_expired: async () => ({ runs: 0, jobs: 0, more: false }),
    ...change,
  };
}

const recorded = (fake: (call: OperatorCall) => Promise<PartReport>) => async (call: OperatorCall) => {
  calls.push(call);
  return fake(call);
};

test('every part passes every operator once, and the totals are the sums over the parts', async () => {
  harness = await startHarness(
    {
      ingest: async () => ingestReport(5),
      extract: recorded(async () => partReport(4, { pages: 8 })),
      index: recorded(async () => partReport(4)),
    },
    records(),
  );
  const run = await harness.start({ plan: chainPlan(['ingest', 'extract', 'index']) });
  const { state, totals } = await run.result();
  await harness.record('completed', run.runId);
  expect(state).toBe('COMPLETED');
  expect(totals).toMatchObject({ documents: 20, completed: 20, failed: 0, pages: 40 });
  expect(calls.map(({ operator, part }) => `${operator} ${part}`).sort()).toEqual(
    ['extract', 'index'].flatMap((name) => [0, 1, 2, 3, 4].map((index) => `${name} p0000${index}`)),
  );
  expect(calls.find(({ operator }) => operator === 'index')?.inputs[0]?.operator).toBe('extract');
});

test('a run shows its reasons for waiting and its failures; a paused run starts no batch until it is resumed', async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  harness = await startHarness(
    {
      ingest: async () => ingestReport(4),
      extract: recorded(async ({ part }) => {
        if (part === 'p00000') await held;
        const failures = [{ id: part, name: `${part}.pdf`, code: 'SOURCE_UNREADABLE', message: 'It is damaged.' }];
        return partReport(4, { out: 3, failed: 1, failures });
      }),
    },
    records({ settle_part: async () => ({ completed: 3, failed: 1, skipped: 0 }) }),
  );
  const run = await harness.start({
    plan: chainPlan(['ingest', 'extract'], { maxConcurrentBatches: 1 }),
    showsCounts: true,
  });
  const handle = harness.client.workflow.getHandle(run.runId);
  await until(() => calls.length === 1);
  await handle.executeUpdate(runMessages.pause);
  expect(await handle.executeUpdate(runMessages.pause).catch(getReason)).toBe('The run is already paused.');
  const none = handle.executeUpdate(runMessages.setConcurrency, { args: [0] });
  expect(await none.catch(getReason)).toMatch(/from 1 to 64; given: 0/);
  const waiting = { code: 'SEARCH_CONNECTION_FAILED', since: '2026-11-23T04:00:00.000Z' };
  await handle.signal(runMessages.wait, { operator: 'extract', part: 'p00000', waiting });
  const view = await handle.query<RunView>(runMessages.progress);
  expect(view).toMatchObject({ isPaused: true, waiting: [{ operator: 'extract', code: waiting.code }] });
  expect((await handle.describe()).searchAttributes['WaitingFor']).toEqual([waiting.code]);
  const other = { ...waiting, code: 'DATABASE_UNAVAILABLE' };
  await handle.signal(runMessages.wait, { operator: 'settle_part', part: 'p00000', waiting: other });
  await handle.query<RunView>(runMessages.progress);
  expect((await handle.describe()).searchAttributes['WaitingFor']).toEqual([`${other.code}, ${waiting.code}`]);
  const since = 'aiting since 2026-11-23 04:00 UTC: The';
  expect(await readTimers(handle)).toEqual([
    `W${since} search index cannot be reached. (SEARCH_CONNECTION_FAILED)`,
    `W${since} database cannot be reached. (DATABASE_UNAVAILABLE); w${since} search index cannot be reached. (SEARCH_CONNECTION_FAILED)`,
  ]);

  release();
  await until(async () => (await handle.query<RunView>(runMessages.progress)).totals.failed === 1);
  expect(calls).toHaveLength(1);
  await handle.signal(runMessages.wait, { operator: 'extract', part: 'p00001', waiting });
  await handle.executeUpdate(runMessages.setConcurrency, { args: [2] });
  await handle.executeUpdate(runMessages.resume);
  expect(await run.result()).toMatchObject({ state: 'COMPLETED_WITH_ERRORS', totals: { completed: 12, failed: 4 } });
  const { searchAttributes } = await handle.describe();
  expect(searchAttributes).toMatchObject({ Outcome: ['COMPLETED_WITH_ERRORS'], Documents: [16], FailedDocuments: [4] });
  expect(searchAttributes['WaitingFor'] ?? []).toEqual([]);
  const { events } = await handle.fetchHistory();
  const count = (type: 'timerStartedEventAttributes' | 'timerCanceledEventAttributes') =>
    (events ?? []).filter((event) => event[type]).length;
  expect(count('timerCanceledEventAttributes')).toBe(count('timerStartedEventAttributes'));
  await harness.record('shown-wait', run.runId);
  const batch = await harness.client.workflow.getHandle(`${run.runId}/0/p00000`).describe();
  expect(batch.searchAttributes).toMatchObject({ Outcome: ['COMPLETED_WITH_ERRORS'], FailedDocuments: [1] });
  const begunInWait = await harness.client.workflow.getHandle(`${run.runId}/0/p00001`).describe();
  expect(begunInWait.searchAttributes['WaitingFor'] ?? []).toEqual([]);
});

/** The summaries of the timers of a workflow, as the Temporal UI shows them. */
async function readTimers(workflow: WorkflowHandle): Promise<unknown[]> {
  const { events } = await workflow.fetchHistory();
  return (events ?? []).flatMap(({ timerStartedEventAttributes: timer, userMetadata }) =>
    timer ? [defaultPayloadConverter.fromPayload(userMetadata?.summary as Payload)] : [],
  );
}

/** Why an update was refused. */
function getReason(error: unknown): string | undefined {
  return error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
}

async function until(isThere: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isThere())) await new Promise((resolve) => setTimeout(resolve, 50));
}

test('splitting finds the document that crashes its operator, and only that document fails', async () => {
  const bad = 'p00000-1-0';
  harness = await startHarness(
    {
      ingest: async () => ingestReport(1),
      extract: recorded(async ({ part }) => {
        if (bad.startsWith(part))
          throw ApplicationFailure.create({ type: 'INTERNAL_ERROR', message: 'boom', nonRetryable: true });
        return partReport(getRows(part));
      }),
    },
    records(),
  );
  const run = await harness.start({ plan: chainPlan(['ingest', 'extract']) });
  const { state, totals } = await run.result();
  await harness.record('halved', run.runId);
  expect(state).toBe('COMPLETED_WITH_ERRORS');
  expect(totals).toMatchObject({ completed: 3, failed: 1 });
  expect(broken).toEqual([`${bad} INTERNAL_ERROR`]);
  expect(calls.filter(({ part }) => part === 'p00000-1-1')[0]?.inputs[0]?.slice).toEqual({ index: 3, of: 4 });
});

test('a failing filter ends the run as FAILED with its code, and its part is not split', async () => {
  harness = await startHarness(
    {
      ingest: async () => ingestReport(3),
      filter: async () => {
        throw ApplicationFailure.create({ type: 'SQL_FILTER_ERROR', message: 'no such column', nonRetryable: true });
      },
    },
    records(),
  );
  const run = await harness.start({ plan: chainPlan(['ingest', 'filter']) });
  await expect(run.result()).rejects.toThrow(WorkflowFailedError);
  expect(finished).toMatchObject([{ state: 'FAILED', message: 'SQL_FILTER_ERROR: no such column' }]);
  expect(broken).toEqual([]);
});

test("with readable ids, batches have the run's name and a number, per stage if there are several", async () => {
  harness = await startHarness(
    { ingest: async () => ingestReport(2), extract: recorded(async () => partReport(4)) },
    records(),
  );
  const run = await harness.start({ plan: chainPlan(['ingest', 'extract']), readableIds: true });
  await run.result();
  await harness.record('readable', run.runId);
  const { raw } = await harness.client.workflow.getHandle(`${run.runId}/batch-02`).describe();
  expect(raw.workflowExecutionInfo?.parentExecution?.workflowId).toBe(run.runId);
  expect(calls.map(({ part }) => part).toSorted()).toEqual(['p00000', 'p00001']);
});

test('a run over its time limit fails with a code, and keeps its results', async () => {
  harness = await startHarness(
    {
      ingest: async () => ingestReport(3),
      extract: recorded(async ({ part }) => {
        if (part !== 'p00000') {
          const beat = setInterval(() => Context.current().heartbeat(), 100);
          await Context.current().cancelled.finally(() => clearInterval(beat));
        }
        return partReport(4);
      }),
    },
    records(),
  );
  const limited = chainPlan(['ingest', 'extract'], { timeLimitMinutes: 0.05 });
  const run = await harness.start({ plan: limited });
  const failure = await run.result().catch((error: unknown) => error);
  await harness.record('time-limit', run.runId);
  expect((failure as WorkflowFailedError).cause).toMatchObject({ type: 'RUN_TIME_LIMIT_EXCEEDED' });
  expect(finished).toMatchObject([{ state: 'FAILED', totals: { completed: 4 } }]);
  expect(finished[0]?.message).toMatch(/^RUN_TIME_LIMIT_EXCEEDED: /);
});

test('a run that is cancelled within its time limit is cancelled', async () => {
  harness = await startHarness(
    {
      ingest: async () => {
        const beat = setInterval(() => Context.current().heartbeat(), 100);
        await Context.current().cancelled.finally(() => clearInterval(beat));
        return ingestReport(1);
      },
      extract: recorded(async () => partReport(4)),
    },
    records(),
  );
  const run = await harness.start({ plan: chainPlan(['ingest', 'extract'], { timeLimitMinutes: 10 }) });
  await harness.client.workflow.getHandle(run.runId).cancel();
  await run.result().catch(() => undefined);
  expect(finished).toMatchObject([{ state: 'CANCELED' }]);
});

test('a cancelled run ends its running operators, records CANCELED and is cancelled in Temporal', async () => {
  let ended = 0;
  harness = await startHarness(
    {
      ingest: async () => ingestReport(3),
      extract: recorded(async () => {
        const timer = setInterval(() => Context.current().heartbeat(), 100);
        try {
          await Context.current().cancelled;
        } finally {
          clearInterval(timer);
          ended += 1;
        }
        return partReport(0);
      }),
    },
    records(),
  );
  const run = await harness.start({ plan: chainPlan(['ingest', 'extract']) });
  const handle = harness.client.workflow.getHandle(run.runId);
  for (; calls.length < 2;) await new Promise((resolve) => setImmediate(resolve));
  await handle.cancel();
  await expect(run.result()).rejects.toThrow(WorkflowFailedError);
  await harness.record('cancelled', run.runId);
  expect((await handle.describe()).status.name).toBe('CANCELLED');
  expect(finished).toMatchObject([{ state: 'CANCELED' }]);
  expect(ended).toBe(calls.length);
});

test("fail_fast ends the run at the first failed document with the document's code", async () => {
  const failures = [{ id: 'a', name: 'a.pdf', code: 'DOCUMENT_CORRUPT', message: 'damaged' }];
  harness = await startHarness(
    { ingest: async () => ingestReport(2), extract: async () => partReport(4, { failed: 1, failures }) },
    records(),
  );
  const run = await harness.start({ plan: chainPlan(['ingest', 'extract'], { failFast: true }) });
  await expect(run.result()).rejects.toThrow(WorkflowFailedError);
  expect(finished[0]?.message).toContain('DOCUMENT_CORRUPT');
});

test('an operator that needs all rows is called once, between the stages before and after it', async () => {
  harness = await startHarness(
    {
      ingest: async () => ingestReport(3),
      extract: recorded(async () => partReport(4)),
      dedup: recorded(async () => partReport(12, { out: 10 })),
      index: recorded(async () => partReport(4)),
    },
    records(),
  );
  const plan = chainPlan(['ingest', 'extract']);
  plan.stages.push({
    scope: 'table',
    operators: [{ name: 'dedup', type: 'dedup', queue: 'cpu', inputs: ['extract'] }],
  });
  plan.stages.push({ scope: 'row', operators: [{ name: 'index', type: 'index', queue: 'io', inputs: ['dedup'] }] });
  const run = await harness.start({ plan });
  await run.result();
  await harness.record('table-stage', run.runId);
  const order = calls.map(({ operator }) => operator);
  expect(order).toEqual(['extract', 'extract', 'extract', 'dedup', 'index', 'index', 'index']);
  expect(calls[3]?.table).toEqual({ inputs: ['extract'], sources: [{ prefix: '', parts: 3 }] });
});

test('operators after a branching get their branch, a merge gets both, and a later stage finds the tables of a branch', async () => {
  harness = await startHarness(
    {
      ingest: async () => ingestReport(2),
      route: recorded(async () => partReport(4)),
      left: recorded(async () => partReport(2)),
      right: recorded(async () => partReport(2)),
      merge: recorded(async () => partReport(4)),
      dedup: recorded(async () => partReport(8)),
      index: recorded(async () => partReport(4)),
    },
    records(),
  );
  const planned = (name: string, inputs: string[]) => ({ name, type: name, queue: 'cpu' as const, inputs });
  const plan = chainPlan(['ingest']);
  plan.stages = [
    {
      scope: 'row',
      operators: [
        planned('route', ['ingest']),
        planned('left', ['route.one']),
        planned('right', ['route.two']),
        planned('merge', ['left', 'right']),
      ],
    },
    { scope: 'table', operators: [planned('dedup', ['merge'])] },
    { scope: 'row', operators: [planned('index', ['dedup', 'route.one'])] },
  ];
  const run = await harness.start({ plan });
  const { state } = await run.result();
  await harness.record('branching', run.runId);
  expect(state).toBe('COMPLETED');
  const inputs = (operator: string) =>
    calls
      .find((call) => call.operator === operator && call.part === 'p00000')
      ?.inputs.map((input) => `${input.operator}/${input.part}`);
  expect(inputs('left')).toEqual(['route.one/p00000']);
  expect(inputs('right')).toEqual(['route.two/p00000']);
  expect(inputs('merge')).toEqual(['left/p00000', 'right/p00000']);
  expect(inputs('index')).toEqual(['dedup/p00000', 'route.one/p00000']);
  expect(calls).toHaveLength(2 * 4 + 1 + 2);
});

test('a split part of a later stage reads the same documents from every table', async () => {
  let broken = 0;
  harness = await startHarness(
    {
      ingest: async () => ingestReport(1),
      extract: async () => partReport(4),
      dedup: async () => partReport(4),
      index: recorded(async ({ part }) => {
        if (part === 'p00000') broken += 1;
        if (part === 'p00000')
          throw ApplicationFailure.create({ type: 'INTERNAL_ERROR', message: 'boom', nonRetryable: true });
        return partReport(2);
      }),
    },
    records(),
  );
  const plan = chainPlan(['ingest', 'extract']);
  plan.stages.push({
    scope: 'table',
    operators: [{ name: 'dedup', type: 'dedup', queue: 'cpu', inputs: ['extract'] }],
  });
  plan.stages.push({
    scope: 'row',
    operators: [{ name: 'index', type: 'index', queue: 'io', inputs: ['dedup', 'extract'] }],
  });
  const run = await harness.start({ plan });
  expect((await run.result()).state).toBe('COMPLETED');
  expect(broken).toBe(1);
  expect(calls.filter(({ part }) => part === 'p00000-1')[0]?.inputs).toEqual(
    ['dedup', 'extract'].map((operator) => ({ operator, part: 'p00000', slice: { index: 1, of: 2 }, by: 'ingest' })),
  );
});

test('a run of many batches continues as new and keeps its counts', async () => {
  harness = await startHarness(
    { ingest: async () => ingestReport(230), extract: async () => partReport(4) },
    records(),
  );
  const run = await harness.start({ plan: chainPlan(['ingest', 'extract'], { maxConcurrentBatches: 20 }) });
  const { totals } = await run.result();
  expect(totals).toMatchObject({ documents: 920, completed: 920 });
  const { raw } = await harness.client.workflow.getHandle(run.runId).describe();
  expect(raw.workflowExecutionInfo?.firstRunId).not.toBe(raw.workflowExecutionInfo?.execution?.runId);
});
