import { AppError } from '../../../model/errors';
import type { RunState } from '../../../model/run/run';
import { alice, bob, carol, memoryServices, sampleFlow, startApi, type TestApi } from '../../support/api/server';

let api: TestApi;
beforeEach(async () => {
  api = await startApi({}, { adminGroups: ['admins'], cancelWaitMs: 1_000 });
});
afterEach(() => api.close());

const unknownId = '0b8c0f6e-0000-4000-8000-000000000000';
const createFlow = async (body: unknown = sampleFlow('invoices'), user = alice) =>
  ((await api.call('POST', '/api/v1/flows', { user, body })).body as { flow_id: string }).flow_id;
const start = (body: unknown, user = alice) => api.call('POST', '/api/v1/job_runs', { user, body });
const started = async (user = alice) => {
  const { body } = await start({ flow_id: await createFlow(undefined, user) }, user);
  return (body as { job_run_id: string }).job_run_id;
};
const get = (runId: string, user = alice, rest = '') => api.call('GET', `/api/v1/job_runs/${runId}${rest}`, { user });
const setState = (status: RunState, ended: string | null = null) => {
  api.state.runs = api.state.runs.map((run) => ({ ...run, status, ended_at: ended }));
};

describe('GET /api/v1/job_runs/{job_run_id}', () => {
  test('returns state, totals and operators, in the current and the older format', async () => {
    const runId = await started();
    api.state.runs = api.state.runs.map((run) => ({
      ...run,
      status: 'RUNNING',
      started_at: '2026-01-02T03:04:05.000Z',
      totals: { documents: 3, completed: 1, failed: 1, skipped: 0, deleted: 0, pages: 7 },
    }));
    const { status, body } = await get(runId);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      job_run_id: runId,
      status: 'RUNNING',
      totals: { documents: 3, failed: 1 },
      operators: [{ name: 'ingest', in: 3, failed: 1 }],
      node_sequence: ['ingest', 'index'],
      temporal_ui: `http://127.0.0.1:8233/namespaces/default/workflows/${runId}`,
      job_stats: {
        status: 'RUNNING',
        start_time: 1_767_323_045,
        end_time: null,
        total_docs: 3,
        processed_docs: 2,
        total_pages_processed: 7,
        node_stats: {
          ingest: {
            node_id: 'ingest',
            operator: 'ingest_source',
            node_status: 'RUNNING',
            total_docs: 3,
            failed_docs: 1,
          },
        },
      },
      node_metadata: [{ id: 'ingest', operator: 'ingest_source' }],
    });
  });

  test.each([
    ['TERMINATED', 'CRASHED'],
    ['TIMED_OUT', 'CRASHED'],
    ['COMPLETED', 'CRASHED'],
    ['CANCELED', 'CANCELED'],
    ['FAILED', 'FAILED'],
  ] as const)('a run whose workflow is %s is settled as %s, once and for all', async (engine, expected) => {
    const runId = await started();
    setState('RUNNING');
    api.state.engine.set(runId, engine);
    expect((await get(runId)).body).toMatchObject({
      status: expected,
      ended_at: expect.any(String),
      message: expect.stringMatching(/\w/),
    });
    api.state.engine.set(runId, 'RUNNING');
    expect((await get(runId)).body).toMatchObject({ status: expected });
    expect(api.state.runs[0]?.status).toBe(expected);
  });

  test('a final record does not change when the workflow is terminated later', async () => {
    const runId = await started();
    setState('COMPLETED', '2026-01-02T03:05:05.000Z');
    api.state.engine.set(runId, 'TERMINATED');
    expect((await get(runId)).body).toMatchObject({ status: 'COMPLETED' });
  });

  test('while Temporal is unavailable the stored state is shown, with a warning', async () => {
    const runId = await started();
    setState('RUNNING');
    const away = () => Promise.reject(new AppError('WORKFLOW_ENGINE_UNAVAILABLE', 'away'));
    const never = () => new Promise<never>(() => undefined);
    for (const readStatus of [away, never]) {
      const services = memoryServices(api.state);
      const down = await startApi({ ...services, runs: { ...services.runs, readStatus } }, { probeTimeoutMs: 50 });
      expect((await down.call('GET', `/api/v1/job_runs/${runId}`, { user: alice })).body).toMatchObject({
        status: 'RUNNING',
        warnings: [expect.stringContaining('Temporal does not answer')],
      });
      await down.close();
    }
  });

  test("another user's run is never found; an administrator may see it", async () => {
    const runId = await started();
    for (const rest of ['', '/flow_definition', '/documents']) {
      expect(await get(runId, bob, rest)).toMatchObject({
        status: 404,
        body: { errors: [{ code: 'JOB_RUN_NOT_FOUND' }] },
      });
      expect((await get(runId, carol, rest)).status).toBe(200);
    }
    expect((await api.call('POST', `/api/v1/job_runs/${runId}/cancel`, { user: bob })).status).toBe(404);
    expect((await api.call('DELETE', `/api/v1/job_runs/${runId}?force=true`, { user: bob })).status).toBe(404);
    expect(api.state.engine.get(runId)).toBe('RUNNING');
    expect(await get(unknownId)).toMatchObject({ status: 404 });
    expect(await get('no-uuid')).toMatchObject({ status: 400 });
  });
});

