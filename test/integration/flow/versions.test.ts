import { type ResourcesApi, startResourcesApi } from '../../support/api/resources-fixture';
import { alice, bob, carol, sampleFlow } from '../../support/api/server';
import { getCode, type FlowBody, flowCalls, mask, unique } from '../../support/system/flow-calls';

interface Versions {
  versions: { version: number; saved_by: string; changes: string[]; is_current: boolean; restored_from?: number }[];
  total_count: number;
}
interface Content {
  saved_by: string;
  content: FlowBody & { description: string | null };
}

let resources: ResourcesApi;
beforeAll(async () => {
  resources = await startResourcesApi();
});
afterAll(() => resources.close());

const { make, call } = flowCalls(() => resources);
const patch = (flowId: string, body: object, user = alice) =>
  resources.send(`PATCH /flows/${flowId}`, 200, { user, body });
const getVersions = (flowId: string, query = '') =>
  resources.send<Versions>(`GET /flows/${flowId}/versions${query}`, 200, { user: alice });
const getVersion = (flowId: string, version: number, user = alice) =>
  resources.send<Content>(`GET /flows/${flowId}/versions/${version}`, 200, { user });
const restore = (flowId: string, version: number, init: Partial<Parameters<typeof call>[2]> = {}) =>
  call('POST', `/flows/${flowId}/versions/${version}/restore`, { user: alice, ...init });
const withKey = (config: object) => ({
  ...sampleFlow(unique('secret')),
  flow: [{ type: 'embeddings', name: 'embed', config: { type: 'ollama', provider_config: config } }],
});

test('each change creates a version with author and difference; unchanged content creates none', async () => {
  const { project_id } = await resources.send<{ project_id: string }>('POST /projects', 201, {
    user: alice,
    body: { name: unique('p'), members: ['bob'] },
  });
  const { flow_id, ...made } = await make({ description: 'first', project_id });
  expect(await getVersions(flow_id)).toMatchObject({
    versions: [{ version: 1, saved_by: 'alice', changes: [], total_changes: 0, is_current: true }],
    total_count: 1,
  });
  await patch(flow_id, { description: 'second', global_config: { fail_fast: true } }, bob);
  await patch(flow_id, { description: 'second', readers: ['rita'] });
  await patch(flow_id, { flow: made.flow.slice(0, 1) });
  expect((await getVersions(flow_id)).versions).toMatchObject([
    { version: 3, saved_by: 'alice', changes: ['/flow/index'], is_current: true },
    { version: 2, saved_by: 'bob', changes: ['/description', '/global_config/fail_fast'], is_current: false },
    { version: 1, saved_by: 'alice', is_current: false },
  ]);
  expect((await getVersion(flow_id, 1)).content).toMatchObject({ description: 'first', flow: made.flow });
  expect(
    await resources.send(`GET /flows/${flow_id}/versions/3/difference?base_version=1`, 200, { user: alice }),
  ).toEqual({
    flow_id,
    version: 3,
    base_version: 1,
    differences: [
      { path: '/description', kind: 'changed', before: 'first', after: 'second' },
      { path: '/global_config/fail_fast', kind: 'added', after: true },
      { path: '/flow/index', kind: 'removed', before: expect.objectContaining({ type: 'vectordb' }) },
    ],
    total_differences: 3,
  });
});

test('restoring creates a new version and keeps project, owner and readers; pages return to the first', async () => {
  const { flow_id } = await make({ description: 'first', readers: ['bob'] });
  await patch(flow_id, { description: 'second' });
  await patch(flow_id, { readers: [] });
  const restored = await restore(flow_id, 1);
  expect([restored.status, restored.body]).toMatchObject([200, { description: 'first', readers: [], owner: 'alice' }]);
  const { versions, total_count } = await getVersions(flow_id);
  expect([total_count, versions[0]]).toMatchObject([3, { version: 3, restored_from: 1, changes: ['/description'] }]);
  const pages = await Promise.all([0, 1, 2].map((offset) => getVersions(flow_id, `?limit=1&offset=${offset}`)));
  expect(pages.map((page) => page.versions.map(({ version }) => version))).toEqual([[3], [2], [1]]);
});

test('restoring respects If-Match and names; a missing version is 404', async () => {
  const first = await make();
  await patch(first.flow_id, { flow_name: unique('renamed') });
  await make({ flow_name: first.flow_name });
  const taken = await restore(first.flow_id, 1);
  expect([taken.status, getCode(taken.body)]).toEqual([409, 'FLOW_ALREADY_EXISTS']);
  const late = await restore(first.flow_id, 1, { headers: { 'If-Match': '"1"' } });
  expect([late.status, getCode(late.body)]).toEqual([412, 'PRECONDITION_FAILED']);
  for (const version of [3, 99]) {
    const missing = await call('GET', `/flows/${first.flow_id}/versions/${version}`, { user: alice });
    expect([missing.status, getCode(missing.body)]).toEqual([404, 'FLOW_VERSION_NOT_FOUND']);
  }
});

