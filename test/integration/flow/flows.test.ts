import { randomUUID } from 'node:crypto';
import { createFlowsStore } from '../../../services/flow/flows-store';
import { type ResourcesApi, startResourcesApi } from '../../support/api/resources-fixture';
import { alice, bob, carol, sampleFlow } from '../../support/api/server';
import { getCode, type ElyraBody, type FlowBody, flowCalls, mask, unique } from '../../support/system/flow-calls';

let resources: ResourcesApi;
beforeAll(async () => {
  resources = await startResourcesApi();
});
afterAll(() => resources.close());

const { make, call, stored } = flowCalls(() => resources);

describe('PUT /api/v1/flows/{flow_id}', () => {
  test('replaces, and keeps id, owner, creation and the project', async () => {
    const { project_id } = await resources.send<{ project_id: string }>('POST /projects', 201, {
      user: alice,
      body: { name: unique('p') },
    });
    const flow = await make({ description: 'old', readers: ['bob'], project_id });
    const name = unique('replaced');
    const put = await resources.send<FlowBody>(`PUT /flows/${flow.flow_id}`, 200, {
      user: alice,
      body: { flow_name: name, flow: [{ type: 'ingest_source', name: 'only' }] },
    });
    expect(put).toMatchObject({
      flow_id: flow.flow_id,
      flow_name: name,
      description: null,
      tags: [],
      readers: [],
      global_config: {},
      flow: [{ name: 'only', config: {} }],
      owner: 'alice',
      created_on: flow.created_on,
      created_by: 'alice',
      project_id,
    });
    expect(await resources.send(`GET /flows/${flow.flow_id}`, 200, { user: alice })).toEqual(put);
    const body = { ...sampleFlow(name), project_id: null };
    expect(await resources.send(`PUT /flows/${flow.flow_id}`, 200, { user: alice, body })).toMatchObject({
      project_id: null,
    });
  });

  test('a duplicate name is 409, an unknown flow 404, an invalid body 400', async () => {
    const [first, second] = [await make(), await make()];
    const path = `/flows/${first.flow_id}`;
    const taken = await call('PUT', path, { user: alice, body: sampleFlow(second.flow_name) });
    expect([taken.status, getCode(taken.body)]).toEqual([409, 'FLOW_ALREADY_EXISTS']);
    await resources.send(`PUT /flows/${randomUUID()}`, 404, { user: alice, body: sampleFlow('x') });
    await resources.send(`PUT ${path}`, 400, { user: alice, body: { flow_name: '' } });
  });
});

describe('names', () => {
  test('are unique within an owner without a project, and within the project otherwise', async () => {
    const flow_name = unique('invoices');
    const names = (user = alice, more: object = {}) =>
      call('POST', '/flows', { user, body: { ...sampleFlow(flow_name), ...more } });
    const statuses = async (...calls: ReturnType<typeof names>[]) =>
      (await Promise.all(calls)).map(({ status }) => status);
    expect(await statuses(names(alice), names(bob))).toEqual([201, 201]);
    expect((await statuses(names(alice), names(carol), names(carol))).toSorted((a, b) => a - b)).toEqual([
      201, 409, 409,
    ]);
    const { project_id } = await resources.send<{ project_id: string }>('POST /projects', 201, {
      user: alice,
      body: { name: unique('p'), members: ['bob'] },
    });
    expect((await names(alice, { project_id })).status).toBe(201);
    expect((await names(bob, { project_id })).status).toBe(409);
  });

  test('of records of earlier versions get their key; a duplicate stays readable', async () => {
    const [first, second] = [await make(), await make()];
    const flows = resources.mongo.collection<{ _id: string; flow_name: string }>('flows');
    await flows.createIndex({ project_id: 1, flow_name: 1 });
    await flows.updateMany({ _id: { $in: [first.flow_id, second.flow_id] } }, { $unset: { name_key: '' } });
    await flows.updateOne({ _id: second.flow_id }, { $set: { flow_name: first.flow_name } });
    const store = createFlowsStore(resources.mongo);
    const { items } = await store.list(alice, { limit: 10, offset: 0, name: first.flow_name });
    expect(items.map(({ flow_id }) => flow_id).toSorted()).toEqual([first.flow_id, second.flow_id].toSorted());
    expect((await flows.indexes()).map(({ name }) => name)).not.toContain('project_id_1_flow_name_1');
    const again = await call('POST', '/flows', { user: alice, body: sampleFlow(first.flow_name) });
    expect(getCode(again.body)).toBe('FLOW_ALREADY_EXISTS');
  });
});