describe('GET /api/v1/job_runs', () => {
  test('lists the runs of the user with a true total, filtered by state in any spelling', async () => {
    const runId = await started();
    const again = { flow_id: api.state.runs[0]?.flow_id };
    await start(again);
    await start(again);
    api.state.runs = api.state.runs.map((run) =>
      run.job_run_id === runId ? { ...run, status: 'COMPLETED_WITH_ERRORS' } : run,
    );
    expect((await api.call('GET', '/api/v1/job_runs?limit=2&offset=1', { user: alice })).body).toMatchObject({
      count: 2,
      total: 3,
      limit: 2,
      offset: 1,
    });
    expect((await api.call('GET', '/api/v1/job_runs', { user: bob })).body).toMatchObject({
      list: [],
      count: 0,
      total: 0,
    });
    for (const spelling of [
      'COMPLETED_WITH_ERRORS',
      'CompletedWithErrors',
      'completed_with_errors',
      'completedwitherrors',
    ]) {
      expect((await api.call('GET', `/api/v1/job_runs?status=${spelling}`, { user: alice })).body).toMatchObject({
        list: [{ job_run_id: runId, flow_name: 'invoices', user_id: 'alice', orchestrator: 'Temporal' }],
        total: 1,
      });
    }
  });

  test('an unknown state is 400 with the list of states', async () => {
    const { status, body } = await api.call('GET', '/api/v1/job_runs?status=Paused', { user: alice });
    expect(status).toBe(400);
    expect(body).toMatchObject({
      errors: [
        { message: expect.stringContaining('COMPLETED_WITH_WARNINGS'), target: { type: 'parameter', name: 'status' } },
      ],
    });
  });
});

describe('cancelling and deleting', () => {
  test('a live run gets a cancel request', async () => {
    const runId = await started();
    setState('RUNNING');
    expect(await api.call('POST', `/api/v1/job_runs/${runId}/cancel`, { user: alice })).toMatchObject({
      status: 202,
      body: { job_run_id: runId, status: 'CANCELING', message: expect.stringContaining('cancellation requested') },
    });
    expect(api.state.engine.get(runId)).toBe('CANCELED');
  });

  test.each(['COMPLETED', 'FAILED', 'CANCELED', 'CRASHED'] as const)(
    'a run that is %s cannot be cancelled',
    async (state) => {
      const runId = await started();
      setState(state);
      expect(await api.call('POST', `/api/v1/job_runs/${runId}/cancel`, { user: alice })).toMatchObject({
        status: 409,
        body: { errors: [{ code: 'JOB_RUN_INVALID_STATE', message: expect.stringContaining(state) }] },
      });
    },
  );

  test('a final run is deleted; a second time it is not found', async () => {
    const runId = await started();
    setState('COMPLETED');
    const response = await api.call('DELETE', `/api/v1/job_runs/${runId}`, { user: alice });
    expect(response).toMatchObject({ status: 204, body: '' });
    expect(response.headers.get('Content-Type')).toBeNull();
    expect(await api.call('DELETE', `/api/v1/job_runs/${runId}`, { user: alice })).toMatchObject({ status: 404 });
  });

  test('a live run is deleted only by force, which cancels it and waits until it has ended', async () => {
    const runId = await started();
    setState('RUNNING');
    expect(await api.call('DELETE', `/api/v1/job_runs/${runId}`, { user: alice })).toMatchObject({
      status: 409,
      body: { errors: [{ code: 'JOB_RUN_INVALID_STATE' }] },
    });
    expect(api.state.removed).toEqual([]);
    expect((await api.call('DELETE', `/api/v1/job_runs/${runId}?force=true`, { user: alice })).status).toBe(204);
    expect(api.state.removed).toEqual([runId]);
  });

  test('a run that does not end in time is not deleted, even by force', async () => {
    const runId = await started();
    setState('RUNNING');
    const services = memoryServices(api.state);
    const stubborn = await startApi(
      { ...services, runs: { ...services.runs, cancel: async () => {} } },
      { cancelWaitMs: 50 },
    );
    expect(await stubborn.call('DELETE', `/api/v1/job_runs/${runId}?force=true`, { user: alice })).toMatchObject({
      status: 409,
    });
    expect(api.state.removed).toEqual([]);
    await stubborn.close();
  });
});

test('the flow definition of a run is its snapshot, secrets masked', async () => {
  const flowId = await createFlow({
    ...sampleFlow('secrets'),
    flow: [
      { type: 'ingest_source', name: 'ingest', config: { provider: 'x', api_key: 'plain' } },
      { type: 'vectordb', name: 'index', config: { index_name: 'x' }, depends_on: ['ingest'] },
    ],
  });
  const { body } = await start({ flow_id: flowId, configuration: { force_ingest: true } });
  const { job_run_id } = body as { job_run_id: string };
  const snapshot = await get(job_run_id, alice, '/flow_definition');
  expect(snapshot.body).toMatchObject({
    job_run_id,
    flow: {
      flow_name: 'secrets',
      global_config: { force_ingest: true },
      flow: [{ config: { api_key: '********' } }, { name: 'index' }],
    },
    plan: { sources: [{ name: 'ingest' }], stages: [{ operators: [{ name: 'index' }] }] },
  });
  expect(JSON.stringify(snapshot.body)).not.toContain('plain');
});

test('failed and skipped documents of a run are listed with code and reason', async () => {
  const runId = await started();
  api.state.documents = [
    {
      id: '1',
      name: 'a.pdf',
      operator: 'extract',
      outcome: 'failed',
      code: 'DOCUMENT_ENCRYPTED',
      message: 'a.pdf is protected by a password.',
    },
    {
      id: '2',
      name: 'b.pdf',
      operator: 'ingest',
      outcome: 'skipped',
      code: 'UNCHANGED',
      message: 'Not changed since the last run.',
    },
  ];
  expect((await get(runId, alice, '/documents')).body).toMatchObject({ total: 2, limit: 100, offset: 0 });
  expect((await get(runId, alice, '/documents?outcome=failed&limit=1')).body).toEqual({
    documents: [api.state.documents[0]],
    total: 1,
    limit: 1,
    offset: 0,
  });
  expect((await get(runId, alice, '/documents?outcome=lost')).status).toBe(400);
});
