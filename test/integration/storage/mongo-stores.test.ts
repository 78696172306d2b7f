import { randomUUID } from 'node:crypto';
import { listPrincipals } from '../../../model/access-list';
import type { PartReport } from '../../../model/run/run';
import { createFlowsStore } from '../../../services/flow/flows-store';
import type { FlowRecord } from '../../../services/flow/ports';
import { createLedger } from '../../../services/run/ledger';
import type { LedgerEntry } from '../../../services/run/ledger';
import type { RunDocument } from '../../../services/run/run-record';
import { createRunsStore } from '../../../services/run/runs-store';
import { connectMongo } from '../../../services/storage/mongo';
import { useDatabase } from '../../support/system/database';
import { runRecord } from '../../support/system/run-record';

const mongo = useDatabase(['flows', 'job_runs', 'job_locks', 'run_parts', 'run_documents', 'ledger']);

const alice = { username: 'alice', email: '', full_name: '', groups: [] };
const bob = { ...alice, username: 'bob' };
const flowRecord = (change: Partial<FlowRecord> = {}): FlowRecord => ({
  flow_id: randomUUID(),
  flow_name: `flow-${randomUUID()}`,
  flow: [{ type: 'ingest_source', name: 'in', config: { 'a.dotted': { $key: 1 } } }],
  tags: [],
  owner: 'alice',
  readers: [],
  flow_source: 'api',
  flow_version: '2.0',
  created_on: new Date().toISOString(),
  modified_on: new Date().toISOString(),
  created_by: 'alice',
  modified_by: 'alice',
  ...change,
});
const report = (change: Partial<PartReport> = {}): PartReport => ({
  in: 4,
  out: 3,
  documents: 4,
  failed: 1,
  skipped: 0,
  seconds: 0.5,
  failures: [],
  warnings: [],
  metrics: { chunks: 7 },
  pages: 4,
  ...change,
});
const times = { started: '2026-01-01T00:00:00.000Z', ended: '2026-01-01T00:00:01.000Z' };

describe('flows', () => {
  test('a flow survives a round trip, keys with dots included', async () => {
    const flows = createFlowsStore(mongo);
    const flow = await flows.create(flowRecord());
    expect(await flows.get(alice, flow.flow_id)).toEqual({ ...flow, project_id: null });
  });

  test('of twenty concurrent creations under one name one succeeds', async () => {
    const flows = createFlowsStore(mongo);
    const name = `flow-${randomUUID()}`;
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, async () => flows.create(flowRecord({ flow_name: name }))),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const refused = results.flatMap((result) =>
      result.status === 'rejected' ? [(result.reason as { code: string }).code] : [],
    );
    expect(new Set(refused)).toEqual(new Set(['FLOW_ALREADY_EXISTS']));
  });

  test('only owner and readers see a flow, in get and in list', async () => {
    const flows = createFlowsStore(mongo);
    const name = `mine-${randomUUID()}`;
    const flow = await flows.create(flowRecord({ flow_name: name }));
    const shared = await flows.create(flowRecord({ flow_name: `${name}-shared`, readers: ['bob'], tags: ['x'] }));
    expect(await flows.get(bob, flow.flow_id)).toBeUndefined();
    expect((await flows.list(bob, { limit: 10, offset: 0, name })).items.map(({ flow_id }) => flow_id)).toEqual([
      shared.flow_id,
    ]);
    expect(await flows.list(alice, { limit: 1, offset: 0, name })).toMatchObject({ total: 2, items: [{}] });
    expect((await flows.list(alice, { limit: 10, offset: 0, name, tags: ['x'] })).total).toBe(1);
  });

  test('an upsert by name keeps the id, and does not touch the flow of another owner', async () => {
    const flows = createFlowsStore(mongo);
    const first = await flows.upsert(flowRecord());
    const second = await flows.upsert(flowRecord({ flow_name: first.flow_name, description: 'new' }));
    expect(second).toMatchObject({ flow_id: first.flow_id, description: 'new' });
    const ofBob = await flows.upsert(flowRecord({ flow_name: first.flow_name, owner: 'bob' }));
    expect(ofBob.flow_id).not.toBe(first.flow_id);
    expect(await flows.get(alice, first.flow_id)).toMatchObject({ owner: 'alice', description: 'new' });
  });
});

