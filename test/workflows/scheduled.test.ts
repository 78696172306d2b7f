import { randomUUID } from 'node:crypto';
import { ApplicationFailure } from '@temporalio/activity';
import type { RunActivities } from '../../model/run/activities';
import type { OperatorCall, RunFlowInput } from '../../model/run/run';
import type { scheduledRun } from '../../workflows/scheduled-run';
import type { sweep } from '../../workflows/sweep';
import { until } from '../support/system/system';
import { chainPlan, type Harness, ingestReport, partReport, startHarness } from '../support/workflow/harness';

let harness: Harness;
let calls: OperatorCall[];
let start: Awaited<ReturnType<RunActivities['make_scheduled_run']>>;
let settles: string[];
let removals: { runs: number; jobs: number; more: boolean }[];
let seeded: string[];
/** A schedule makes its run after this. */
let made: Promise<void> = Promise.resolve();

const records: RunActivities = {
  acquire_job: async () => undefined,
  open_run: async () => undefined,
  split_part: async () => ({ rows: 1 }),
  mark_broken: async () => partReport(0),
  settle_part: async () => ({ completed: 4, failed: 0, skipped: 0 }),
  finish_run: async (input) => ({ state: input.state, totals: input.totals }),
  seed_run: async ({ runId }) => {
    seeded.push(runId);
    return { parts: [2], documents: 8, warnings: [] };
  },
  make_scheduled_run: async () => {
    await made;
    if (start.holder === 'gone') throw ApplicationFailure.create({ type: 'FLOW_NOT_FOUND', nonRetryable: true });
    return start;
  },
  settle_runs: async ({ after }) => {
    settles.push(after);
    return { settled: 3, ...(settles.length < 3 ? { next: `page ${settles.length}` } : {}) };
  },
  remove_expired: async () => removals.shift() ?? { runs: 0, jobs: 0, more: false },
};

beforeAll(async () => {
  harness = await startHarness(
    {
      ingest: async () => ingestReport(1),
      extract: async (call) => {
        calls.push(call);
        return partReport(4);
      },
    },
    records,
  );
});
afterAll(() => harness.close());
beforeEach(() => {
  calls = [];
  settles = [];
  seeded = [];
  removals = [];
});

const schedule = { scheduleId: 's', flowId: 'f', owner: 'alice', configuration: {} };
const runInput = (): RunFlowInput => ({
  runId: randomUUID(),
  jobId: 'job',
  flowName: 'test',
  plan: chainPlan(['ingest', 'extract']),
});
async function startScheduled() {
  const workflowId = randomUUID();
  const handle = await harness.client.workflow.start<typeof scheduledRun>('scheduledRun', {
    workflowId,
    taskQueue: harness.taskQueue,
    args: [schedule],
  });
  return { workflowId, handle, result: () => handle.result() };
}

test('a due schedule runs the flow as its child, and stays until it has ended', async () => {
  const run = runInput();
  start = { run, summary: 'test: ingest' };
  const started = await startScheduled();
  expect(await started.result()).toEqual({ runId: run.runId });
  const { status, parentExecution } = await harness.client.workflow.getHandle(run.runId).describe();
  expect(status.name).toBe('COMPLETED');
  expect(parentExecution?.workflowId).toBe(started.workflowId);
  await harness.record('scheduled-run', started.workflowId);
});

test('a due schedule shows what it waits for until its run is made', async () => {
  let make = () => {};
  made = new Promise((resolve) => (make = resolve));
  start = { run: runInput() };
  const { handle, result } = await startScheduled();
  const waiting = { code: 'DATABASE_UNAVAILABLE', since: new Date().toISOString() };
  await handle.signal('wait', { operator: 'make_scheduled_run', part: '', waiting });
  const shown = async () => (await handle.describe()).searchAttributes['WaitingFor'] ?? [];
  await until('it waits', async () => (await shown()).length > 0);
  expect(await shown()).toEqual(['DATABASE_UNAVAILABLE']);
  make();
  await result();
  expect(await shown()).toEqual([]);
});

test('while another run of the flow is active nothing is started, and the result names it', async () => {
  start = { holder: 'another run' };
  expect(await (await startScheduled()).result()).toEqual({ skipped: 'another run' });
});

test('a schedule whose flow is gone fails with the code', async () => {
  start = { holder: 'gone' };
  await expect((await startScheduled()).result()).rejects.toMatchObject({ cause: { type: 'FLOW_NOT_FOUND' } });
});

test('a run that begins from tables of an earlier one lists no source and passes those tables to every batch', async () => {
  const operator = { name: 'extract', type: 'extract', queue: 'cpu' as const, inputs: ['lang'] };
  const plan = chainPlan(['ingest'], { stages: [{ scope: 'row', operators: [operator] }] });
  const { runId, result } = await harness.start({ plan, seed: { operators: ['lang'] } });
  expect(await result()).toMatchObject({ state: 'COMPLETED', totals: { documents: 8, completed: 8 } });
  await harness.record('seeded', runId);
  expect(seeded).toEqual([runId]);
  expect(calls.map(({ part }) => part).toSorted()).toEqual(['p00000', 'p00001']);
  expect(calls.map(({ inputs }) => inputs[0]?.operator)).toEqual(['lang', 'lang']);
});

test('a sweep reads all pages and counts what it did', async () => {
  removals = [
    { runs: 100, jobs: 2, more: true },
    { runs: 7, jobs: 1, more: false },
  ];
  const workflowId = randomUUID();
  const result = await harness.client.workflow.execute<typeof sweep>('sweep', {
    workflowId,
    taskQueue: harness.taskQueue,
    args: [],
  });
  await harness.record('sweep', workflowId);
  expect(result).toEqual({ settled: 9, runsCleared: 107, jobsCleared: 3 });
  expect(settles).toEqual(['', 'page 1', 'page 2']);
});