test('a drawn flow is restored with its drawing', async () => {
  const { flow_id } = await make();
  const { definition } = await resources.send<{ definition: object }>(`GET /flows/${flow_id}?is_elyra=true`, 200, {
    user: alice,
  });
  const drawn = { name: unique('drawn'), definition: { ...definition, note: 'here' } };
  await resources.send(`PUT /flows/${flow_id}?is_elyra=true`, 200, { user: alice, body: drawn });
  await patch(flow_id, { flow: [{ type: 'ingest_source', name: 'only' }] });
  const { body } = await restore(flow_id, 2);
  expect(body).toMatchObject({ name: drawn.name, definition: { note: 'here' } });
});

describe('rights and secrets', () => {
  test('readers see versions and restore none; others see nothing', async () => {
    const { flow_id } = await make({ readers: ['bob'] });
    await patch(flow_id, { description: 'second' });
    expect((await getVersion(flow_id, 1, bob)).saved_by).toBe('alice');
    expect((await restore(flow_id, 1, { user: bob })).status).toBe(403);
    await patch(flow_id, { readers: [] });
    for (const path of ['', '/1', '/2/difference'])
      expect((await call('GET', `/flows/${flow_id}/versions${path}`, { user: bob })).status).toBe(404);
    expect((await restore(flow_id, 1, { user: bob })).status).toBe(404);
    expect((await restore(flow_id, 1, { user: carol })).status).toBe(200);
  });

  test('no version contains a secret, neither shown nor stored', async () => {
    const { flow_id } = await make(withKey({ api_base: 'http://one.example', api_key: 'sk-first-secret' }));
    await patch(flow_id, withKey({ api_base: 'http://two.example', api_key: 'sk-second-secret' }));
    const { content } = await getVersion(flow_id, 1);
    expect(content.flow[0]?.config).toMatchObject({ provider_config: { api_key: mask } });
    const difference = await resources.send(`GET /flows/${flow_id}/versions/2/difference`, 200, { user: alice });
    const kept = await resources.mongo.collection('flow_versions').find({}).toArray();
    expect(JSON.stringify([difference, kept])).not.toMatch(/sk-(?:first|second)-secret/);
  });

  test('a changed secret creates no version, so that it cannot be guessed by writing', async () => {
    const body = withKey({ api_base: 'http://one.example', api_key: 'sk-right' });
    const { flow_id } = await make(body);
    for (const api_key of ['sk-wrong', 'sk-right'])
      await patch(flow_id, { flow: withKey({ api_base: 'http://one.example', api_key }).flow });
    expect((await getVersions(flow_id)).total_count).toBe(1);
  });

  test('restoring keeps the current secret, and rejects to send it to another host', async () => {
    const at = (host: string, more: object = {}) => withKey({ api_base: `http://${host}.example`, ...more });
    const same = await make({ ...at('one', { api_key: 'sk-old' }), description: 'first' });
    await patch(same.flow_id, { description: 'second', flow: at('one', { api_key: 'sk-new' }).flow });
    expect((await restore(same.flow_id, 1)).status).toBe(200);
    const stored = await resources.flows.get(alice, same.flow_id);
    expect(stored?.flow[0]?.config).toMatchObject({ provider_config: { api_key: 'sk-new' } });

    const { flow_id } = await make(at('one', { api_key: 'sk-old' }));
    await patch(flow_id, { flow: at('two', { api_key: 'sk-new' }).flow });
    const moved = await restore(flow_id, 1);
    expect([moved.status, getCode(moved.body)]).toEqual([400, 'FLOW_INVALID_DATA']);
    await patch(flow_id, { flow: at('one').flow });
    const lost = await restore(flow_id, 1);
    expect([lost.status, getCode(lost.body)]).toEqual([400, 'FLOW_INVALID_DATA']);
  });
});

test('the last hundred are kept; those of a flow are removed with the flow or its project', async () => {
  const { project_id } = await resources.send<{ project_id: string }>('POST /projects', 201, {
    user: alice,
    body: { name: unique('p') },
  });
  const [alone, within] = [await make(), await make({ project_id })];
  for (let number = 2; number <= 104; number += 1) await patch(alone.flow_id, { description: String(number) });
  await patch(within.flow_id, { description: 'x' });
  expect((await getVersions(alone.flow_id)).total_count).toBe(101);
  expect((await call('GET', `/flows/${alone.flow_id}/versions/3`, { user: alice })).status).toBe(404);
  expect((await getVersion(alone.flow_id, 4)).content.description).toBe('4');
  const kept = resources.mongo.collection('flow_versions');
  expect(await kept.countDocuments({ flow_id: alone.flow_id })).toBe(100);
  await resources.send(`DELETE /flows/${alone.flow_id}`, 204, { user: alice });
  await resources.send(`DELETE /projects/${project_id}`, 204, { user: alice });
  expect(await kept.countDocuments({ flow_id: { $in: [alone.flow_id, within.flow_id] } })).toBe(0);
});

test('two concurrent changes create two versions', async () => {
  const { flow_id } = await make();
  await Promise.all(['a', 'b'].map((description) => patch(flow_id, { description })));
  const { versions } = await getVersions(flow_id);
  expect(versions.map(({ version }) => version)).toEqual([3, 2, 1]);
});
