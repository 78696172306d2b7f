import { AppError } from '../../../model/errors';
import { planFlow } from '../../../model/flow/plan-flow';
import type { FlowRecord } from '../../../services/flow/ports';
import { ledgerEntry, memoryKept } from '../../support/api/kept-documents';
import { memoryPages } from '../../support/api/page-services';
import { alice, bob, carol, sampleFlow, startApi, type TestApi, testOperators } from '../../support/api/server';
import { failedDocument, runRecord } from '../../support/system/run-record';

let api: TestApi;
const finished = runRecord({ status: 'COMPLETED_WITH_ERRORS', flow_id: 'f1', job_id: 'f1' });
finished.snapshot.flow = sampleFlow('flow');
finished.snapshot.plan = planFlow(finished.snapshot.flow, testOperators);
const active = runRecord({ status: 'RUNNING' });

beforeEach(async () => {
  api = await startApi({}, { adminGroups: ['admins'] });
  api.state.runs = [finished, active];
  api.state.flows = [storedFlow('alice')];
  const own = { job_run_id: finished.job_run_id, flow_id: 'f1', flow_name: 'First' };
  api.state.failures = [
    failedDocument({ ...own, id: 'a', document_id: 'd1', name: '=1+1.pdf' }),
    failedDocument({ ...own, id: 'b', document_id: 'd2', code: 'DOCUMENT_ENCRYPTED', name: 'b.pdf' }),
    failedDocument({ id: 'c', document_id: 'd3', job_run_id: active.job_run_id, flow_id: 'f2', flow_name: 'Second' }),
    failedDocument({ id: 'd', owner: 'bob', name: 'secret-of-bob.pdf', message: 'secret-of-bob.pdf is damaged.' }),
  ];
});
afterEach(() => api.close());

/** The flow of the finished run. */
function storedFlow(owner: string): FlowRecord {
  const now = '2026-01-01T00:00:00.000Z';
  const stamps = { created_on: now, modified_on: now, created_by: owner, modified_by: owner };
  const kind = { flow_source: 'api' as const, flow_version: '2.0' };
  return { ...sampleFlow('flow'), flow_id: 'f1', owner, readers: ['alice'], ...kind, ...stamps };
}

const getIds = (body: { documents: { id: string }[] }) => body.documents.map(({ id }) => id);

describe('failed documents of a run', () => {
  const openable = (access: string[]) =>
    memoryKept([{ ...ledgerEntry({ id: 'd1', allowed_users: access }), job_id: 'f1' }]);
  const reported = (id: string, outcome: 'failed' | 'skipped' = 'failed') =>
    ({ id, name: `${id}.pdf`, operator: 'extract', outcome, code: 'DOCUMENT_CORRUPT', message: 'damaged' }) as const;
  const ids = async (access: string[], user = alice) => {
    const before = api.state;
    await api.close();
    api = await startApi({ keptDocuments: openable(access) }, { adminGroups: ['admins'] });
    Object.assign(api.state, { runs: before.runs, flows: before.flows, failures: before.failures });
    api.state.documents = [reported('d1'), reported('d2'), reported('d9'), reported('d3', 'skipped')];
    const { body } = await api.call('GET', `/api/v1/job_runs/${finished.job_run_id}/documents`, { user });
    return (body as { documents: { failed_id?: string }[] }).documents.map(({ failed_id }) => failed_id);
  };

  test('have an id to open them by, unless a later run has succeeded with them', async () => {
    expect(await ids(['alice'])).toEqual(['a', 'b', undefined, undefined]);
  });

  test('have none for those who may not read the document, administrators among them', async () => {
    expect(await ids(['bob'])).toEqual([undefined, 'b', undefined, undefined]);
    expect(await ids(['alice'], carol)).toEqual([undefined, undefined, undefined, undefined]);
  });
});

