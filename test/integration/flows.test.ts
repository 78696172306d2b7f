import { randomUUID } from 'node:crypto';
import { type ResourcesApi, startResourcesApi } from '../api/resources-fixture';
import { alice, bob, carol, sampleFlow } from '../api/server';

let resources: ResourcesApi;
beforeAll(async () => {
  resources = await startResourcesApi();
});
afterAll(() => resources.close());

interface Flow {
  flow_id: string;
  flow_name: string;
  flow: { name: string; config: Record<string, unknown> }[];
  created_on: string;
  global_config: Record<string, unknown>;
}
interface Elyra {
  flow_id: string;
  name: string;
  definition: { pipelines: { nodes: { id: string; parameters: Record<string, unknown> }[] }[] };
}
const mask = '********';
const unique = (name: string) => `${name}-${randomUUID()}`;
const make = (more: Record<string, unknown> = {}, user = alice) =>
  resources.send<Flow>('POST /flows', 201, { user, body: { ...sampleFlow(unique('flow')), ...more } });
const codeOf = (body: unknown) => (body as { errors: { code: string }[] }).errors[0]?.code;
const call = (method: string, path: string, init: Parameters<ResourcesApi['api']['call']>[2]) =>
  resources.api.call(method, `/api/v1${path}`, init);
const stored = (flowId: string) => resources.flows.get(alice, flowId);

describe('PUT /api/v1/flows/{flow_id}', () => {
  test('replaces, and keeps id, owner, creation and the project', async () => {
    const { project_id } = await resources.send<{ project_id: string }>('POST /projects', 201, {
      user: alice,
      body: { name: unique('p') },
    });
    const made = await make({ description: 'old', readers: ['bob'], project_id });
    const name = unique('replaced');
    const put = await resources.send<Flow>(`PUT /flows/${made.flow_id}`, 200, {
      user: alice,
      body: { flow_name: name, flow: [{ type: 'ingest_source', name: 'only' }] },
    });
    expect(put).toMatchObject({
      flow_id: made.flow_id,
      flow_name: name,
      description: null,
      tags: [],
      readers: [],
      global_config: {},
      flow: [{ name: 'only', config: {} }],
      owner: 'alice',
      created_on: made.created_on,
      created_by: 'alice',
      project_id,
    });
    expect(await resources.send(`GET /flows/${made.flow_id}`, 200, { user: alice })).toEqual(put);
    const body = { ...sampleFlow(name), project_id: null };
    expect(await resources.send(`PUT /flows/${made.flow_id}`, 200, { user: alice, body })).toMatchObject({
      project_id: null,
    });
  });

  test('a name that is taken is 409, an unknown flow 404, an invalid body 400', async () => {
    const [first, second] = [await make(), await make()];
    const path = `/flows/${first.flow_id}`;
    const taken = await call('PUT', path, { user: alice, body: sampleFlow(second.flow_name) });
    expect([taken.status, codeOf(taken.body)]).toEqual([409, 'FLOW_ALREADY_EXISTS']);
    await resources.send(`PUT /flows/${randomUUID()}`, 404, { user: alice, body: sampleFlow('x') });
    await resources.send(`PUT ${path}`, 400, { user: alice, body: { flow_name: '' } });
  });
});

describe('PATCH /api/v1/flows/{flow_id}', () => {
  test('changes what is sent, merges global_config, and null clears', async () => {
    const made = await make({
      description: 'd',
      readers: ['bob'],
      global_config: { force_ingest: true, ingest: { retries: 1, depth: 2 } },
    });
    const path = `PATCH /flows/${made.flow_id}`;
    expect(
      await resources.send(path, 200, {
        user: alice,
        body: { description: 'new', global_config: { force_ingest: null, fail_fast: true, ingest: { depth: null } } },
      }),
    ).toMatchObject({
      flow_name: made.flow_name,
      description: 'new',
      tags: ['finance'],
      readers: ['bob'],
      global_config: { fail_fast: true, ingest: { retries: 1 } },
      flow: made.flow,
    });
    const { global_config } = await resources.send<Flow>(`GET /flows/${made.flow_id}`, 200, { user: alice });
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
    ['tags that are no list', { tags: 'a' }],
    ['settings of a wrong type', { global_config: { fail_fast: 'perhaps' } }],
    ['a dependency that is not there', { flow: [{ type: 'x', name: 'a', depends_on: ['b'] }] }],
  ])('%s is 400 FLOW_INVALID_DATA and changes nothing', async (_what, body) => {
    const made = await make();
    expect(codeOf(await resources.send(`PATCH /flows/${made.flow_id}`, 400, { user: alice, body }))).toBe(
      'FLOW_INVALID_DATA',
    );
    expect(await resources.send(`GET /flows/${made.flow_id}`, 200, { user: alice })).toEqual(made);
  });
});

