import { createClient } from '../../../client';
import { AppError } from '../../../model/errors';
import type { RunState } from '../../../model/run/run';
import { alice, bob, carol, memoryServices, sampleFlow, startApi, type TestApi } from '../../support/api/server';
import { runRecord } from '../../support/system/run-record';

let api: TestApi;
beforeEach(async () => {
  api = await startApi({}, { adminGroups: ['admins'] });
});
afterEach(() => api.close());

const createFlow = async (name = 'invoices', user = alice) =>
  ((await api.call('POST', '/api/v1/flows', { user, body: sampleFlow(name) })).body as { flow_id: string }).flow_id;
const start = (flowId: string, { user = alice, key }: { user?: typeof alice; key?: string } = {}) =>
  api.call('POST', '/api/v1/job_runs', {
    user,
    body: { flow_id: flowId },
    headers: key === undefined ? {} : { 'Idempotency-Key': key },
  });
const getId = ({ body }: { body: unknown }) => (body as { job_run_id: string }).job_run_id;
const started = async () => getId(await start(await createFlow()));
const setState = (status: RunState, change: object = {}) => {
  api.state.runs = api.state.runs.map((run) => ({
    ...run,
    status,
    started_at: '2026-01-02T03:04:05.000Z',
    ended_at: '2026-01-02T03:05:05.000Z',
    ...change,
  }));
};
const list = async (query: string, user = alice) =>
  (await api.call('GET', `/api/v1/job_runs?${query}`, { user })).body as {
    list: { job_run_id: string }[];
    total: number;
    first: string;
    next: string | null;
    prev: string | null;
  };

describe('Idempotency-Key', () => {
  test('the same key of the same user gives the same run; a different key or user gives a new run', async () => {
    const flowId = await createFlow();
    const first = await start(flowId, { key: 'order 1' });
    const again = await start(flowId, { key: 'order 1' });
    expect(again).toMatchObject({ status: 201, body: { job_run_id: getId(first) } });
    expect(getId(await start(flowId, { key: 'order 2' }))).not.toBe(getId(first));
    const own = await createFlow('of bob', bob);
    expect(getId(await start(own, { user: bob, key: 'order 1' }))).not.toBe(getId(first));
    expect(api.state.runs).toHaveLength(3);
  });

  test('a run that has ended is reported without contacting the engine', async () => {
    const flowId = await createFlow();
    await start(flowId, { key: 'k' });
    setState('COMPLETED');
    expect((await start(flowId, { key: 'k' })).body).toMatchObject({ status: 'COMPLETED' });
  });

  test('a key that was used for another flow is a conflict, and an overlong key is rejected', async () => {
    await start(await createFlow('one'), { key: 'k' });
    expect(await start(await createFlow('two'), { key: 'k' })).toMatchObject({
      status: 409,
      body: { errors: [{ code: 'CONFLICT', target: { type: 'header', name: 'Idempotency-Key' } }] },
    });
    expect(await start(await createFlow('three'), { key: 'x'.repeat(256) })).toMatchObject({ status: 400 });
  });

  test('other parameters or a re-run under a used key are a conflict; a flow changed in the meantime is not', async () => {
    const flowId = await createFlow();
    const send = (path: string, body: unknown, key = 'k') =>
      api.call('POST', `/api/v1/job_runs${path}`, { user: alice, body, headers: { 'Idempotency-Key': key } });
    const first = await send('', { flow_id: flowId, configuration: { force_ingest: true, micro_batch_size: 5 } });
    expect((await send('', { flow_id: flowId })).status).toBe(409);
    await api.call('PATCH', `/api/v1/flows/${flowId}`, { user: alice, body: { description: 'changed' } });
    const again = await send('', { flow_id: flowId, configuration: { micro_batch_size: 5, force_ingest: true } });
    expect(getId(again)).toBe(getId(first));
    setState('COMPLETED');
    expect((await send(`/${getId(first)}/rerun`, {})).status).toBe(409);
    const rerun = await send(`/${getId(first)}/rerun`, {}, 'again');
    expect(getId(await send(`/${getId(first)}/rerun`, {}, 'again'))).toBe(getId(rerun));
    expect((await send(`/${getId(first)}/rerun`, { mode: 'failed' }, 'again')).status).toBe(409);
  });

  test('after an outage of Temporal the same request starts the run', async () => {
    const flowId = await createFlow();
    const services = memoryServices(api.state);
    const start = () => Promise.reject(new AppError('WORKFLOW_ENGINE_UNAVAILABLE', 'away'));
    const down = await startApi({ ...services, runs: { ...services.runs, start } });
    const request = { user: alice, body: { flow_id: flowId }, headers: { 'Idempotency-Key': 'k' } };
    expect((await down.call('POST', '/api/v1/job_runs', request)).status).toBe(503);
    await down.close();
    expect(api.state.runs.map(({ status }) => status)).toEqual(['QUEUED']);
    const again = await api.call('POST', '/api/v1/job_runs', request);
    expect(again.body).toMatchObject({ job_run_id: api.state.runs[0]?.job_run_id, status: 'STARTING' });
    expect(api.state.engine.get(getId(again))).toBe('RUNNING');
  });
});

