import { type ResourcesApi, startResourcesApi } from '../support/api/resources-fixture';
import { alice, bob } from '../support/api/server';
import { type ElyraBody, type FlowBody, mask, unique } from '../support/system/flow-calls';

let resources: ResourcesApi;
beforeAll(async () => {
  resources = await startResourcesApi();
});
afterAll(() => resources.close());

const header = 'canary-of-the-owner';
const password = 'canary-in-the-address';
const config = {
  provider: 'http',
  connection_params: {
    urls: [`https://anna:${password}@intranet.example.org/a`, 'https://intranet.example.org/b?sig=canary-signature'],
    headers: { Cookie: header, 'X-Session': header },
  },
};
const sink = { type: 'vectordb', name: 'index', config: { index_name: 'x' }, depends_on: ['ingest'] };
const source = (change: object = {}, type = 'ingest_source', name = 'ingest') => ({
  type,
  name,
  config: { ...config, ...change },
});

/** A flow of alice in a project of which bob is a member, and how bob sees it. */
async function shared(own: object = config) {
  const { project_id } = await resources.send<{ project_id: string }>('POST /projects', 201, {
    user: alice,
    body: { name: unique('p'), members: ['bob'] },
  });
  const body = { flow_name: unique('f'), project_id, flow: [{ ...source(), config: own }, sink] };
  const { flow_id } = await resources.send<FlowBody>('POST /flows', 201, { user: alice, body });
  const seen = await resources.send<FlowBody>(`GET /flows/${flow_id}`, 200, { user: bob });
  return { flow_id, seen };
}

test('a reader sees neither cookies, nor passwords in addresses, nor signed parameters', async () => {
  const { seen } = await shared();
  expect(JSON.stringify(seen)).not.toContain('canary');
  expect(seen.flow[0]?.config['connection_params']).toEqual({
    urls: [`https://anna:${mask}@intranet.example.org/a`, `https://intranet.example.org/b?sig=${mask}`],
    headers: { Cookie: mask, 'X-Session': mask },
  });
});

type Params = Record<string, unknown>;
const params = (seen: FlowBody) => seen.flow[0]?.config['connection_params'] as Params;
test.each<[string, (seen: FlowBody) => object]>([
  ['an address added', (seen) => ({ connection_params: { ...params(seen), urls: ['https://evil.example.org/'] } })],
  ['a sitemap beside it', () => ({ sitemaps: ['https://evil.example.org/sitemap.xml'] })],
  ['a sitemap in another place', () => ({ provider_config: { sitemaps: 'https://evil.example.org/sitemap.xml' } })],
  ['another provider', () => ({ provider: 's3', endpoint_url: 'https://evil.example.org' })],
  ['a proxy', () => ({ proxy_url: 'evil.example.org:3128' })],
  ['no check of certificates', () => ({ verify_certs: false })],
])('a mask is not restored with %s', async (_name, change) => {
  const { flow_id, seen } = await shared();
  const flow = [{ ...seen.flow[0], config: { ...seen.flow[0]?.config, ...change(seen) } }, sink];
  const reply = await resources.api.call('PATCH', `/api/v1/flows/${flow_id}`, { user: bob, body: { flow } });
  expect([reply.status, JSON.stringify(reply.body)]).toEqual([400, expect.stringContaining('another destination')]);
  const whole = { flow_name: unique('g'), flow };
  expect((await resources.api.call('PUT', `/api/v1/flows/${flow_id}`, { user: bob, body: whole })).status).toBe(400);
});

test.each<[string, object]>([
  ['by the type', { ingest_source: { sitemaps: ['https://evil.example.org/s.xml'] } }],
  ['by the name', { ingest: { provider_config: { urls: 'https://evil.example.org/' } } }],
])('global settings cannot send a stored secret elsewhere, %s', async (_name, global_config) => {
  const { flow_id } = await shared();
  const reply = await resources.api.call('PATCH', `/api/v1/flows/${flow_id}`, { user: bob, body: { global_config } });
  expect(reply.status).toBe(400);
});

test('a mask does not follow its operator to another type, nor its name to another operator', async () => {
  const { flow_id, seen } = await shared();
  const patch = (flow: unknown[]) =>
    resources.api.call('PATCH', `/api/v1/flows/${flow_id}`, { user: bob, body: { flow } });
  expect((await patch([{ ...seen.flow[0], type: 'noop' }, sink])).status).toBe(400);
  expect((await patch([{ ...seen.flow[0], name: 'other' }, sink])).status).toBe(400);
});

test('parameters of a run cannot send a stored secret elsewhere', async () => {
  const { flow_id } = await shared();
  for (const configuration of [
    { ingest: { sitemaps: ['https://evil.example.org/s.xml'] } },
    { ingest_source: { provider_config: { urls: ['https://evil.example.org/'] } } },
  ]) {
    const body = { flow_id, configuration };
    const reply = await resources.api.call('POST', '/api/v1/job_runs', { user: bob, body });
    expect(reply.status).toBeGreaterThanOrEqual(400);
    expect(reply.status).toBeLessThan(500);
  }
});

test('in the graphical format a mask is bound to its position too', async () => {
  const { flow_id } = await shared();
  const drawn = await resources.send<ElyraBody>(`GET /flows/${flow_id}?is_elyra=true`, 200, { user: bob });
  const text = JSON.stringify(drawn.definition);
  expect(text).not.toContain('canary');
  const moved = JSON.parse(text.replaceAll('intranet.example.org/b', 'evil.example.org/b')) as object;
  const body = { name: unique('h'), definition: moved };
  const reply = await resources.api.call('PUT', `/api/v1/flows/${flow_id}?is_elyra=true`, { user: bob, body });
  expect(reply.status).toBe(400);
});

test('settings that do not affect the host may change, and the owner of a secret may send it anywhere', async () => {
  const { flow_id, seen } = await shared();
  const patch = (change: object) =>
    resources.send<FlowBody>(`PATCH /flows/${flow_id}`, 200, {
      user: bob,
      body: { flow: [{ ...seen.flow[0], config: { ...seen.flow[0]?.config, ...change } }, sink] },
    });
  await patch({ recursive: false, max_file_size_mb: 3 });
  const stored = async () => JSON.stringify((await resources.flows.get(alice, flow_id))?.flow);
  expect(await stored()).toContain(header);
  await patch({ connection_params: { urls: ['https://other.example.org/'], headers: { Cookie: header } } });
  expect(await stored()).toContain('other.example.org');
});
