import { AppError } from '../../../model/errors';
import { alice, bob, memoryServices, sampleFlow, startApi, type TestApi } from '../../support/api/server';

let api: TestApi;
beforeEach(async () => {
  api = await startApi({}, { adminGroups: ['admins'], cancelWaitMs: 1_000 });
});
afterEach(() => api.close());

const unknownId = '0b8c0f6e-0000-4000-8000-000000000000';
const createFlow = async (body: unknown = sampleFlow('invoices'), user = alice) =>
  ((await api.call('POST', '/api/v1/flows', { user, body })).body as { flow_id: string }).flow_id;
const start = (body: unknown, user = alice) => api.call('POST', '/api/v1/job_runs', { user, body });

describe('POST /api/v1/job_runs', () => {
  test('ignored input is reported: unknown run parameters, members of the other form, parameter sets', async () => {
    const flowId = await createFlow();
    const short = await start({ flow_id: flowId, configuration: { force_ingst: true } });
    expect(short).toMatchObject({
      status: 201,
      body: { warnings: [expect.stringMatching(/^UNKNOWN_CONFIGURATION_KEY: 'force_ingst' /)] },
    });
    const long = await start({
      entity: { job: { asset_ref: flowId, parameter_sets: [{ ref: 'x' }] } },
      flow_id: flowId,
    });
    expect(long.body).toMatchObject({
      warnings: [
        expect.stringMatching(/parameter_sets are ignored/),
        expect.stringMatching(/'flow_id' of the body .* members of entity\.job_run\.configuration\.$/),
      ],
    });
  });

  test('job_parameters are run parameters; configuration takes precedence', async () => {
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

  test('an object for the name or the type of an operator overrides its configuration, the name before the type', async () => {
    const flow = sampleFlow('overridden');
    const [{ type, name }] = flow.flow as unknown as [{ type: string; name: string }];
    const flow_id = await createFlow(flow);
    const run = (configuration: object) => start({ flow_id, configuration });
    await run({ [type]: { max_files: 1 } });
    await run({ [type]: { max_files: 1 }, [name]: { max_files: 2 } });
    const limits = api.state.runs.map(({ snapshot }) => snapshot.flow.flow[0]?.config?.['max_files']);
    expect(new Set(limits)).toEqual(new Set([1, 2]));
  });

  test('starts a run from the enterprise form, with run parameters that override the global_config', async () => {
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
    ['an asset_ref that is not a UUID', { entity: { job: { asset_ref: 'x' } } }, 400, 'VALIDATION_ERROR'],
    [
      'a run parameter of a wrong type',
      { flow_id: unknownId, configuration: { force_ingest: 'perhaps' } },
      400,
      'VALIDATION_ERROR',
    ],
    ['a configuration that is a list', { flow_id: unknownId, configuration: [] }, 400, 'VALIDATION_ERROR'],
  ])('%s is rejected', async (_name, body, status, code) => {
    expect(await start(body)).toMatchObject({ status, body: { errors: [{ code }] } });
  });

  test("another user's flow is not found", async () => {
    expect(await start({ flow_id: await createFlow() }, bob)).toMatchObject({
      status: 404,
      body: { errors: [{ code: 'FLOW_NOT_FOUND' }] },
    });
  });

  test('with Temporal unavailable it is 503, and no run is left waiting', async () => {
    const flowId = await createFlow();
    const away = () => Promise.reject(new AppError('WORKFLOW_ENGINE_UNAVAILABLE', 'Temporal at x does not answer.'));
    const down = await startApi({
      ...memoryServices(api.state),
      runs: { ...memoryServices(api.state).runs, start: away, cancel: away, readStatus: away, ping: away },
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