describe('lists of runs', () => {
  test('are filtered by flow, project and time, and links keep the filters', async () => {
    const flow = await createFlow('one');
    const ids = [getId(await start(flow)), getId(await start(flow)), getId(await start(await createFlow('two')))];
    const project = '0b8c0f6e-0000-4000-8000-00000000000a';
    api.state.runs = api.state.runs.map((run, index) => ({
      ...run,
      created_at: `2026-01-0${index + 1}T00:00:00.000Z`,
      project_id: index === 1 ? project : null,
    }));
    expect((await list(`flow_id=${flow}`)).total).toBe(2);
    expect((await list(`project_id=${project}`)).list.map(({ job_run_id }) => job_run_id)).toEqual([ids[1]]);
    // The same instant in another spelling is the same time.
    const from = encodeURIComponent('2026-01-02T01:00:00+01:00');
    expect((await list(`created_from=${from}&created_to=2026-01-03T00:00:00Z`)).list).toMatchObject([
      { job_run_id: ids[1] },
    ]);
    const page = await list(`flow_id=${flow}&limit=1`);
    expect(page.next).toContain(`flow_id=${flow}`);
    expect(page).toMatchObject({ total: 2, prev: null, next: expect.stringContaining('offset=1') });
    expect((await api.call('GET', '/api/v1/job_runs?created_from=yesterday', { user: alice })).status).toBe(400);
  });

  test('list all runs for administrators, and only their own for others, whatever the filter', async () => {
    await start(await createFlow('one'));
    await start(await createFlow('two', bob), { user: bob });
    expect((await list('', carol)).total).toBe(2);
    expect((await list('owner=bob', carol)).list).toMatchObject([{ user_id: 'bob' }]);
    expect((await list('owner=bob', alice)).total).toBe(0);
    expect((await list('owner=alice', alice)).total).toBe(1);
  });
});

describe('a run in progress', () => {
  test('computes progress, rate and totals from the reports of its operators', async () => {
    const runId = await started();
    setState('RUNNING', { ended_at: null, started_at: new Date(Date.now() - 10_000).toISOString() });
    const { body } = await api.call('GET', `/api/v1/job_runs/${runId}`, { user: alice });
    // The source reports three documents, one of them failed; two were passed on, and none is indexed yet.
    expect(body).toMatchObject({
      totals: { documents: 3, failed: 1 },
      progress: { percent: 0, documents_done: 1, documents_total: 3, seconds_elapsed: expect.any(Number) },
    });
    const { progress } = body as { progress: { documents_per_second: number; seconds_remaining: number } };
    expect(progress.documents_per_second).toBeGreaterThan(0.05);
    expect(progress.seconds_remaining).toBeGreaterThan(5);
  });

  test('has no report yet: 425', async () => {
    const runId = await started();
    expect(await api.call('GET', `/api/v1/job_runs/${runId}/report`, { user: alice })).toMatchObject({
      status: 425,
      body: { errors: [{ code: 'JOB_RUN_NOT_FINISHED', message: expect.stringContaining('QUEUED') }] },
    });
  });
});