describe('runs', () => {
  test('a final record does not change any more', async () => {
    const runs = createRunsStore(mongo);
    const run = runRecord();
    await runs.create(run);
    await runs.update(run.job_run_id, { status: 'CANCELED' });
    expect(await runs.update(run.job_run_id, { status: 'COMPLETED' })).toMatchObject({
      status: 'CANCELED',
      metadata: { 'with.dot': 'x' },
    });
  });

  test('a run has a wait for each operator and part until it is over or the run ends', async () => {
    const runs = createRunsStore(mongo);
    const run = { ...runRecord(), owner: 'waits', status: 'RUNNING' as const };
    const { job_run_id: id } = await runs.create(run);
    const waits = { code: 'SEARCH_CONNECTION_FAILED', message: 'OpenSearch is unreachable.', since: run.created_at };
    const list = async (isWaiting?: boolean) =>
      (await runs.list({ ...alice, username: 'waits' }, { limit: 10, offset: 0, owner: 'waits', isWaiting })).total;
    expect([await list(), await list(true), await list(false)]).toEqual([1, 0, 1]);
    await runs.recordWait(id, { operator: 'index', part: 'p1' }, waits);
    await runs.recordWait(id, { operator: 'index', part: 'p2' }, waits);
    await runs.recordWait(id, { operator: 'index', part: 'p1' }, waits);
    expect(await runs.get(id)).toMatchObject({
      waiting: [{ part: 'p2' }, { operator: 'index', part: 'p1', ...waits }],
      message: `'index' waits for a service that is unreachable. SEARCH_CONNECTION_FAILED: OpenSearch is unreachable. Waiting since ${run.created_at}.`,
    });
    expect([await list(), await list(true), await list(false)]).toEqual([1, 1, 0]);
    await runs.recordWait(id, { operator: 'index', part: 'p2' });
    expect((await runs.get(id))?.waiting).toHaveLength(1);
    await runs.update(id, { status: 'CANCELED' });
    expect(await runs.get(id)).not.toHaveProperty('waiting');
    expect([await list(true), await list(false)]).toEqual([0, 1]);
    const other = await runs.create({ ...runRecord(), owner: 'waits', status: 'RUNNING' });
    await runs.recordWait(other.job_run_id, { operator: 'index', part: 'p1' }, waits);
    await runs.recordWait(other.job_run_id, { operator: 'index', part: 'p1' });
    expect(await runs.get(other.job_run_id)).not.toHaveProperty('waiting');
    expect([await list(true), await list(false)]).toEqual([0, 2]);
  });

  test('the report of a part replaces live progress and an earlier report, and late progress does not undo it', async () => {
    const runs = createRunsStore(mongo);
    const id = randomUUID();
    const operator = { name: 'extract', type: 'extract_operator' };
    await runs.recordProgress(id, operator, 'p00000', { documents: 2 });
    expect(await runs.readOperatorStats(id)).toMatchObject([{ documents: 2, parts: 0 }]);
    await runs.recordPart(id, operator, 'p00000', { report: report(), documents: [], times });
    await runs.recordPart(id, operator, 'p00000', { report: report(), documents: [], times });
    await runs.recordProgress(id, operator, 'p00000', { documents: 3 });
    await runs.recordPart(id, operator, 'p00001', { report: report(), documents: [], times });
    expect(await runs.readOperatorStats(id)).toMatchObject([
      { name: 'extract', in: 8, out: 6, failed: 2, parts: 2, metrics: { chunks: 14 }, seconds: 1 },
    ]);
    expect(await runs.findPartReport(id, 'extract', 'p00001')).toEqual(report());
    expect(await runs.findPartReport(id, 'extract', 'p00002')).toBeUndefined();
  });

  test('forgetting a part forgets its halves and no other part', async () => {
    const runs = createRunsStore(mongo);
    const id = randomUUID();
    const operator = { name: 'extract', type: 'extract_operator' };
    const failed: RunDocument = { id: 'd', name: 'd', code: 'X', message: 'm', operator: 'extract', outcome: 'failed' };
    for (const part of ['p00000', 'p00000-0', 'p00000-0-1', 'p00001'])
      await runs.recordPart(id, operator, part, { report: report(), documents: [{ ...failed, id: part }], times });
    await runs.forgetPart(id, 'p00000');
    expect(await runs.readOperatorStats(id)).toMatchObject([{ parts: 1 }]);
    expect((await runs.listDocuments(id, { limit: 10, offset: 0 })).items.map((document) => document.id)).toEqual([
      'p00001',
    ]);
  });

  test('a failure outweighs a skip of the same document', async () => {
    const runs = createRunsStore(mongo);
    const id = randomUUID();
    const document: RunDocument = { id: 'd', name: 'd', code: 'X', message: 'm', operator: 'a', outcome: 'failed' };
    await runs.recordPart(id, { name: 'a', type: 'a' }, 'p00000', { report: report(), documents: [document], times });
    await runs.recordPart(id, { name: 'b', type: 'b' }, 'p00000', {
      report: report(),
      documents: [{ ...document, operator: 'b', outcome: 'skipped' }],
      times,
    });
    expect((await runs.findOutcomes(id, ['d', 'e'])).get('d')?.outcome).toBe('failed');
  });

  test('a job has one holder at a time, and only the holder releases it', async () => {
    const runs = createRunsStore(mongo);
    const job = randomUUID();
    const results = await Promise.all(
      Array.from({ length: 10 }, async (_, index) => runs.acquireJob(job, `run-${index}`)),
    );
    const holder = results[0]?.holder ?? '';
    expect(results.filter(({ acquired }) => acquired)).toHaveLength(1);
    expect(await runs.acquireJob(job, holder)).toEqual({ acquired: true, holder });
    await runs.releaseJob(job, 'somebody');
    expect((await runs.acquireJob(job, 'next')).acquired).toBe(false);
    expect(await runs.replaceHolder(job, holder, 'next')).toBe(true);
    expect(await runs.replaceHolder(job, holder, 'third')).toBe(false);
    await runs.releaseJob(job, 'next');
    expect((await runs.acquireJob(job, 'fourth')).acquired).toBe(true);
  });

  test('removing a run removes its reports', async () => {
    const runs = createRunsStore(mongo);
    const run = runRecord();
    await runs.create(run);
    await runs.recordPart(run.job_run_id, { name: 'a', type: 'a' }, 'p00000', {
      report: report(),
      documents: [],
      times,
    });
    await runs.remove(run.job_run_id);
    expect(await runs.get(run.job_run_id)).toBeUndefined();
    expect(await runs.readOperatorStats(run.job_run_id)).toEqual([]);
  });
});

