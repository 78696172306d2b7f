import type { RunState } from '../../model/run';
import { AppError } from '../../model/errors';
import { alice, bob, carol, memoryServices, sampleFlow, startApi, type TestApi } from './server';

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

describe('POST /api/v1/job_runs', () => {
  test('what is passed over is told: unknown run parameters, unknown members, parameter sets', async () => {
    const flowId = await createFlow();
    const short = await start({ flow_id: flowId, force_ingest: true, configuration: { force_ingst: true } });
    expect(short).toMatchObject({
      status: 201,
      body: {
        warnings: [
          expect.stringMatching(
            /^UNKNOWN_CONFIGURATION_KEY: .*'force_ingest' of the body .* members of configuration\.$/,
          ),
          expect.stringMatching(/^UNKNOWN_CONFIGURATION_KEY: 'force_ingst' /),
        ],
      },
    });
    const long = await start({
      entity: { job: { asset_ref: flowId, parameter_sets: [{ ref: 'x' }] } },
      flow_id: flowId,
    });
    expect(long.body).toMatchObject({
      warnings: [
        expect.stringMatching(/parameter_sets are passed over/),
        expect.stringMatching(/'flow_id' of the body .* members of entity\.job_run\.configuration\.$/),
      ],
    });
  });

  test('job_parameters are run parameters; those of configuration count before them', async () => {
    const job_parameters = [
      { name: 'fail_fast', value: true },
      { name: 'micro_batch_size', value: '8' },
    ];
    const job = { asset_ref: await createFlow(), job_parameters, configuration: { micro_batch_size: '9' } };
    const job_run = { job_parameters: [{ name: 'force_ingest', value: true }] };
    expect((await start({ entity: { job, job_run } })).status).toBe(201);
    const global_config = { fail_fast: true, micro_batch_size: 9, force_ingest: true };
    expect(api.state.runs[0]).toMatchObject({ snapshot: { flow: { global_config } } });
    const wrong = { ...job, job_parameters: [{ name: 'micro_batch_size', value: 'many' }] };
    expect(await start({ entity: { job: wrong } })).toMatchObject({
      status: 400,
      body: { errors: [{ target: { name: 'entity.job.job_parameters.micro_batch_size' } }] },
    });
  });

  test('an object for the name or the type of an operator is laid over its configuration, the name over the type', async () => {
    const flow = sampleFlow('overridden');
    const [{ type, name }] = flow.flow as unknown as [{ type: string; name: string }];
    const flow_id = await createFlow(flow);
    const run = (configuration: object) => start({ flow_id, configuration });
    await run({ [type]: { max_files: 1 } });
    await run({ [type]: { max_files: 1 }, [name]: { max_files: 2 } });
    const limits = api.state.runs.map(({ snapshot }) => snapshot.flow.flow[0]?.config?.['max_files']);
    expect(new Set(limits)).toEqual(new Set([1, 2]));
  });

  test('starts a run from the enterprise form, run parameters laid over the global_config', async () => {
    const flowId = await createFlow();
    const { status, body } = await start({
      entity: {
        job: {
          asset_ref: flowId,
          asset_ref_type: 'flow',
          name: 'x',
          configuration: { fail_fast: 'true', micro_batch_size: '8' },
        },
        job_run: {
          configuration: { user_id: 'bob', metadata: { source: 'ui' }, force_ingest: true, micro_batch_size: 16 },
        },
      },
    });
    expect(status).toBe(201);
    expect(body).toEqual({
      job_run_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      status: 'STARTING',
      message: 'Job run created successfully',
    });
    expect(api.state.runs).toHaveLength(1);
    expect(api.state.runs[0]).toMatchObject({
      owner: 'alice',
      job_id: flowId,
      flow_id: flowId,
      metadata: { source: 'ui' },
      snapshot: {
        flow: { global_config: { fail_fast: true, force_ingest: true, micro_batch_size: 16 } },
        plan: { batchSize: 16, failFast: true },
      },
    });
    expect(api.state.engine.get((body as { job_run_id: string }).job_run_id)).toBe('RUNNING');
  });

  test.each([
    [
      'flow_id and configuration',
      (id: string) => ({ flow_id: id, configuration: { force_ingest: true }, metadata: { a: 'b' } }),
    ],
    [
      'job_id and flow_config',
      (id: string) => ({ job_id: id, flow_name: 'x', flow_config: { force_ingest: 'true' }, metadata: { a: 'b' } }),
    ],
  ])('starts a run from the short form with %s', async (_how, bodyFor) => {
    const { status } = await start(bodyFor(await createFlow()));
    expect(status).toBe(201);
    expect(api.state.runs[0]).toMatchObject({
      metadata: { a: 'b' },
      snapshot: { flow: { global_config: { force_ingest: true } } },
    });
  });

  test('a flow that is invalid never starts, and every problem is an entry', async () => {
    const flowId = await createFlow({
      flow_name: 'broken',
      flow: [
        { type: 'vectordb', name: 'a', config: {} },
        { type: 'unknown', name: 'b', depends_on: ['a'] },
      ],
    });
    const { status, body } = await start({ flow_id: flowId });
    expect(status).toBe(400);
    const { errors } = body as { errors: { code: string; message: string }[] };
    expect(errors.length).toBeGreaterThan(2);
    expect(errors.every(({ code }) => code === 'FLOW_VALIDATION_FAILED')).toBe(true);
    expect(errors.map(({ message }) => message).join(' ')).toMatch(
      /INGEST_OPERATOR_MISPLACED.*OPERATOR_NOT_AVAILABLE/s,
    );
    expect(api.state.runs).toHaveLength(0);
  });

  test.each([
    ['an unknown flow', { flow_id: unknownId }, 404, 'FLOW_NOT_FOUND'],
    ['no flow', {}, 404, 'FLOW_NOT_FOUND'],
    ['no asset_ref', { entity: { job: {} } }, 404, 'FLOW_NOT_FOUND'],
    ['an asset_ref that is no UUID', { entity: { job: { asset_ref: 'x' } } }, 400, 'VALIDATION_ERROR'],
    [
      'a run parameter of a wrong type',
      { flow_id: unknownId, configuration: { force_ingest: 'perhaps' } },
      400,
      'VALIDATION_ERROR',
    ],
    ['a configuration that is a list', { flow_id: unknownId, configuration: [] }, 400, 'VALIDATION_ERROR'],
  ])('%s is refused', async (_what, body, status, code) => {
    expect(await start(body)).toMatchObject({ status, body: { errors: [{ code }] } });
  });

  test("another user's flow is not found", async () => {
    expect(await start({ flow_id: await createFlow() }, bob)).toMatchObject({
      status: 404,
      body: { errors: [{ code: 'FLOW_NOT_FOUND' }] },
    });
  });

  test('when Temporal is away it is 503, and no run is left waiting', async () => {
    const flowId = await createFlow();
    const away = () => Promise.reject(new AppError('WORKFLOW_ENGINE_UNAVAILABLE', 'Temporal at x does not answer.'));
    const down = await startApi({
      ...memoryServices(api.state),
      runs: { start: away, cancel: away, status: away, ping: away, close: async () => {} },
    });
    const response = await down.call('POST', '/api/v1/job_runs', { user: alice, body: { flow_id: flowId } });
    expect(response).toMatchObject({
      status: 503,
      body: { errors: [{ code: 'WORKFLOW_ENGINE_UNAVAILABLE', message: 'Temporal at x does not answer.' }] },
    });
    expect(api.state.runs.map(({ status }) => status)).toEqual(['FAILED']);
    await down.close();
  });
});

