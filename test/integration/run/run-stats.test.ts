import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { readConfig } from '../../../model/config';
import type { PartReport } from '../../../model/run/run';
import type { RunResult } from '../../../services/run/facts';
import { buildSourceResultsKey } from '../../../services/run/results';
import type { RunDocument } from '../../../services/run/run-record';
import type { RunStats } from '../../../services/run/run-stats';
import { createRunsStore } from '../../../services/run/runs-store';
import { createRunStats } from '../../../services/run/stats';
import { startPostgres, type TestPostgres } from '../../support/servers/postgres';
import { openDatabase } from '../../support/system/database';
import { runRecord } from '../../support/system/run-record';

const mongo = openDatabase();
const folder = mkdtempSync(path.join(os.tmpdir(), 'docloom-stats-'));
let postgres: TestPostgres;
const stores = new Map<string, RunStats>();
const settings = (backend: string): Record<string, string> => ({
  PIPE_STORAGE_BACKEND: backend,
  ...(backend === 'filesystem' ? { PIPE_JOB_STATS_BASE_DIR: folder } : {}),
  ...(backend === 'postgres'
    ? {
        PIPE_POSTGRES_HOST: postgres.host,
        PIPE_POSTGRES_PORT: String(postgres.port),
        PIPE_POSTGRES_DB: postgres.database,
        PIPE_POSTGRES_USER: postgres.user,
        PIPE_POSTGRES_PASSWORD: postgres.password,
      }
    : {}),
});
const backends = ['mongodb', 'filesystem', 'postgres'];

beforeAll(async () => {
  postgres = await startPostgres();
  for (const backend of backends) stores.set(backend, createRunStats(readConfig(settings(backend)), mongo));
});
afterAll(async () => {
  for (const store of stores.values()) await store.close();
  await postgres.stop();
  for (const name of ['job_runs', 'run_parts', 'run_documents', 'run_results'])
    await mongo
      .collection(name)
      .drop()
      .catch(() => undefined);
  await mongo.close();
  rmSync(folder, { recursive: true });
});

const report = (change: Partial<PartReport> = {}): PartReport => ({
  in: 4,
  out: 3,
  documents: 4,
  failed: 1,
  skipped: 0,
  seconds: 0.5,
  failures: [],
  warnings: ['one \u0000 is odd'],
  metrics: { chunks: 7 },
  pages: 2,
  ...change,
});
const times = { started: '2026-01-01T00:00:00.000Z', ended: '2026-01-01T00:00:01.000Z' };
const extract = { name: 'extract / text', type: 'extract_operator' };
const chunk = { name: 'chunk', type: 'chunker' };
const document = (id: string, change: Partial<RunDocument> = {}): RunDocument => ({
  id,
  name: `${id} \u0000 ümlaut.pdf`,
  code: 'DOCUMENT_CORRUPT',
  message: 'It is "damaged".',
  operator: extract.name,
  outcome: 'failed',
  ...change,
});
const result = (id: string, status: RunResult['status']): RunResult => ({
  id,
  name: `${id}.pdf`,
  status,
  reason: '',
  time: times.ended,
  pages: 1,
  seconds: 0.1,
});
async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}
const getIds = (found: { items: RunDocument[] }) => found.items.map(({ id }) => id);