describe('failed documents over all runs', () => {
  test('are those of the caller, filtered and paged', async () => {
    const all = await api.call('GET', '/api/v1/failed_documents?limit=2', { user: alice });
    expect(all).toMatchObject({ status: 200, body: { total: 3, limit: 2, offset: 0 } });
    expect(getIds(all.body)).toEqual(['a', 'b']);
    const encrypted = await api.call('GET', '/api/v1/failed_documents?code=DOCUMENT_ENCRYPTED', { user: alice });
    expect(getIds(encrypted.body)).toEqual(['b']);
    const second = await api.call('GET', '/api/v1/failed_documents?flow_id=f2', { user: alice });
    expect(getIds(second.body)).toEqual(['c']);
    expect((await api.call('GET', '/api/v1/failed_documents', { user: bob })).body).toMatchObject({ total: 1 });
  });

  test('are counted by code, operator and flow', async () => {
    const by = async (value: string) =>
      (await api.call('GET', `/api/v1/failed_documents/groups?by=${value}`, { user: alice })).body;
    expect(await by('code')).toMatchObject({
      total: 3,
      groups: [{ key: 'DOCUMENT_CORRUPT', name: 'The document is damaged.', count: 2 }, { count: 1 }],
    });
    expect(await by('flow_id')).toMatchObject({ groups: [{ key: 'f1', name: 'First', count: 2 }, { name: 'Second' }] });
    expect((await api.call('GET', '/api/v1/failed_documents/groups?by=owner', { user: alice })).status).toBe(400);
  });

  test('are reported to administrators by code, without name and reason', async () => {
    const { body } = await api.call('GET', '/api/v1/failed_documents', { user: carol });
    expect(body).toMatchObject({ total: 4 });
    expect(JSON.stringify(body)).not.toMatch(/secret-of-bob|b\.pdf/);
    const csv = await api.call('GET', '/api/v1/failed_documents/report', { user: carol });
    expect(csv.body as string).not.toMatch(/secret-of-bob/);
  });

  test('are exported as CSV without formulas in names', async () => {
    const { body } = await api.call('GET', '/api/v1/failed_documents/report', { user: alice });
    const lines = (body as string).trim().split('\r\n');
    expect(lines).toHaveLength(4);
    expect(lines[0]).toBe('Document,Flow,Run,Operator,Code,Reason,State,First failed,Last failed');
    expect(lines[1]).toMatch(/^'=1\+1\.pdf,First,/);
  });

  test('of a shared job are rerun only by those who may change the flow', async () => {
    api.state.flows = [storedFlow('bob')];
    const retried = await api.call('POST', '/api/v1/failed_documents/retry', { user: alice, body: { ids: ['a'] } });
    expect(retried.body).toMatchObject({ runs: [], refused: [{ documents: 1, code: 'FORBIDDEN' }] });
  });

  test('are rerun alone; failures of an active run are rejected with the reason', async () => {
    const { body } = await api.call('POST', '/api/v1/failed_documents/retry', {
      user: alice,
      body: { ids: ['a', 'c', 'd'] },
    });
    const { runs, refused } = body as { runs: { job_run_id: string }[]; refused: unknown[] };
    expect(refused).toMatchObject([{ job_run_id: active.job_run_id, documents: 1, code: 'JOB_RUN_INVALID_STATE' }]);
    expect(runs).toMatchObject([{ documents: 1 }]);
    const started = api.state.runs.find(({ job_run_id }) => job_run_id === runs[0]?.job_run_id);
    expect(started?.rerun).toEqual({ run_id: finished.job_run_id, mode: 'failed', documents: ['d1'] });
    expect(started).toMatchObject({ owner: 'alice', job_id: 'f1' });
  });

  test('an empty selection is rejected', async () => {
    for (const body of [{}, { ids: [] }, { everyone: true, code: 'x' }])
      expect((await api.call('POST', '/api/v1/failed_documents/retry', { user: alice, body })).status).toBe(400);
    const leave = await api.call('POST', '/api/v1/failed_documents/leave_out', {
      user: alice,
      body: { leave_out: true },
    });
    expect(leave.status).toBe(400);
  });

  test('are excluded and included again, except those of other users', async () => {
    const set = (leave_out: boolean) =>
      api.call('POST', '/api/v1/failed_documents/leave_out', { user: alice, body: { ids: ['a', 'd'], leave_out } });
    expect((await set(true)).body).toEqual({ changed: 1 });
    expect(api.state.failures.map(({ state }) => state)).toEqual(['left_out', 'failed', 'failed', 'failed']);
    const left = await api.call('GET', '/api/v1/failed_documents?state=left_out', { user: alice });
    expect(getIds(left.body)).toEqual(['a']);
    expect((await set(false)).body).toEqual({ changed: 1 });
  });

  test('are ignored and listed again, except those of other users and those left out', async () => {
    const set = (action: 'ignore' | 'leave_out', isSet: boolean) =>
      api.call('POST', `/api/v1/failed_documents/${action}`, {
        user: alice,
        body: { ids: ['a', 'b', 'd'], [action]: isSet },
      });
    await set('leave_out', true);
    const leftOut = api.state.failures.filter(({ state }) => state === 'left_out').map(({ id }) => id);
    expect((await set('ignore', true)).body).toEqual({ changed: 0 });
    await set('leave_out', false);
    expect((await set('ignore', true)).body).toEqual({ changed: leftOut.length });
    const ignored = await api.call('GET', '/api/v1/failed_documents?state=ignored', { user: alice });
    expect(getIds(ignored.body)).toEqual(leftOut);
    expect((await set('ignore', false)).body).toEqual({ changed: leftOut.length });
  });
});

describe('one failed document', () => {
  const entry = (change: Parameters<typeof ledgerEntry>[0] = {}) => ({
    ...ledgerEntry({ id: 'd1', status: 'failed', ...change }),
    job_id: 'job',
  });
  const start = async (entries: Parameters<typeof memoryKept>[0], change: object = {}) => {
    const { failures } = api.state;
    await api.close();
    api = await startApi({ keptDocuments: memoryKept(entries), ...change }, { adminGroups: ['admins'] });
    api.state.failures = failures;
  };
  const parts = ['', '/original', '/markdown', '/pages/1/image'];
  const get = (id: string, part: string, user: typeof alice) =>
    api.call('GET', `/api/v1/failed_documents/${id}${part}`, { user });

  test('is opened by its owner with its file, its text and its pages, never as a page of this origin', async () => {
    await start([entry()]);
    const { status, body } = await get('a', '', alice);
    expect([status, body]).toMatchObject([
      200,
      { id: 'a', code: 'DOCUMENT_CORRUPT', meaning: 'The document is damaged.', page_count: 1, not_shown: null },
    ]);
    expect((body as { forms: string[] }).forms).toEqual(['original', 'markdown']);
    expect(body).not.toHaveProperty('job_id');
    const file = await get('a', '/original', alice);
    expect(file.headers.get('content-disposition')).toMatch(/^attachment; /);
    expect(file.headers.get('content-type')).toBe('application/octet-stream');
    expect((await get('a', '/pages/1/image', alice)).headers.get('content-type')).toBe('image/png');
    expect(await get('a', '/pages/2/image', alice)).toMatchObject({
      status: 404,
      body: { errors: [{ code: 'DOCUMENT_FORM_NOT_FOUND' }] },
    });
  });

  test.each(parts)('%s is the same for other users and administrators as if it did not exist', async (part) => {
    await start([entry()]);
    const said = ({ status, body }: Awaited<ReturnType<typeof get>>) =>
      JSON.stringify([status, { ...(body as object), trace: '' }]).replaceAll(/'(a|nothing)'/g, 'ID');
    for (const user of [bob, carol])
      expect(said(await get('a', part, user))).toBe(said(await get('nothing', part, user)));
    expect((await get('a', part, bob)).status).toBe(404);
  });

  test.each(parts)('%s is closed to the owner of the run whom the access list does not name any more', async (part) => {
    // Neither is it opened by the list of the same document in another job.
    await start([entry({ allowed_users: ['dave'] }), { ...entry(), job_id: 'other' }]);
    expect((await get('a', part, alice)).status).toBe(404);
    await start([entry({ denied_principals: ['u:alice'] })]);
    expect((await get('a', part, alice)).status).toBe(404);
  });

  test('that could not be read has a reason and no file', async () => {
    await start([]);
    expect((await get('a', '', alice)).body).toMatchObject({ forms: [], page_count: null, not_shown: null });
    for (const part of parts.slice(1)) expect((await get('a', part, alice)).status).toBe(404);
  });

  test('whose pages cannot be drawn says why; a store that is down is an error', async () => {
    const pageViews = memoryPages();
    const failing = (code: 'DOCUMENT_CORRUPT' | 'DATABASE_UNAVAILABLE') => ({
      pageViews: { ...pageViews, draw: () => Promise.reject(new AppError(code, "'a.pdf' is damaged.")) },
    });
    await start([entry()], failing('DOCUMENT_CORRUPT'));
    expect((await get('a', '', alice)).body).toMatchObject({
      page_count: null,
      not_shown: { code: 'DOCUMENT_CORRUPT', message: "'a.pdf' is damaged." },
    });
    expect((await get('a', '/pages/1/image', alice)).status).toBe(422);
    await start([entry()], failing('DATABASE_UNAVAILABLE'));
    expect((await get('a', '', alice)).status).toBe(503);
  });
});
