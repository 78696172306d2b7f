import { alice, bob, sampleFlow, startApi, type TestApi } from '../../support/api/server';

let api: TestApi;
beforeEach(async () => {
  api = await startApi();
});
afterEach(() => api.close());

interface Flow {
  flow_id: string;
  flow_name: string;
  flow: { config: Record<string, unknown> }[];
}
const create = async (name: string, user = alice, more: Record<string, unknown> = {}) =>
  (await api.call('POST', '/api/v1/flows', { user, body: { ...sampleFlow(name), ...more } })).body as Flow;

describe('POST /api/v1/flows', () => {
  test('stores the flow for its owner', async () => {
    const { status, body } = await api.call('POST', '/api/v1/flows', {
      user: alice,
      body: { ...sampleFlow('invoices'), tags: ['a', 'b', 'a'], owner: 'bob', created_by: 'bob' },
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      flow_name: 'invoices',
      description: null,
      tags: ['a', 'b'],
      owner: 'alice',
      created_by: 'alice',
      flow_source: 'api',
      flow_version: '2.0',
    });
    expect(body).not.toHaveProperty('unknown');
    expect((body as Flow).flow_id).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('a duplicate name is 409', async () => {
    await create('invoices');
    const { status, body } = await api.call('POST', '/api/v1/flows', { user: alice, body: sampleFlow('invoices') });
    expect(status).toBe(409);
    expect(body).toMatchObject({
      errors: [{ code: 'FLOW_ALREADY_EXISTS', message: expect.stringContaining('invoices') }],
    });
  });

  test.each([
    ['no name', { flow: sampleFlow('x').flow }, 'flow_name'],
    ['a blank name', { ...sampleFlow('  ') }, 'flow_name'],
    ['no operators', { flow_name: 'x', flow: [] }, 'flow'],
    ['an operator without a type', { flow_name: 'x', flow: [{ name: 'a' }] }, 'flow.0.type'],
    ['tags that are not a list', { ...sampleFlow('x'), tags: 'a' }, 'tags'],
    [
      'global_config of a wrong type',
      { ...sampleFlow('x'), global_config: { force_ingest: 'perhaps' } },
      'global_config.force_ingest',
    ],
    [
      'a repeated name',
      {
        flow_name: 'x',
        flow: [
          { type: 'ingest_source', name: 'a' },
          { type: 'vectordb', name: 'a' },
        ],
      },
      '/flow/1/name',
    ],
    [
      'a dependency on a missing operator',
      { flow_name: 'x', flow: [{ type: 'ingest_source', name: 'a', depends_on: ['b'] }] },
      '/flow/0/depends_on/0',
    ],
    [
      'a cycle',
      {
        flow_name: 'x',
        flow: [
          { type: 'vectordb', name: 'a', depends_on: ['b'] },
          { type: 'vectordb', name: 'b', depends_on: ['a'] },
        ],
      },
      '/flow/0',
    ],
  ])('%s is 400 FLOW_INVALID_DATA with the position', async (_name, body, place) => {
    const response = await api.call('POST', '/api/v1/flows', { user: alice, body });
    expect(response.status).toBe(400);
    const { errors } = response.body as { errors: { code: string; target?: { type: string; name: string } }[] };
    expect(errors[0]?.code).toBe('FLOW_INVALID_DATA');
    expect(errors.map(({ target }) => target?.name)).toContain(place);
    expect(api.state.flows).toHaveLength(0);
  });

  test('a flow that only validation would reject is stored', async () => {
    const { status } = await api.call('POST', '/api/v1/flows', {
      user: alice,
      body: { flow_name: 'draft', flow: [{ type: 'unknown', name: 'a' }] },
    });
    expect(status).toBe(201);
  });

  test('secrets in the configuration are masked in every answer, references to them are not', async () => {
    const flow = [
      {
        type: 'ingest_source',
        name: 'ingest',
        config: { provider: 'x', api_key: 'plain', nested: { password: '${DOCLOOM_SECRET_X}' } },
      },
    ];
    const created = await create('secrets', alice, { flow });
    const got = (await api.call('GET', `/api/v1/flows/${created.flow_id}`, { user: alice })).body as Flow;
    const [listed] = ((await api.call('GET', '/api/v1/flows', { user: alice })).body as { flows: Flow[] }).flows;
    for (const answer of [created, got, listed]) {
      expect(answer?.flow[0]?.config).toEqual({
        provider: 'x',
        api_key: '********',
        nested: { password: '${DOCLOOM_SECRET_X}' },
      });
    }
    expect(api.state.flows[0]?.flow[0]?.config).toMatchObject({ api_key: 'plain' });
  });
});

describe('GET /api/v1/flows/{flow_id}', () => {
  test('a flow of another user and a missing one return the same 404', async () => {
    const { flow_id } = await create('private');
    const foreign = await api.call('GET', `/api/v1/flows/${flow_id}`, { user: bob });
    const missing = await api.call('GET', '/api/v1/flows/0b8c0f6e-0000-4000-8000-000000000000', { user: bob });
    const plain = (response: { body: unknown }) =>
      JSON.stringify(response.body).replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'id');
    expect([foreign.status, missing.status]).toEqual([404, 404]);
    expect(plain(foreign)).toBe(plain(missing));
    expect(foreign.body).toMatchObject({
      errors: [{ code: 'FLOW_NOT_FOUND', target: { type: 'parameter', name: 'flow_id' } }],
    });
  });

  test('a reader may read it', async () => {
    const { flow_id } = await create('shared', alice, { readers: ['bob'] });
    expect(await api.call('GET', `/api/v1/flows/${flow_id}`, { user: bob })).toMatchObject({
      status: 200,
      body: { flow_name: 'shared', readers: ['bob'] },
    });
  });

  test.each(['short', '0B8C0F6E-0000-4000-8000-000000000000', '0b8c0f6e'])('%s is not a flow id: 400', async (id) => {
    const { status, body } = await api.call('GET', `/api/v1/flows/${id}`, { user: alice });
    expect(status).toBe(400);
    expect(body).toMatchObject({
      errors: [{ code: 'VALIDATION_ERROR', target: { type: 'parameter', name: 'flow_id' } }],
    });
  });
});

describe('GET /api/v1/flows', () => {
  test('pages with a true total and links that keep the filters', async () => {
    for (let index = 0; index < 5; index += 1) await create(`flow-${index}`);
    await create('other');
    await create('of bob', bob);
    const { body } = await api.call('GET', '/api/v1/flows?name=FLOW-&tags=finance&limit=2&offset=2', { user: alice });
    const page = body as { flows: Flow[]; total_count: number; first: string; next: string; prev: string };
    expect(page).toMatchObject({ total_count: 5, limit: 2, offset: 2 });
    expect(page.flows.map(({ flow_name }) => flow_name)).toEqual(['flow-2', 'flow-3']);
    const kept = '/api/v1/flows?name=FLOW-&tags=finance&limit=2&offset=';
    expect([page.first, page.next, page.prev]).toEqual([
      `${api.url}${kept}0`,
      `${api.url}${kept}4`,
      `${api.url}${kept}0`,
    ]);
    const last = (await api.call('GET', page.next.slice(api.url.length), { user: alice })).body as {
      flows: Flow[];
      next: unknown;
    };
    expect(last.flows).toHaveLength(1);
    expect(last.next).toBeNull();
  });

  test('has 100 per page by default, and accepts several tags', async () => {
    await create('a', alice, { tags: ['x'] });
    await create('b', alice, { tags: ['y'] });
    await create('c', alice, { tags: ['z'] });
    const { body } = await api.call('GET', '/api/v1/flows?tags=x&tags=y', { user: alice });
    expect(body).toMatchObject({ total_count: 2, limit: 100, offset: 0, next: null, prev: null });
  });

  test.each(['limit=0', 'limit=101', 'offset=-1', 'limit=many', 'limit=1&limit=2', 'limit=1.5', 'name='])(
    '%s is 400 and names the parameter',
    async (query) => {
      const { status, body } = await api.call('GET', `/api/v1/flows?${query}`, { user: alice });
      expect(status).toBe(400);
      expect(body).toMatchObject({
        errors: [{ code: 'VALIDATION_ERROR', target: { type: 'parameter', name: query.split('=')[0] } }],
      });
    },
  );

  test('links begin with the public address if one is set', async () => {
    const behind = await startApi({}, { publicUrl: 'https://docs.example.org/docloom/' });
    const { body } = await behind.call('GET', '/api/v1/flows', { user: alice });
    expect((body as { first: string }).first).toMatch(/^https:\/\/docs\.example\.org\/docloom\/api\/v1\/flows\?/);
    await behind.close();
  });
});

describe('POST /api/v1/validation/validate_flow', () => {
  const validate = async (body: unknown) =>
    (await api.call('POST', '/api/v1/validation/validate_flow', { user: alice, body })).body;

  test('a good flow succeeds without a message', async () => {
    expect(await validate(sampleFlow('x'))).toEqual({ status: 'SUCCEEDED', message: null, errors: [], warnings: [] });
  });

  test('every problem is an alert with code, message code, node and position', async () => {
    const flow = [
      { type: 'ingest_source', name: 'a' },
      { type: 'unknown', name: 'a' },
      { type: 'vectordb', name: 'c', depends_on: ['c'] },
    ];
    const { status, message, errors } = (await validate({
      flow_name: 'x',
      flow,
      global_config: { fail_fast: 'yes' },
    })) as {
      status: string;
      message: string;
      errors: { code: string; message_code: string; node_id: string; node_name: string; operator: string }[];
    };
    expect(status).toBe('FAILED');
    expect(message).toBe('Flow validation failed.');
    expect(errors.map(({ message_code }) => message_code)).toEqual(
      expect.arrayContaining([
        'OPERATOR_NAME_REPEATED',
        'CYCLIC_DEPENDENCY_DETECTED',
        'OPERATOR_NOT_AVAILABLE',
        'INVALID_GLOBAL_CONFIG',
        'OPERATOR_VALIDATION_FAILED',
      ]),
    );
    expect(errors.every(({ code }) => code === 'FLOW_VALIDATION_FAILED')).toBe(true);
    expect(errors.find(({ message_code }) => message_code === 'OPERATOR_NOT_AVAILABLE')).toMatchObject({
      node_id: 'a',
      node_name: 'a',
      operator: 'unknown',
      pointer: '/flow/1/type',
    });
  });

  test('warnings alone succeed with warnings, and the same flow returns the same result twice', async () => {
    const flow = { flow_name: 'x', flow: [{ type: 'ingest_source', name: 'a', config: { provider: 'x', typo: 1 } }] };
    const answer = await validate(flow);
    expect(answer).toMatchObject({
      status: 'SUCCEEDED_WITH_WARNINGS',
      message: 'Flow validation succeeded with warnings.',
      errors: [],
    });
    expect(await validate(flow)).toEqual(answer);
  });

  test('a body that is not a flow is 400', async () => {
    const response = await api.call('POST', '/api/v1/validation/validate_flow', {
      user: alice,
      body: { flow_name: 'x' },
    });
    expect(response).toMatchObject({ status: 400, body: { errors: [{ code: 'FLOW_INVALID_DATA' }] } });
  });
});

test('GET /api/v1/operators/metadata gives the flat form and the full schema', async () => {
  const { status, body } = await api.call('GET', '/api/v1/operators/metadata', { user: alice });
  expect(status).toBe(200);
  expect(Object.keys(body)).toEqual(['ingest_source', 'vectordb']);
  expect((body as Record<string, unknown>)['vectordb']).toMatchObject({
    label: 'Index',
    category: 'VectorDB',
    required_features: ['id'],
    attributes: {
      index_name: { type: 'string', required: true, default: null },
      vector_dimension: { type: 'int32', required: false, default: 384 },
      engine: { type: 'enum', required: false },
    },
    config_schema: { type: 'object', properties: { vector_dimension: { minimum: 1 } } },
  });
  expect((body as Record<string, { features: unknown }>)['ingest_source']?.features).toMatchObject({
    size: { type: 'int64', available_for_filter: true },
  });
});