test('logs and batches are reported on request only', async () => {
  const runId = await started();
  const get = async (query: string) =>
    (await api.call('GET', `/api/v1/job_runs/${runId}${query}`, { user: alice })).body as Record<string, unknown>;
  expect(await get('')).not.toHaveProperty('logs');
  const { logs, batches } = (await get('?include_logs=true&include_batches=true')) as {
    logs: Record<string, string>;
    batches: unknown[];
  };
  expect(logs['ingest']?.split('\n')).toEqual([
    '2026-01-02T03:04:06.000Z INFO ingest: 3 in, 2 out, 1 failed, 0 skipped, 0.250 s',
    '2026-01-02T03:04:06.000Z WARNING ingest: one is odd',
    '2026-01-02T03:04:06.000Z ERROR ingest: a.pdf: SOURCE_UNREADABLE: a.pdf cannot be read.',
  ]);
  expect(logs['index']).toContain('index p00000: started');
  expect(batches).toMatchObject([{ operator: 'ingest', in: 3, failed: 1 }]);
});

test('the report of a finished run is CSV with a line per document, quoted and safe for spreadsheets', async () => {
  const runId = await started();
  setState('COMPLETED_WITH_ERRORS');
  const time = '2026-01-02T03:05:00.000Z';
  api.state.results = [
    { id: '1', name: 'a, "b".pdf', status: 'Completed', reason: '', time, pages: 3, seconds: 0.5 },
    { id: '2', name: '=cmd.pdf', status: 'Failed', reason: 'DOCUMENT_CORRUPT: damaged', time, pages: 0, seconds: 0 },
  ];
  const failure = { operator: 'x', outcome: 'failed' as const, code: 'DOCUMENT_CORRUPT', message: 'damaged' };
  api.state.documents = [
    { id: '2', name: '=cmd.pdf', ...failure },
    { id: '3', name: 'late.pdf', ...failure },
  ];
  const { status, body, headers } = await api.call('GET', `/api/v1/job_runs/${runId}/report`, { user: alice });
  expect(status).toBe(200);
  expect(headers.get('Content-Type')).toMatch(/^text\/csv/);
  expect(headers.get('Content-Disposition')).toContain(`${runId}.csv`);
  expect(String(body).split('\r\n')).toEqual([
    'GUID,File name,Status,Status reason,Time stamp,Pages,Processing time',
    `1,"a, ""b"".pdf",Completed,,${time},3,0.500`,
    `2,'=cmd.pdf,Failed,DOCUMENT_CORRUPT: damaged,${time},0,0.000`,
    '3,late.pdf,Failed,DOCUMENT_CORRUPT: damaged,2026-01-02T03:05:05.000Z,0,0.000',
    '',
  ]);
});

test('events report each change and end with the final state', async () => {
  const runId = await started();
  setState('RUNNING', { ended_at: null });
  const client = createClient({ baseUrl: api.url, token: api.tokenOf(alice) });
  const seen: string[] = [];
  for await (const event of client.jobRuns.events(runId)) {
    seen.push(event.status);
    if (event.status === 'RUNNING') setState('COMPLETED');
  }
  expect(seen).toEqual(['RUNNING', 'COMPLETED']);
  const refused = createClient({ baseUrl: api.url, token: api.tokenOf(bob) }).jobRuns.events(runId);
  await expect(refused.next()).rejects.toMatchObject({ code: 'JOB_RUN_NOT_FOUND', status: 404 });
});