describe('PATCH /api/v1/flows/{flow_id}', () => {
  test('changes the given members, merges global_config, and null clears', async () => {
    const flow = await make({
      description: 'd',
      readers: ['bob'],
      global_config: { force_ingest: true, ingest: { retries: 1, depth: 2 } },
    });
    const path = `PATCH /flows/${flow.flow_id}`;
    expect(
      await resources.send(path, 200, {
        user: alice,
        body: { description: 'new', global_config: { force_ingest: null, fail_fast: true, ingest: { depth: null } } },
      }),
    ).toMatchObject({
      flow_name: flow.flow_name,
      description: 'new',
      tags: ['finance'],
      readers: ['bob'],
      global_config: { fail_fast: true, ingest: { retries: 1 } },
      flow: flow.flow,
    });
    const { global_config } = await resources.send<FlowBody>(`GET /flows/${flow.flow_id}`, 200, { user: alice });
    expect(global_config).toEqual({ fail_fast: true, ingest: { retries: 1 } });
    const cleared = { description: null, tags: null, readers: null, global_config: null, edges: null };
    expect(await resources.send(path, 200, { user: alice, body: cleared })).toMatchObject({
      description: null,
      tags: [],
      readers: [],
      global_config: {},
      edges: [],
    });
  });

  test.each([
    ['nothing', {}],
    ['unknown members only', { colour: 'red' }],
    ['a name that is null', { flow_name: null }],
    ['no operators', { flow: [] }],
    ['tags that are not a list', { tags: 'a' }],
    ['settings of a wrong type', { global_config: { fail_fast: 'perhaps' } }],
    ['a dependency on a missing operator', { flow: [{ type: 'x', name: 'a', depends_on: ['b'] }] }],
  ])('%s is 400 FLOW_INVALID_DATA and changes nothing', async (_name, body) => {
    const flow = await make();
    expect(getCode(await resources.send(`PATCH /flows/${flow.flow_id}`, 400, { user: alice, body }))).toBe(
      'FLOW_INVALID_DATA',
    );
    expect(await resources.send(`GET /flows/${flow.flow_id}`, 200, { user: alice })).toEqual(flow);
  });
});

test('If-Match rejects an outdated change, and concurrent changes without it are not lost', async () => {
  const { flow_id } = await make();
  const path = `/flows/${flow_id}`;
  const etag = (await call('GET', path, { user: alice })).headers.get('ETag') ?? '';
  expect(etag).toBe('"1"');
  expect((await call('GET', path, { user: alice, headers: { 'If-None-Match': etag } })).status).toBe(304);
  const racing = await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      call('PATCH', path, { user: alice, body: { description: `${index}` }, headers: { 'If-Match': etag } }),
    ),
  );
  expect(racing.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(racing.filter(({ status }) => status === 412)).toHaveLength(9);
  const stale = await call('DELETE', path, { user: alice, headers: { 'If-Match': etag } });
  expect([stale.status, getCode(stale.body)]).toEqual([412, 'PRECONDITION_FAILED']);
  await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      resources.send(`PATCH ${path}`, 200, { user: alice, body: { global_config: { [`key${index}`]: index } } }),
    ),
  );
  const { global_config } = await resources.send<FlowBody>(`GET ${path}`, 200, { user: alice });
  expect(Object.keys(global_config)).toHaveLength(10);
});

