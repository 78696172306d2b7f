import { randomUUID } from 'node:crypto';
import { Context } from '@temporalio/activity';
import type { ConvertActivities } from '../../model/conversion/task/activities';
import type { RunActivities } from '../../model/run/activities';
import { chainPlan, type Harness, ingestReport, partReport, startHarness } from '../support/workflow/harness';

// Each lost attempt takes ten seconds, and the wait after the last one forty: everything happens at the same time.
let harness: Harness;
/** Ends the attempts that hang, so that their worker can stop. */
let letGo = () => {};
const held = new Promise<void>((resolve) => (letGo = resolve));
/** Attempts by activity and part. */
const attempts: Record<string, number[]> = {};
const broken: string[] = [];

/** Sends no heartbeat in the first `lost` attempts, as if the worker hung. */
async function hang(name: string, lost: number): Promise<void> {
  const list = (attempts[name] ??= []);
  list.push(Context.current().info.attempt);
  if (list.length <= lost) await held;
}

const records: RunActivities = {
  acquire_job: async () => undefined,
  open_run: async () => undefined,
  split_part: async () => ({ rows: 1 }),
  mark_broken: async ({ part, code, message }) => {
    broken.push(`${part} ${code}: ${message}`);
    return partReport(1, { out: 0, failed: 1, failures: [{ id: part, name: part, code, message }] });
  },
  settle_part: async ({ source: { part } }) =>
    broken.some((line) => line.startsWith(part))
      ? { completed: 0, failed: 1, skipped: 0 }
      : { completed: 1, failed: 0, skipped: 0 },
  finish_run: async ({ state, totals }) => ({ state, totals }),
  seed_run: async () => ({ parts: [], documents: 0, warnings: [] }),
  make_scheduled_run: async () => ({ holder: 'none' }),
  settle_runs: async () => ({ settled: 0 }),
  remove_expired: async () => ({ runs: 0, jobs: 0, more: false }),
};
const conversions: ConvertActivities = {
  begin_conversion: async () => ({
    documents: 1,
    light: '0',
    abortOnError: false,
    callbacks: false,
    deliver: false,
    needsOutput: false,
  }),
  list_conversion_sources: () => Promise.reject(new Error('not used')),
  convert_document: async ({ index }) => {
    await hang('convert', 5);
    return { index, status: 'success' };
  },
  give_up_document: async ({ index, message }) => ({ index, status: 'failure', message }),
  deliver_conversion: async () => undefined,
  tell_callbacks: async () => undefined,
  finish_conversion: async () => undefined,
};

beforeAll(async () => {
  harness = await startHarness(
    {
      ingest: async () => ingestReport(2),
      lost_ingest: async () => {
        await hang('ingest', 3);
        return ingestReport(1);
      },
      index: async () => partReport(1),
      lost_index: async ({ part }) => {
        await hang(part, part === 'p00000' ? 3 : 4);
        return partReport(1);
      },
    },
    records,
    conversions,
  );
});
afterAll(async () => {
  letGo();
  await harness.close();
});

test('work that only a hanging worker kept from ending is done after its polls have expired', async () => {
  const listed = await harness.start({ plan: chainPlan(['lost_ingest', 'index']) });
  const indexed = await harness.start({ plan: chainPlan(['ingest', 'lost_index']) });
  const taskId = randomUUID();
  const converted = await harness.client.workflow.start('convert', {
    workflowId: taskId,
    taskQueue: harness.taskQueue.replace(/-flow$/, '-convert'),
    args: [{ taskId }],
  });
  expect(await listed.result()).toMatchObject({ state: 'COMPLETED', totals: { documents: 4, failed: 0 } });
  // The first document is indexed at last, the second one is lost in its last attempt, too.
  expect(await indexed.result()).toMatchObject({
    state: 'COMPLETED_WITH_ERRORS',
    totals: { completed: 1, failed: 1 },
  });
  expect(broken).toEqual(['p00001 PREFECT_FLOW_TASK_FAILED: The worker stopped answering in every attempt.']);
  await converted.result();
  const { events } = await converted.fetchHistory();
  expect(events?.some((event) => event.timerFiredEventAttributes)).toBe(true);
  expect(attempts).toEqual({
    ingest: [1, 2, 3, 1],
    p00000: [1, 2, 3, 1],
    p00001: [1, 2, 3, 1],
    convert: [1, 2, 3, 4, 5, 1],
  });
  await harness.record('lost-worker-listed', listed.runId);
  await harness.record('lost-worker', indexed.runId);
  await harness.record('lost-worker-converted', taskId);
});