test('If-Match refuses a change of what was changed since, and of concurrent changes without it none is lost', async () => {
  const { flow_id } = await make();
  const path = `/flows/${flow_id}`;
  const etag = (await call('GET', path, { user: alice })).headers.get('ETag') ?? '';
  expect(etag).toBe('"1"');
  const racing = await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      call('PATCH', path, { user: alice, body: { description: `${index}` }, headers: { 'If-Match': etag } }),
    ),
  );
  expect(racing.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(racing.filter(({ status }) => status === 412)).toHaveLength(9);
  const stale = await call('DELETE', path, { user: alice, headers: { 'If-Match': etag } });
  expect([stale.status, codeOf(stale.body)]).toEqual([412, 'PRECONDITION_FAILED']);
  await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      resources.send(`PATCH ${path}`, 200, { user: alice, body: { global_config: { [`key${index}`]: index } } }),
    ),
  );
  const { global_config } = await resources.send<Flow>(`GET ${path}`, 200, { user: alice });
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
    const shown = await resources.send<Flow>(`GET /flows/${flow_id}`, 200, { user: alice });
    expect(shown.flow[0]?.config).toMatchObject({ api_key: mask, 'a.b': { password: mask } });
    await resources.send(`PUT /flows/${flow_id}`, 200, { user: alice, body: shown });
    expect(await secrets()).toEqual({ provider: 'x', api_key: 'plain', 'a.b': { password: 'p' } });
    await resources.send(`PATCH /flows/${flow_id}`, 200, { user: alice, body: { flow: shown.flow } });
    expect(await secrets()).toMatchObject({ api_key: 'plain' });
    const drawn = await resources.send<Elyra>(`GET /flows/${flow_id}?is_elyra=true`, 200, { user: alice });
    expect(JSON.stringify(drawn)).not.toContain('plain');
    await resources.send(`PUT /flows/${flow_id}?is_elyra=true`, 200, { user: alice, body: drawn });
    expect(await secrets()).toEqual({ provider: 'x', api_key: 'plain', 'a.b': { password: 'p' } });
    await resources.send(`PATCH /flows/${flow_id}?is_elyra=true`, 200, {
      user: alice,
      body: { definition: drawn.definition },
    });
    expect(await secrets()).toMatchObject({ api_key: 'plain' });
  });

  test('a mask where no secret is stored is 400 and names the place', async () => {
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
      expect([reader.status, codeOf(reader.body)]).toEqual([403, 'FORBIDDEN']);
      const other = await call(method, address, { user: mallory, body });
      expect([other.status, codeOf(other.body)]).toEqual([404, 'FLOW_NOT_FOUND']);
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

test('GET /api/v1/flows is sorted as asked', async () => {
  const name = unique('sorted');
  for (const letter of ['b', 'c', 'a']) await make({ flow_name: `${name}-${letter}` });
  const order = async (sort: string) => {
    const { flows } = await resources.send<{ flows: Flow[] }>(`GET /flows?name=${name}&sort=${sort}`, 200, {
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
  test('removes it, and a second time it is 404', async () => {
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
    expect([refused.status, codeOf(refused.body)]).toEqual([409, 'FLOW_IN_USE']);
    expect(resources.api.state.engine.get(job_run_id)).toBe('RUNNING');
    await resources.send(`DELETE /flows/${flow_id}?force=true`, 204, { user: alice });
    expect(resources.api.state.engine.get(job_run_id)).toBe('CANCELED');
  });

  test('a run that ended without saying so does not stop it', async () => {
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
  test('removes each for itself and reports it', async () => {
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

describe('flows of the graphical editor', () => {
  const definition = (label = 'files', second?: string) => ({
    doc_type: 'pipeline',
    primary_pipeline: 'p',
    pipelines: [
      {
        id: 'p',
        nodes: [
          {
            id: 'n1',
            type: 'execution_node',
            op: 'ingest_source',
            parameters: { provider: 'x', api_key: 'plain' },
            app_data: { ui_data: { label } },
          },
          {
            id: 'n2',
            type: 'execution_node',
            op: 'vectordb',
            parameters: { index_name: 'i' },
            inputs: [{ id: 'in', links: [{ node_id_ref: 'n1' }] }],
            app_data: { ui_data: { label: second } },
          },
        ],
        app_data: { properties: { fail_fast: true } },
      },
    ],
  });
  const draw = (more: Record<string, unknown> = {}) =>
    resources.send<Elyra>('POST /flows?is_elyra=true', 201, {
      user: alice,
      body: { name: unique('drawn'), definition: definition(), ...more },
    });

  test('are stored as drawn, shown in both formats, and run', async () => {
    const container_id = randomUUID();
    const job_id = randomUUID();
    const made = await draw({
      description: 'd',
      tags: ['a', 'a'],
      container_kind: 'space',
      container_id,
      is_hidden: true,
      job_id,
    });
    expect(made).toMatchObject({
      description: 'd',
      tags: ['a'],
      container_kind: 'space',
      container_id,
      job_id,
      is_hidden: true,
      flow_version: '2.0',
      href: `/api/v1/flows/${made.flow_id}`,
    });
    expect(made.definition.pipelines[0]?.nodes[0]).toMatchObject({
      id: 'n1',
      parameters: { provider: 'x', api_key: mask },
    });
    const path = `/flows/${made.flow_id}`;
    expect(await resources.send(`GET ${path}`, 200, { user: alice })).toEqual(made);
    expect(await resources.send(`GET ${path}?is_elyra=false`, 200, { user: alice })).toMatchObject({
      flow_name: made.name,
      global_config: { fail_fast: true },
      flow: [
        { type: 'ingest_source', name: 'files', depends_on: [] },
        { type: 'vectordb', name: 'vectordb', depends_on: ['files'] },
      ],
    });
    const { job_run_id } = await resources.send<{ job_run_id: string }>('POST /job_runs', 201, {
      user: alice,
      body: { flow_id: made.flow_id },
    });
    expect(await resources.send(`GET /job_runs/${job_run_id}`, 200, { user: alice })).toMatchObject({
      node_sequence: ['files', 'vectordb'],
    });
  });

  test('with a name only begin as an empty pipeline', async () => {
    const made = await draw({ definition: undefined });
    expect(made).toMatchObject({
      description: null,
      tags: [],
      is_hidden: false,
      container_kind: null,
      container_id: null,
    });
    expect(made.definition.pipelines[0]?.nodes).toEqual([]);
    expect(await resources.send(`GET /flows/${made.flow_id}?is_elyra=false`, 200, { user: alice })).toMatchObject({
      flow: [],
    });
  });

  test('belong to the project of their container when the user sees it, and to none otherwise', async () => {
    const { project_id } = await resources.send<{ project_id: string }>('POST /projects', 201, {
      user: bob,
      body: { name: unique('p') },
    });
    const made = await draw({ container_kind: 'project', container_id: project_id });
    expect(made).toMatchObject({ container_id: project_id });
    expect((await stored(made.flow_id))?.project_id).toBeNull();
    const own = await resources.send<{ project_id: string }>('POST /projects', 201, {
      user: alice,
      body: { name: unique('p') },
    });
    const inside = await draw({ container_kind: 'project', container_id: own.project_id });
    expect((await stored(inside.flow_id))?.project_id).toBe(own.project_id);
  });

  test('a patch of either format keeps what it does not name', async () => {
    const made = await draw({ is_hidden: true });
    const path = `/flows/${made.flow_id}`;
    const name = unique('renamed');
    const renamed = await resources.send<Elyra>(`PATCH ${path}?is_elyra=true`, 200, {
      user: alice,
      body: { name, tags: ['t'] },
    });
    expect(renamed).toMatchObject({ name, tags: ['t'], is_hidden: true, definition: made.definition });
    const described = await resources.send<Elyra>(`PATCH ${path}`, 200, { user: alice, body: { description: 'd' } });
    expect(described).toMatchObject({ name, description: 'd', definition: made.definition });
    const redefined = await resources.send<Flow>(`PATCH ${path}`, 200, {
      user: alice,
      body: { global_config: { fail_fast: null } },
    });
    expect(redefined).toMatchObject({ flow_name: name, global_config: {}, flow: [{ config: { api_key: mask } }, {}] });
    expect((await stored(made.flow_id))?.flow[0]?.config).toMatchObject({ api_key: 'plain' });
    expect(codeOf(await resources.send(`PATCH ${path}?is_elyra=true`, 400, { user: alice, body: {} }))).toBe(
      'FLOW_INVALID_DATA',
    );
  });

  test('lists tell the formats apart when asked', async () => {
    const tag = unique('tag');
    const drawn = await draw({ tags: [tag], is_hidden: true });
    const written = await make({ tags: [tag] });
    const ids = async (query: string) =>
      (
        await resources.send<{ flows: { flow_id: string }[] }>(`GET /flows?tags=${tag}${query}`, 200, { user: alice })
      ).flows.map(({ flow_id }) => flow_id);
    expect(await ids('&is_elyra=true')).toEqual([drawn.flow_id]);
    expect(await ids('&is_elyra=false')).toEqual([written.flow_id]);
    expect(await ids('&is_hidden=true')).toEqual([drawn.flow_id]);
    expect(await ids('&is_hidden=false')).toEqual([written.flow_id]);
    expect((await ids('')).sort()).toEqual([drawn.flow_id, written.flow_id].sort());
  });

  test.each([
    ['an empty name', { name: '' }, 'name'],
    ['an unknown kind of container', { name: 'x', container_kind: 'box' }, 'container_kind'],
    ['a container that is no UUID', { name: 'x', container_id: 'x' }, 'container_id'],
    ['a job that is no UUID', { name: 'x', job_id: 'x' }, 'job_id'],
    ['a definition of no kind', { name: 'x', definition: {} }, '/definition'],
    ['no pipelines', { name: 'x', definition: { doc_type: 'pipeline', pipelines: [] } }, '/definition/pipelines'],
    ['two nodes of one name', { name: 'x', definition: definition('files', 'files') }, 'OPERATOR_NAME_REPEATED'],
  ])('%s is 400', async (_what, body, place) => {
    const response = await call('POST', '/flows?is_elyra=true', { user: alice, body });
    expect([response.status, codeOf(response.body)]).toEqual([400, 'FLOW_INVALID_DATA']);
    expect(JSON.stringify(response.body)).toContain(place);
  });

  test('are validated as drawn: node ids and places are those of the drawing', async () => {
    const validate = (body: unknown) =>
      resources.send<{ status: string; errors: object[] }>('POST /validation/validate_flow?is_elyra=true', 200, {
        user: alice,
        body,
      });
    expect(await validate({ name: 'x', definition: definition() })).toMatchObject({ errors: [] });
    const wrong = definition();
    Object.assign(wrong.pipelines[0]?.nodes[1] ?? {}, { parameters: { index_name: 1 } });
    expect(await validate({ name: 'x', definition: wrong })).toMatchObject({
      status: 'FAILED',
      errors: [
        {
          message_code: 'OPERATOR_VALIDATION_FAILED',
          node_id: 'n2',
          node_name: 'vectordb',
          pointer: '/definition/pipelines/0/nodes/1/parameters/index_name',
        },
      ],
    });
    expect(await validate({ name: 'x', definition: { doc_type: 'pipeline', pipelines: [] } })).toMatchObject({
      status: 'FAILED',
      errors: [{ code: 'FLOW_VALIDATION_FAILED', message_code: null, pointer: '/definition/pipelines' }],
    });
    expect(await validate({ name: 'x' })).toMatchObject({ errors: [{ message_code: 'DAG_PIPELINE_MISSING' }] });
  });
});
