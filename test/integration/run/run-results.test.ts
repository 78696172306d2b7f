import { randomUUID } from 'node:crypto';
import type { PartReport } from '../../../model/run/run';
import type { RunPart, RunResult } from '../../../services/run/facts';
import { buildSourceResultsKey } from '../../../services/run/results';
import type { RunRecord } from '../../../services/run/run-record';
import { createRunsStore } from '../../../services/run/runs-store';
import { useDatabase } from '../../support/system/database';

const mongo = useDatabase(['job_runs', 'run_keys', 'run_parts', 'run_documents', 'run_results']);
const runs = createRunsStore(mongo);

const alice = { username: 'alice', email: '', full_name: '', groups: [] };
const record = (change: Partial<RunRecord> = {}): RunRecord => ({
  job_run_id: randomUUID(),
  job_id: randomUUID(),
  flow_id: 'flow',
  flow_name: 'flow',
  project_id: null,
  owner: 'alice',
  status: 'QUEUED',
  message: '',
  warnings: [],
  created_at: '2026-01-01T00:00:00.000Z',
  started_at: null,
  ended_at: null,
  totals: { documents: 0, completed: 0, failed: 0, skipped: 0, deleted: 0, pages: 0 },
  metadata: {},
  snapshot: {
    flow: { flow_name: 'flow', flow: [] },
    plan: { sources: [], stages: [], batchSize: 1, maxConcurrentBatches: 1, failFast: false },
    plan_hash: 'h',
  },
  ...change,
});
const report: PartReport = {
  in: 1,
  out: 1,
  documents: 1,
  failed: 0,
  skipped: 0,
  seconds: 0.5,
  failures: [],
  warnings: [],
  metrics: {},
  pages: 0,
};
const times = { started: '2026-01-01T00:00:00.000Z', ended: '2026-01-01T00:00:01.000Z' };
async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

test('twenty concurrent requests with one idempotency key create one run, and a deleted run frees the key', async () => {
  const records = await Promise.all(
    Array.from({ length: 20 }, async () => runs.create(record({ idempotency_key: 'k' }))),
  );
  const [runId = ''] = new Set(records.map(({ job_run_id }) => job_run_id));
  expect(new Set(records.map(({ job_run_id }) => job_run_id)).size).toBe(1);
  expect((await runs.list(alice, { limit: 100, offset: 0 })).total).toBe(1);
  const ofBob = await runs.create(record({ idempotency_key: 'k', owner: 'bob' }));
  expect(ofBob.job_run_id).not.toBe(runId);
  await runs.remove(runId);
  expect((await runs.create(record({ idempotency_key: 'k' }))).job_run_id).not.toBe(runId);
});

test('lists are filtered in the query: owner and everybody, project, time', async () => {
  const project_id = randomUUID();
  const run = await runs.create(record({ project_id, created_at: '2026-02-02T00:00:00.000Z', owner: 'carol' }));
  const page = { limit: 10, offset: 0, projectId: project_id };
  expect((await runs.list(alice, page)).total).toBe(0);
  expect((await runs.list(alice, { ...page, owner: 'carol' })).total).toBe(0);
  const everyone = { ...page, everyone: true };
  const { snapshot: _snapshot, metadata: _metadata, ...facts } = run;
  expect((await runs.list(alice, everyone)).items).toEqual([facts]);
  expect(await runs.listOfJob(run.job_id, page)).toEqual([run]);
  expect(await runs.listOfJob(run.job_id, { ...page, offset: 1 })).toEqual([]);
  expect((await runs.list(alice, { ...everyone, owner: 'dave' })).total).toBe(0);
  expect((await runs.list(alice, { ...everyone, statuses: ['FAILED', 'QUEUED'] })).total).toBe(1);
  expect((await runs.list(alice, { ...everyone, statuses: ['FAILED', 'COMPLETED'] })).total).toBe(0);
  expect((await runs.list(alice, { ...everyone, createdFrom: run.created_at })).total).toBe(1);
  expect((await runs.list(alice, { ...everyone, createdTo: run.created_at })).total).toBe(0);
});