describe('GET /api/v1/job_runs/{job_run_id}', () => {
  test('gives state, totals and operators, in our words and in those of older clients', async () => {
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

  test('a final record stands although the workflow was terminated later', async () => {
    const runId = await started();
    setState('COMPLETED', '2026-01-02T03:05:05.000Z');
    api.state.engine.set(runId, 'TERMINATED');
    expect((await get(runId)).body).toMatchObject({ status: 'COMPLETED' });
  });

  test('while Temporal is away the stored state is shown, with a warning', async () => {
    const runId = await started();
    setState('RUNNING');
    const away = () => Promise.reject(new AppError('WORKFLOW_ENGINE_UNAVAILABLE', 'away'));
    const never = () => new Promise<never>(() => undefined);
    for (const status of [away, never]) {
      const services = memoryServices(api.state);
      const down = await startApi({ ...services, runs: { ...services.runs, status } }, { probeTimeoutMs: 50 });
      expect((await down.call('GET', `/api/v1/job_runs/${runId}`, { user: alice })).body).toMatchObject({
        status: 'RUNNING',
        warnings: [expect.stringContaining('Temporal does not answer')],
      });
      await down.close();
    }
  });

  test("another user's run is not found in any way; an administrator may see it", async () => {
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

  test('a state that does not exist is 400 and lists those that do', async () => {
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
  test('a live run is asked to cancel', async () => {
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

  test('a live run is deleted only by force, which cancels it and waits for its end', async () => {
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