describe.each(backends)('statistics of runs in %s', (backend) => {
  let stats: RunStats;
  let id: string;
  beforeEach(() => {
    stats = stores.get(backend) as RunStats;
    id = randomUUID();
  });

  test('a report survives a round trip, and replaces progress and an earlier report; late progress does not undo it', async () => {
    await stats.recordProgress(id, extract, 'p00000', { documents: 1 });
    const pages = { documents: 1, done: 41, total: 1_000 };
    await stats.recordProgress(id, extract, 'p00000', { documents: 2, pages });
    await stats.recordProgress(id, extract, 'p00001', { documents: 0, pages: { documents: 2, done: 3, total: 30 } });
    expect(await stats.readOperatorStats(id)).toMatchObject([
      { name: extract.name, documents: 2, pages: { documents: 3, done: 44, total: 1_030 } },
    ]);
    await stats.recordProgress(id, extract, 'p00001', { documents: 0 });
    expect(await stats.readOperatorStats(id)).toMatchObject([{ documents: 2, pages }]);
    expect(await stats.readOperatorStats(id)).toMatchObject([
      { name: extract.name, documents: 2, parts: 0, ended_at: null },
    ]);
    await stats.recordPart(id, extract, 'p00000', { report: report(), documents: [], times });
    await stats.recordPart(id, extract, 'p00000', { report: report(), documents: [], times });
    await stats.recordProgress(id, extract, 'p00000', { documents: 3, pages });
    expect((await stats.readOperatorStats(id))[0]).not.toHaveProperty('pages');
    await stats.recordPart(id, extract, 'p00001', {
      report: report({ seconds: 1 }),
      documents: [],
      times: {
        ...times,
        ended: '2026-01-02T00:00:00.000Z',
      },
    });
    expect(await stats.findPartReport(id, extract.name, 'p00000')).toEqual(report());
    expect(await stats.findPartReport(id, extract.name, 'p00009')).toBeUndefined();
    expect(await stats.readOperatorStats(id)).toEqual([
      {
        name: extract.name,
        type: extract.type,
        documents: 8,
        in: 8,
        out: 6,
        failed: 2,
        skipped: 0,
        seconds: 1.5,
        parts: 2,
        metrics: { chunks: 14 },
        started_at: times.started,
        ended_at: '2026-01-02T00:00:00.000Z',
      },
    ]);
  });

  test('documents have a fixed order, page by page, with true totals, by outcome', async () => {
    const skipped = document('b', { outcome: 'skipped', operator: chunk.name });
    await stats.recordPart(id, extract, 'p00000', {
      report: report(),
      documents: [document('c'), document('a')],
      times,
    });
    await stats.recordPart(id, chunk, 'p00000', { report: report(), documents: [skipped], times });
    expect(await stats.listDocuments(id, { limit: 2, offset: 0 })).toMatchObject({
      total: 3,
      items: [skipped, document('a')],
    });
    expect(getIds(await stats.listDocuments(id, { limit: 2, offset: 2 }))).toEqual(['c']);
    expect(await stats.listDocuments(id, { limit: 9, offset: 0, outcome: 'skipped' })).toEqual({
      total: 1,
      items: [skipped],
    });
  });

  test("of a document's outcomes, a failure outweighs a skip; successful documents are absent", async () => {
    await stats.recordPart(id, extract, 'p00000', { report: report(), documents: [document('a')], times });
    await stats.recordPart(id, { name: 'z', type: 'noop' }, 'p00000', {
      report: report(),
      documents: [document('a', { outcome: 'skipped', operator: 'z' })],
      times,
    });
    const outcomes = await stats.findOutcomes(id, ['a', 'well']);
    expect([...outcomes]).toEqual([['a', document('a')]]);
  });

  test('forgetting a part forgets its halves and no other part', async () => {
    for (const part of ['p00000', 'p00000-0', 'p00000-0-1', 'p000001', 'p00001'])
      await stats.recordPart(id, extract, part, { report: report(), documents: [document(part)], times });
    await stats.recordProgress(id, chunk, 'p00000-1', { documents: 1 });
    await stats.forgetPart(id, 'p00000');
    expect(getIds(await stats.listDocuments(id, { limit: 9, offset: 0 }))).toEqual(['p000001', 'p00001']);
    expect(await stats.readOperatorStats(id)).toMatchObject([{ parts: 2 }]);
  });

  test('seconds and pages of a part include those of its split parts, and of no other part', async () => {
    for (const [part, name] of [
      ['p00000-0', 'a'],
      ['p00000-1', 'b'],
      ['p00001', 'c'],
    ] as const)
      await stats.recordPart(id, extract, part, {
        report: report(),
        documents: [],
        times: { ...times, pages: { [name]: 2 } },
      });
    expect(await stats.readPartFacts(id, 'p00000')).toEqual({ seconds: 1, pages: { a: 2, b: 2 } });
    expect(await stats.readPartFacts(id, 'p00009')).toEqual({ seconds: 0, pages: {} });
  });

  test('parts come in the order of operators and parts, those that continue without a report', async () => {
    await stats.recordProgress(id, extract, 'p00001', { documents: 1 });
    await stats.recordPart(id, extract, 'p00000', { report: report(), documents: [], times });
    await stats.recordPart(id, chunk, 'p00000', { report: report(), documents: [], times });
    const parts = await all(stats.iterateParts(id));
    expect(parts.map(({ operator, part }) => `${operator} ${part}`)).toEqual([
      'chunk p00000',
      'extract / text p00000',
      'extract / text p00001',
    ]);
    expect(parts[0]).toEqual({
      operator: 'chunk',
      part: 'p00000',
      report: report(),
      started_at: times.started,
      ended_at: times.ended,
    });
    expect(parts[2]).toMatchObject({ ended_at: null });
    expect(parts[2]).not.toHaveProperty('report');
  });

  test('results of a part written twice count once; documents that a source skipped are reported but not counted', async () => {
    await stats.recordResults(id, 'p00000', [result('a', 'Failed')]);
    await stats.recordResults(id, 'p00000', [result('a', 'Completed'), result('b', 'Failed')]);
    await stats.recordResults(id, buildSourceResultsKey('ingest', 0), [result('c', 'Skipped')]);
    expect(await stats.countSettled(id)).toEqual({ completed: 1, failed: 1, skipped: 0 });
    expect(await all(stats.iterateResults(id))).toEqual([
      { ...result('a', 'Completed'), part: 'p00000' },
      { ...result('b', 'Failed'), part: 'p00000' },
      { ...result('c', 'Skipped'), part: buildSourceResultsKey('ingest', 0) },
    ]);
  });

  test('many parts written at once are all stored', async () => {
    const parts = Array.from({ length: 250 }, (_, index) => `p${String(index).padStart(5, '0')}`);
    await Promise.all(
      parts.map((part) =>
        stats.recordPart(id, extract, part, { report: report(), documents: [document(part)], times }),
      ),
    );
    await Promise.all(parts.map((part) => stats.recordResults(id, part, [result(part, 'Completed')])));
    expect((await all(stats.iterateParts(id))).map(({ part }) => part)).toEqual(parts);
    expect((await all(stats.iterateResults(id))).map((settledResult) => settledResult.id)).toEqual(parts);
    expect(await stats.listDocuments(id, { limit: 3, offset: 248 })).toMatchObject({ total: 250, items: [{}, {}] });
  });

  test('a removed run removes its statistics, and no others', async () => {
    const runs = createRunsStore(mongo, stats);
    const other = randomUUID();
    const run = runRecord({ job_run_id: id });
    await runs.create(run);
    for (const value of [id, other]) {
      await runs.recordPart(value, extract, 'p00000', { report: report(), documents: [document('a')], times });
      await runs.recordResults(value, 'p00000', [result('a', 'Failed')]);
    }
    await runs.remove(id);
    expect(await runs.readOperatorStats(id)).toEqual([]);
    expect(await all(runs.iterateResults(id))).toEqual([]);
    expect(await runs.listDocuments(id, { limit: 9, offset: 0 })).toEqual({ items: [], total: 0 });
    expect(await runs.readOperatorStats(other)).toHaveLength(1);
  });
});