describe('the ledger', () => {
  const entry = (id: string, run: string): LedgerEntry => ({
    id,
    name: `${id}.md`,
    size: 1,
    modified_time: '2026-01-01T00:00:00.000Z',
    content_hash: 'h',
    acl_hash: 'a',
    status: 'done',
    indexes: { 'index.with.dots': 'uuid' },
    plan_hash: 'p',
    run_id: run,
  });

  test('documents that a run does not see are gone, per job', async () => {
    const ledger = createLedger(mongo);
    const job = randomUUID();
    await ledger.record(job, [entry('a', 'r1'), entry('b', 'r1'), entry('c', 'r1')]);
    await ledger.record(`${job}-other`, [entry('z', 'r1')]);
    await ledger.markSeen(job, 'r2', ['a']);
    await ledger.record(job, [entry('b', 'r2')]);
    expect(await ledger.listGone(job, 'r2', [])).toEqual([{ id: 'c', name: 'c.md' }]);
    await ledger.markSeen(job, 'r1', ['c'], 'reports');
    expect(await ledger.listGone(job, 'r2', [], ['reports'])).toEqual([]);
    expect(await ledger.listGone(job, 'r2', [], ['others'])).toEqual([{ id: 'c', name: 'c.md' }]);
    // A run does not notice documents that it could not see.
    expect(await ledger.listGone(job, 'r2', [{ username: 'alice' }])).toEqual([]);
    await ledger.record(job, [{ ...entry('d', 'r1'), allowed_users: ['alice', 'bob'], owner: 'bob' }]);
    expect(await ledger.listGone(job, 'r2', [{ username: 'alice' }])).toEqual([{ id: 'd', name: 'd.md' }]);
    expect(await ledger.listGone(job, 'r2', [{ username: 'alice' }, { username: 'carol' }])).toEqual([]);
    const staff = { username: 'zoe', principals: listPrincipals('zoe', ['staff']) };
    const groups = { allowed_users: [], allowed_principals: ['g:login:staff'], owner: 'bob' };
    await ledger.record(job, [{ ...entry('e', 'r1'), ...groups }]);
    await ledger.record(job, [{ ...entry('f', 'r1'), ...groups, denied_principals: ['u:zoe'] }]);
    expect(await ledger.listGone(job, 'r2', [staff])).toEqual([{ id: 'e', name: 'e.md' }]);
    expect(await ledger.listGone(job, 'r2', [{ username: 'zoe' }])).toEqual([]);
    expect((await ledger.lookup(job, ['f'])).get('f')).toMatchObject({ ...groups, denied_principals: ['u:zoe'] });
    await ledger.remove(job, ['c', 'd', 'e', 'f']);
    expect(await ledger.listGone(job, 'r2', [])).toEqual([]);
    expect((await ledger.lookup(job, ['a', 'c'])).get('a')).toEqual(entry('a', 'r1'));
  });

  test('recording twice is the same as once', async () => {
    const ledger = createLedger(mongo);
    const job = randomUUID();
    await ledger.record(job, [entry('a', 'r1')]);
    await ledger.record(job, [entry('a', 'r1')]);
    expect((await ledger.lookup(job, ['a'])).size).toBe(1);
  });
});

test('an absent database is DATABASE_UNAVAILABLE', async () => {
  const away = connectMongo('mongodb://127.0.0.1:9/none');
  await expect(away.ping()).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' });
  await away.close();
});