test('lists are filtered by part of the flow name, taken literally, and sorted as requested', async () => {
  const project_id = randomUUID();
  for (const flow_name of ['b (new)', 'Axb', 'c'])
    await runs.create(record({ project_id, flow_name, created_at: '2026-02-02T00:00:00.000Z' }));
  const found = async (query: object) =>
    (await runs.list(alice, { limit: 10, offset: 0, projectId: project_id, everyone: true, ...query })).items.map(
      ({ flow_name }) => flow_name,
    );
  expect(await found({ flowName: 'B (N' })).toEqual(['b (new)']);
  expect(await found({ flowName: '.' })).toEqual([]);
  expect(await found({ sort: { field: 'flow_name', descending: true } })).toEqual(['c', 'b (new)', 'Axb']);
});

test('results of a part written twice count once; documents that a source skipped are reported but not counted', async () => {
  const runId = randomUUID();
  const result = (id: string, status: RunResult['status']): RunResult => ({
    id,
    name: `${id}.pdf`,
    status,
    reason: '',
    time: times.ended,
    pages: 1,
    seconds: 0.1,
  });
  await runs.recordResults(runId, 'p00000', [result('a', 'Failed')]);
  await runs.recordResults(runId, 'p00000', [result('a', 'Completed'), result('b', 'Failed')]);
  await runs.recordResults(runId, buildSourceResultsKey('ingest', 0), [result('c', 'Skipped')]);
  expect(await runs.countSettled(runId)).toEqual({ completed: 1, failed: 1, skipped: 0 });
  expect((await all(runs.iterateResults(runId))).map(({ id }) => id).toSorted()).toEqual(['a', 'b', 'c']);
  await runs.remove(runId);
  expect(await all(runs.iterateResults(runId))).toEqual([]);
});

test('seconds and pages of a part include those of its split parts, and of no other part', async () => {
  const runId = randomUUID();
  const extract = { name: 'extract', type: 'extract_operator' };
  for (const [part, id] of [
    ['p00000-0', 'a'],
    ['p00000-1', 'b'],
    ['p00001', 'c'],
  ] as const)
    await runs.recordPart(runId, extract, part, { report, documents: [], times: { ...times, pages: { [id]: 2 } } });
  expect(await runs.readPartFacts(runId, 'p00000')).toEqual({ seconds: 1, pages: { a: 2, b: 2 } });
  const parts: RunPart[] = await all(runs.iterateParts(runId));
  expect(parts.map(({ part }) => part)).toEqual(['p00000-0', 'p00000-1', 'p00001']);
  expect(parts[0]).toMatchObject({ operator: 'extract', report: { in: 1 }, ended_at: times.ended });
});

test('open runs are paged, expired ones until their tables are removed', async () => {
  const job_id = randomUUID();
  const at = (day: number) => `2020-01-0${day}T00:00:00.000Z`;
  const first = await runs.create(record({ created_at: at(1), status: 'RUNNING' }));
  const second = await runs.create(record({ created_at: at(2) }));
  const ended = await runs.create(record({ created_at: at(1), status: 'COMPLETED', ended_at: at(3), job_id }));
  const ids = (records: RunRecord[]) => records.map(({ job_run_id }) => job_run_id);
  expect(ids(await runs.listOpenRuns(at(5), 1))).toEqual([first.job_run_id]);
  expect(ids(await runs.listOpenRuns(at(5), 1, first.created_at))).toEqual([second.job_run_id]);
  expect(ids(await runs.listOpenRuns(at(2), 9))).toEqual([first.job_run_id]);

  expect(ids(await runs.listExpiredRuns(at(3), 9))).toEqual([]);
  expect(ids(await runs.listExpiredRuns(at(4), 9))).toEqual([ended.job_run_id]);
  expect(await runs.isJobInUse(job_id)).toBe(true);
  await runs.noteTablesRemoved(ended.job_run_id, at(5));
  expect(await runs.listExpiredRuns(at(4), 9)).toEqual([]);
  expect(await runs.isJobInUse(job_id)).toBe(false);
  expect((await runs.get(ended.job_run_id))?.tables_removed_at).toBe(at(5));
});