describe('secrets', () => {
  const withSecret = (name: string, config: Record<string, unknown>) => ({
    flow_name: name,
    flow: [{ type: 'ingest_source', name: 'ingest', config: { provider: 'x', ...config } }],
  });

  test('a mask that is sent back keeps the stored secret, in PUT and PATCH, in both formats', async () => {
    const name = unique('secret');
    const { flow_id } = await make(withSecret(name, { api_key: 'plain', 'a.b': { password: 'p' } }));
    const secrets = async () => (await stored(flow_id))?.flow[0]?.config;
    const shown = await resources.send<FlowBody>(`GET /flows/${flow_id}`, 200, { user: alice });
    expect(shown.flow[0]?.config).toMatchObject({ api_key: mask, 'a.b': { password: mask } });
    await resources.send(`PUT /flows/${flow_id}`, 200, { user: alice, body: shown });
    expect(await secrets()).toEqual({ provider: 'x', api_key: 'plain', 'a.b': { password: 'p' } });
    await resources.send(`PATCH /flows/${flow_id}`, 200, { user: alice, body: { flow: shown.flow } });
    expect(await secrets()).toMatchObject({ api_key: 'plain' });
    const drawn = await resources.send<ElyraBody>(`GET /flows/${flow_id}?is_elyra=true`, 200, { user: alice });
    expect(JSON.stringify(drawn)).not.toContain('plain');
    await resources.send(`PUT /flows/${flow_id}?is_elyra=true`, 200, { user: alice, body: drawn });
    expect(await secrets()).toEqual({ provider: 'x', api_key: 'plain', 'a.b': { password: 'p' } });
    await resources.send(`PATCH /flows/${flow_id}?is_elyra=true`, 200, {
      user: alice,
      body: { definition: drawn.definition },
    });
    expect(await secrets()).toMatchObject({ api_key: 'plain' });
  });

  test('a mask without a stored secret is 400 with the position', async () => {
    const body = withSecret(unique('secret'), { api_key: mask });
    const response = await call('POST', '/flows', { user: alice, body });
    expect(response).toMatchObject({
      status: 400,
      body: { errors: [{ code: 'FLOW_INVALID_DATA', target: { name: '/flow/0/config/api_key' } }] },
    });
  });
});

describe('access', () => {
  test('readers read, owners change, administrators do all, others see nothing', async () => {
    const { flow_id } = await make({ readers: ['bob'] });
    const path = `/flows/${flow_id}`;
    const mallory = { ...bob, username: 'mallory' };
    const requests = [
      ['PUT', path, sampleFlow(unique('x'))],
      ['PATCH', path, { description: 'x' }],
      ['DELETE', path, undefined],
    ] as const;
    await resources.send(`GET ${path}`, 200, { user: bob });
    await resources.send(`GET ${path}`, 404, { user: mallory });
    for (const [method, address, body] of requests) {
      const reader = await call(method, address, { user: bob, body });
      expect([reader.status, getCode(reader.body)]).toEqual([403, 'FORBIDDEN']);
      const other = await call(method, address, { user: mallory, body });
      expect([other.status, getCode(other.body)]).toEqual([404, 'FLOW_NOT_FOUND']);
    }
    await resources.send(`PATCH ${path}`, 200, { user: carol, body: { owner: 'mallory', readers: [] } });
    await resources.send(`GET ${path}`, 404, { user: alice });
    await resources.send(`DELETE ${path}`, 204, { user: mallory });
  });

  test('lists are filtered in the query', async () => {
    const name = unique('listed');
    await make({ flow_name: `${name}-1` });
    await make({ flow_name: `${name}-2`, readers: ['bob'] });
    const count = async (user: typeof alice) =>
      (await resources.send<{ total_count: number }>(`GET /flows?name=${name}`, 200, { user })).total_count;
    expect([await count(alice), await count(bob), await count(carol)]).toEqual([2, 1, 2]);
  });
});

