import type { RunComparison } from '../../../model/run/wire-compare';
import type { RunResult } from '../../../services/run/facts';
import { alice, bob, carol, emptyState, memoryServices, startApi, type TestApi } from '../../support/api/server';
import { runRecord } from '../../support/system/run-record';

const result = (id: string, status: RunResult['status']): RunResult => ({
  id,
  name: `${id}.pdf`,
  status,
  reason: '',
  time: '2026-01-02T03:05:00.000Z',
  pages: 1,
  seconds: 0.1,
});
const base = runRecord({ status: 'COMPLETED' });
const run = runRecord({ status: 'COMPLETED_WITH_ERRORS' });
const results = new Map([
  [base.job_run_id, [result('kept', 'Completed'), result('gone', 'Completed'), result('mended', 'Failed')]],
  [
    run.job_run_id,
    [result('kept', 'Completed'), result('mended', 'Completed'), result('new', 'Completed'), result('bad', 'Failed')],
  ],
]);
let api: TestApi;
beforeEach(async () => {
  const { runsStore } = memoryServices(emptyState(), ['admins']);
  const counting = {
    ...runsStore,
    async *iterateResults(runId: string) {
      for (const runResult of results.get(runId) ?? []) yield { ...runResult, part: 'p00000' };
    },
  };
  api = await startApi({ runsStore: counting }, { adminGroups: ['admins'] });
  for (const record of [base, run, runRecord({ job_id: 'another', owner: 'bob' })]) await counting.create(record);
});
afterEach(() => api.close());

const compare = (runId: string, baseId: string, user = alice) =>
  api.call('GET', `/api/v1/job_runs/${runId}/comparison?base_run_id=${baseId}`, { user });

test('documents that were added, removed, failed, recovered or reprocessed, and the counts of operators', async () => {
  const { body } = await compare(run.job_run_id, base.job_run_id);
  const { documents } = body as RunComparison;
  const named = Object.entries(documents ?? {}).map(([kind, found]) => [kind, found.documents.map(({ name }) => name)]);
  expect(Object.fromEntries(named)).toEqual({
    added: ['new.pdf', 'bad.pdf'],
    removed: ['gone.pdf'],
    changed: ['kept.pdf'],
    failed: ['bad.pdf'],
    recovered: ['mended.pdf'],
  });
});

test('administrators see no names; invisible runs and runs of other jobs are not compared', async () => {
  expect(JSON.stringify((await compare(run.job_run_id, base.job_run_id, carol)).body)).not.toContain('.pdf');
  const other = (await api.call('GET', '/api/v1/job_runs', { user: bob })).body as { list: { job_run_id: string }[] };
  const job_run_id = other.list[0]?.job_run_id ?? '';
  expect((await compare(run.job_run_id, job_run_id)).status).toBe(404);
  expect((await compare(job_run_id, base.job_run_id, bob)).status).toBe(404);
  expect((await compare(job_run_id, base.job_run_id, carol)).status).toBe(400);
});