test('a stopping server ends the streams at once, and does not wait for them', async () => {
  const closing = new AbortController();
  const own = await startApi({}, { closing: closing.signal });
  const run = runRecord({ status: 'RUNNING', started_at: new Date().toISOString() });
  own.state.runs.push(run);
  own.state.engine.set(run.job_run_id, 'RUNNING');
  const client = createClient({ baseUrl: own.url, token: own.tokenOf(alice) });
  const seen: string[] = [];
  let closed: Promise<number> | undefined;
  for await (const event of client.jobRuns.events(run.job_run_id)) {
    seen.push(event.status);
    closing.abort();
    const from = Date.now();
    closed = own.close().then(() => Date.now() - from);
  }
  expect(seen).toEqual(['RUNNING']);
  // The drain time of the server is a second; an ended stream uses none of it.
  expect(await closed).toBeLessThan(900);
});

test('document names and reasons are shown to the owner; administrators see counts and codes', async () => {
  const own = await startApi({}, { adminGroups: ['admins'] });
  const failed = { id: '1', name: 'merger.pdf', code: 'DOCUMENT_ENCRYPTED', message: 'merger.pdf is protected.' };
  own.state.documents.push({ ...failed, operator: 'extract', outcome: 'failed' });
  const result = { id: '2', name: 'merger.doc', status: 'Failed' as const, time: '2026-01-02T03:04:06.000Z' };
  own.state.results.push({ ...result, reason: 'SOURCE_UNREADABLE: merger.doc cannot be read.', pages: 0, seconds: 0 });
  const message = 'DOCUMENT_ENCRYPTED: fail_fast: merger.pdf: it is protected.';
  const run = runRecord({ status: 'FAILED', message, warnings: ['merger.txt is empty'] });
  own.state.runs.push(run);
  const read = async (path: string, user: typeof alice) => {
    const { status, body } = await own.call('GET', `/api/v1/job_runs${path}`, { user });
    expect(status).toBe(200);
    return typeof body === 'string' ? body : JSON.stringify(body);
  };
  const id = run.job_run_id;
  const paths = ['', `/${id}?include_logs=true`, `/${id}/documents`, `/${id}/report`, `/${id}/events`];
  const named = /merger|a\.pdf|one is odd/;
  for (const path of paths) expect(await read(path, alice)).toMatch(named);
  for (const path of paths) expect(await read(path, carol)).not.toMatch(named);
  expect(await read(`/${id}/documents`, carol)).toContain('DOCUMENT_ENCRYPTED');
  expect(await read(`/${id}/report`, carol)).toMatch(/2,\(withheld\),Failed,SOURCE_UNREADABLE,/);
  expect(await read(`/${id}?include_logs=true`, carol)).toMatch(
    /SOURCE_UNREADABLE.*1 warning|1 warning.*SOURCE_UNREADABLE/,
  );
  await own.close();
});

test('a deleted run leaves no tables', async () => {
  const runId = await started();
  setState('COMPLETED');
  await api.call('DELETE', `/api/v1/job_runs/${runId}`, { user: alice });
  expect(api.state.removedTables).toEqual([runId]);
});

