import type { RunActivities } from '../../model/run/activities';
import { runMessages, type RunView } from '../../model/run/run-messages';
import { until } from '../support/system/system';
import { chainPlan, type Harness, ingestReport, partReport, startHarness } from '../support/workflow/harness';

let harness: Harness;
afterEach(() => harness.close());

/** The records of a run whose first part has a failed document until it is repeated. */
function records(isAgain: () => boolean): RunActivities {
  return {
    acquire_job: async () => undefined,
    open_run: async () => undefined,
    settle_part: async ({ source: { part } }: { source: { part: string } }) =>
      part === 'p00000' && !isAgain()
        ? { completed: 3, failed: 1, skipped: 0 }
        : { completed: 4, failed: 0, skipped: 0 },
    finish_run: async (input: { state: string; totals: object }) => ({ state: input.state, totals: input.totals }),
  } as unknown as RunActivities;
}

test('batches with failed documents are repeated on request, and their counts replaced', async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  let firstPart = 0;
  const failures = [{ id: 'a', name: 'a.pdf', code: 'SOURCE_UNREADABLE', message: 'It is unreachable.' }];
  harness = await startHarness(
    {
      ingest: async () => ingestReport(2),
      extract: async ({ part }) => {
        if (part === 'p00001') await held;
        else firstPart += 1;
        return firstPart === 1 && part === 'p00000' ? partReport(4, { out: 3, failed: 1, failures }) : partReport(4);
      },
    },
    records(() => firstPart > 1),
  );
  const run = await harness.start({
    plan: chainPlan(['ingest', 'extract'], { maxConcurrentBatches: 2 }),
    showsCounts: true,
  });
  const handle = harness.client.workflow.getHandle(run.runId);
  await until(
    'the counts have changed',
    async () => (await handle.query<RunView>(runMessages.progress)).totals.failed === 1,
  );
  expect(await handle.executeUpdate(runMessages.retryFailed)).toBe(1);
  await until(
    'the counts have changed',
    async () => (await handle.query<RunView>(runMessages.progress)).totals.failed === 0,
  );
  expect(await handle.executeUpdate(runMessages.retryFailed).catch(getReason)).toMatch(/no finished batch/);
  release();
  expect(await run.result()).toMatchObject({ state: 'COMPLETED', totals: { completed: 8, failed: 0 }, failures: [] });
  const batch = await harness.client.workflow.getHandle(`${run.runId}/0/p00000/retry-1`).describe();
  expect(batch.searchAttributes).toMatchObject({ Outcome: ['COMPLETED'], FailedDocuments: [0] });
  await harness.record('retried', run.runId);
});

/** Why an update was refused. */
function getReason(error: unknown): string | undefined {
  return error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
}