test('PIPE_JOB_STATS_BASE_DIR: files are below it; an unusable folder is a STORAGE_ERROR', async () => {
  expect(readdirSync(folder).length).toBeGreaterThan(0);
  const file = path.join(folder, 'file');
  writeFileSync(file, '');
  const broken = createRunStats(
    readConfig({ PIPE_STORAGE_BACKEND: 'filesystem', PIPE_JOB_STATS_BASE_DIR: file }),
    mongo,
  );
  await expect(broken.recordResults('run', 'p00000', [])).rejects.toMatchObject({ code: 'STORAGE_ERROR' });
});

test.each([
  ['an unavailable server', { PIPE_POSTGRES_PORT: '1' }],
  ['a wrong password', { PIPE_POSTGRES_PASSWORD: 'wrong' }],
  ['a missing database', { PIPE_POSTGRES_DB: 'nowhere' }],
])('PIPE_POSTGRES_…: %s is DATABASE_UNAVAILABLE', async (_name, change) => {
  const broken = createRunStats(readConfig({ ...settings('postgres'), ...change }), mongo);
  await expect(broken.readOperatorStats('run')).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' });
  await broken.close();
});

test('processes that create the tables concurrently do not interfere', async () => {
  const many = Array.from({ length: 5 }, () => createRunStats(readConfig(settings('postgres')), mongo));
  expect(await Promise.all(many.map((stats) => stats.countSettled('none')))).toHaveLength(5);
  await Promise.all(many.map((stats) => stats.close()));
});