describe('POST /api/v1/job_runs/{job_run_id}/rerun', () => {
  const rerun = (runId: string, body: object = {}, user = alice) =>
    api.call('POST', `/api/v1/job_runs/${runId}/rerun`, { user, body });
  const last = () => api.state.runs.at(-1);

  test('processes all documents again, including unchanged ones', async () => {
    const runId = await started();
    setState('COMPLETED');
    const { status, body } = await rerun(runId);
    expect(status).toBe(201);
    expect(last()).toMatchObject({
      job_run_id: getId({ body }),
      job_id: api.state.runs[0]?.job_id,
      rerun: { run_id: runId, mode: 'all' },
      snapshot: { flow: { global_config: { force_ingest: true } }, plan: { stages: [{ operators: [{}] }] } },
    });
    const reply = await api.call('GET', `/api/v1/job_runs/${getId({ body })}`, { user: alice });
    expect(reply.body).toMatchObject({ rerun_of: runId });
  });

  test('processes failed documents again, if there are any', async () => {
    const runId = await started();
    setState('COMPLETED_WITH_ERRORS');
    expect(await rerun(runId, { mode: 'failed' })).toMatchObject({
      status: 409,
      body: { errors: [{ code: 'JOB_RUN_INVALID_STATE' }] },
    });
    api.state.documents = [
      { id: '1', name: 'a.pdf', operator: 'x', outcome: 'failed', code: 'DOCUMENT_CORRUPT', message: 'damaged' },
    ];
    expect((await rerun(runId, { mode: 'failed' })).status).toBe(201);
    expect(last()).toMatchObject({ rerun: { run_id: runId, mode: 'failed' } });
    expect(last()?.snapshot.flow.global_config?.force_ingest).toBeUndefined();
  });

  test('continues from a named operator; unknown names are rejected', async () => {
    const runId = await started();
    setState('COMPLETED');
    expect((await rerun(runId, { from_operator: 'index' })).status).toBe(201);
    expect(last()).toMatchObject({ rerun: { mode: 'operator', from_operator: 'index', seeded: [] } });
    for (const body of [{ from_operator: 'none' }, { mode: 'operator' }, { mode: 'all', from_operator: 'index' }])
      expect(await rerun(runId, body)).toMatchObject({
        status: 400,
        body: { errors: [{ code: 'VALIDATION_ERROR', target: { name: 'from_operator' } }] },
      });
  });

  test('a run without tables is repeated from the beginning only', async () => {
    const runId = await started();
    setState('COMPLETED', { tables_removed_at: '2026-01-10T00:00:00.000Z' });
    for (const body of [{ mode: 'failed' }, { from_operator: 'index' }])
      expect(await rerun(runId, body)).toMatchObject({
        status: 410,
        body: { errors: [{ code: 'TABLE_NOT_FOUND', message: expect.stringContaining('2026-01-10') }] },
      });
    expect((await rerun(runId)).status).toBe(201);
  });

  test('a live run, and another user, are rejected', async () => {
    const runId = await started();
    expect(await rerun(runId)).toMatchObject({ status: 409 });
    setState('COMPLETED');
    expect(await rerun(runId, {}, bob)).toMatchObject({ status: 404 });
  });
});

test('model usage and cost are reported for the run, summed over its operators', async () => {
  const services = memoryServices(api.state);
  const [plain] = await services.runsStore.readOperatorStats('any');
  const asked = { model_requests: 2, model_input_tokens: 30, model_output_tokens: 4, model_cost: 0.1 };
  const cached = { model_requests: 1, model_cost: 0.2, model_answers_from_cache: 7 };
  const own = await startApi({
    ...services,
    runsStore: {
      ...services.runsStore,
      readOperatorStats: async () => [
        { ...plain, name: 'ingest', metrics: asked } as never,
        { ...plain, name: 'index', metrics: cached } as never,
      ],
    },
  });
  const flow = await own.call('POST', '/api/v1/flows', { user: alice, body: sampleFlow('models') });
  const run = await own.call('POST', '/api/v1/job_runs', {
    user: alice,
    body: { flow_id: (flow.body as { flow_id: string }).flow_id },
  });
  const { body } = await own.call('GET', `/api/v1/job_runs/${getId(run)}`, { user: alice });
  await own.close();
  const names = (body as { operators: { name: string }[] }).operators.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['ingest', 'index']));
  expect((body as { models: object }).models).toEqual({
    requests: 3,
    input_tokens: 30,
    output_tokens: 4,
    answers_from_cache: 7,
    cost: 0.3,
  });
});