test('GET /api/v1/flows is sorted as requested', async () => {
  const name = unique('sorted');
  for (const letter of ['b', 'c', 'a']) await make({ flow_name: `${name}-${letter}` });
  const order = async (sort: string) => {
    const { flows } = await resources.send<{ flows: FlowBody[] }>(`GET /flows?name=${name}&sort=${sort}`, 200, {
      user: alice,
    });
    return flows.map(({ flow_name }) => flow_name.at(-1)).join('');
  };
  expect(await order('flow_name')).toBe('abc');
  expect(await order('-name')).toBe('cba');
  expect(await order('created_on')).toBe('bca');
  await resources.send('GET /flows?sort=flow', 400, { user: alice });
});

describe('DELETE /api/v1/flows/{flow_id}', () => {
  test('removes it, and the second time it is 404', async () => {
    const { flow_id } = await make();
    await resources.send(`DELETE /flows/${flow_id}`, 204, { user: alice });
    await resources.send(`GET /flows/${flow_id}`, 404, { user: alice });
    expect((await call('DELETE', `/flows/${flow_id}`, { user: alice })).status).toBe(404);
  });

  test('a live run stops it, and force cancels the run first', async () => {
    const { flow_id } = await make();
    const { job_run_id } = await resources.send<{ job_run_id: string }>('POST /job_runs', 201, {
      user: alice,
      body: { flow_id },
    });
    const refused = await call('DELETE', `/flows/${flow_id}`, { user: alice });
    expect([refused.status, getCode(refused.body)]).toEqual([409, 'FLOW_IN_USE']);
    expect(resources.api.state.engine.get(job_run_id)).toBe('RUNNING');
    await resources.send(`DELETE /flows/${flow_id}?force=true`, 204, { user: alice });
    expect(resources.api.state.engine.get(job_run_id)).toBe('CANCELED');
  });

  test('a run that ended without a record does not prevent it', async () => {
    const { flow_id } = await make();
    const { job_run_id } = await resources.send<{ job_run_id: string }>('POST /job_runs', 201, {
      user: alice,
      body: { flow_id },
    });
    resources.api.state.engine.set(job_run_id, 'TERMINATED');
    expect((await call('DELETE', `/flows/${flow_id}`, { user: alice })).status).toBe(204);
  });
});

describe('DELETE /api/v1/flows', () => {
  test('removes each one separately and reports it', async () => {
    const [first, second, busy, foreign] = [await make(), await make(), await make(), await make({}, bob)];
    await resources.send('POST /job_runs', 201, { user: alice, body: { flow_id: busy.flow_id } });
    const missing = randomUUID();
    const ids = [first, second, busy, foreign].map(({ flow_id }) => flow_id);
    const report = await resources.send(`DELETE /flows?flow_ids=${[...ids, missing, ids[0]].join(',')}`, 200, {
      user: alice,
    });
    expect(report).toEqual({
      deleted: [first.flow_id, second.flow_id],
      failed: [
        { flow_id: busy.flow_id, code: 'FLOW_IN_USE', error: expect.stringContaining('force=true') },
        { flow_id: foreign.flow_id, code: 'FLOW_NOT_FOUND', error: expect.stringContaining(foreign.flow_id) },
        { flow_id: missing, code: 'FLOW_NOT_FOUND', error: expect.stringContaining(missing) },
      ],
      total_requested: 5,
      total_deleted: 2,
      total_failed: 3,
    });
    await resources.send(`GET /flows/${first.flow_id}`, 404, { user: alice });
    expect(
      await resources.send(`DELETE /flows?flow_ids=${busy.flow_id}&force=true`, 200, { user: alice }),
    ).toMatchObject({ total_deleted: 1 });
  });

  test.each(['', '?flow_ids=', '?flow_ids=a,,b', '?flow_ids=a%20b'])('%s is 400', async (query) => {
    expect((await call('DELETE', `/flows${query}`, { user: alice })).status).toBe(400);
  });
});
