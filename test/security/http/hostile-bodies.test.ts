import { alice, bob, carol, sampleFlow, startApi, type TestApi } from '../../support/api/server';

/** Changes of resources: by the wrong person, by the right one who sends what only the server may decide, and by narrow API keys. */
let api: TestApi;
beforeAll(async () => {
  api = await startApi({}, { adminGroups: ['admins'] });
});
afterAll(() => api.close());

interface Resource {
  /** Where it is created and listed. */
  path: () => string;
  id: string;
  create: object;
  method: 'PATCH' | 'PUT';
  change: Record<string, unknown>;
  /** Requests of others below it, in addition to changes and removal. */
  further?: readonly (readonly [method: string, path: string])[];
}

let flowPath = '';
const search = { name: 'mine', request: { query: 'budget' } };
const resources: Record<string, Resource> = {
  connection: {
    path: () => '/api/v1/connections',
    id: 'connection_id',
    create: { name: 'mail', type: 'imap', hosts: ['mail.example.org'], secret: 'a-very-secret-password' },
    method: 'PATCH',
    change: { name: 'post' },
    further: [['POST', 'check']],
  },
  webhook: {
    path: () => '/api/v1/webhooks',
    id: 'webhook_id',
    create: { url: 'https://93.184.216.34/hook', events: ['run.ended'] },
    method: 'PATCH',
    change: { description: 'changed' },
    further: [
      ['GET', 'deliveries'],
      ['POST', 'test'],
    ],
  },
  'saved search': {
    path: () => '/api/v1/saved-searches',
    id: 'search_id',
    create: search,
    method: 'PUT',
    change: search,
  },
  schedule: {
    path: () => `${flowPath}/schedules`,
    id: 'schedule_id',
    create: { cron: '0 6 * * *' },
    method: 'PATCH',
    change: { note: 'changed' },
    further: ['trigger', 'pause', 'resume'].map((action) => ['POST', action] as const),
  },
  'document set': {
    path: () => '/api/v1/document-sets',
    id: 'id',
    create: { name: 'facts' },
    method: 'PATCH',
    change: { description: 'changed' },
    further: [
      ['GET', 'preview'],
      ['GET', 'export'],
    ],
  },
  'document library': {
    path: () => '/api/v1/document-libraries',
    id: 'library_id',
    create: { name: 'papers' },
    method: 'PATCH',
    change: { description: 'changed' },
    further: [['GET', 'files']],
  },
};
/** What only the server decides. Names that a resource does not have must be refused or ignored as well. */
const protectedMembers: Record<string, unknown> = {
  owner: 'bob',
  owner_groups: ['admins'],
  created_at: '2000-01-01T00:00:00.000Z',
  created_by: 'bob',
  updated_at: '2000-01-01T00:00:00.000Z',
  shared: true,
  type: 's3',
  url: 'https://93.184.216.35/other',
  has_secret: false,
  scope: '*',
  flow_id: '00000000-0000-4000-8000-000000000000',
  temporal_id: 'schedule/other',
  configuration: { force_ingest: true },
  state: 'paused',
  set_ids: ['00000000-0000-4000-8000-000000000000'],
  revision: 999,
  _id: 'other',
  $set: { owner: 'bob' },
  constructor: { prototype: { owner: 'bob' } },
};

const ids: Record<string, string> = {};
beforeAll(async () => {
  const { body: flow } = await api.call('POST', '/api/v1/flows', { user: alice, body: sampleFlow('scheduled') });
  flowPath = `/api/v1/flows/${(flow as { flow_id: string }).flow_id}`;
  for (const [name, { path, id, create }] of Object.entries(resources)) {
    const { body } = await api.call('POST', path(), { user: alice, body: create });
    ids[name] = (body as Record<string, string>)[id] ?? '';
  }
});

const locate = (name: string, id = ids[name] ?? '') => `${resources[name]?.path()}/${id}`;
async function readFacts(name: string): Promise<object> {
  const { status, body } = await api.call('GET', locate(name), { user: alice });
  expect(status).toBe(200);
  const { id = '' } = resources[name] ?? {};
  const watched = [id, ...Object.keys(protectedMembers)].filter((member) => member !== 'updated_at');
  return Object.fromEntries(Object.entries(body as object).filter(([member]) => watched.includes(member)));
}

describe.each(Object.entries(resources))('a %s', (name, { method, change, id, further = [] }) => {
  test('of somebody else is changed, used and removed by nobody, and looks as if it did not exist', async () => {
    const before = await readFacts(name);
    const missing = '00000000-0000-4000-8000-000000000000';
    const requests = [[method, ''], ['GET', ''], ['DELETE', ''], ...further.map(([verb, path]) => [verb, `/${path}`])];
    for (const [verb = '', path = ''] of requests) {
      const body = verb === method ? change : undefined;
      const headers = { 'If-Match': '*', 'If-None-Match': '*' };
      const [foreign, none] = await Promise.all(
        [ids[name], missing].map((which) =>
          api.call(verb, `${locate(name, which)}${path}`, { user: bob, body, headers }),
        ),
      );
      const hide = ({ body: { errors } }: { body: { errors: unknown } }, shown = '') =>
        JSON.stringify(errors).replaceAll(shown, 'ID');
      expect({ verb, path, status: foreign?.status }).toEqual({ verb, path, status: 404 });
      expect(hide(foreign!, ids[name])).toBe(hide(none!, missing));
    }
    expect(await readFacts(name)).toEqual(before);
  });

  test('keeps what only the server decides, whatever its owner sends', async () => {
    const before = await readFacts(name);
    for (const [member, value] of Object.entries({ ...protectedMembers, [id]: 'other' })) {
      const { status } = await api.call(method, locate(name), { user: alice, body: { ...change, [member]: value } });
      expect({ member, isServerError: status >= 500 }).toEqual({ member, isServerError: false });
      expect({ member, facts: await readFacts(name) }).toEqual({ member, facts: before });
    }
  });

  test('refuses other types, prototypes and bodies that are lists', async () => {
    const before = await readFacts(name);
    const bodies = Object.entries(change)
      .filter(([, value]) => typeof value === 'string')
      .flatMap(([member, value]) =>
        [[value], { $ne: '' }, { toString: 'x' }, 1, true].map((wrong) =>
          JSON.stringify({ ...change, [member]: wrong }),
        ),
      );
    const prototypes = ['{"__proto__":{"owner":"bob"}}', '{"a":{"__proto__":{"owner":"bob"}}}', '[{"owner":"bob"}]'];
    for (const body of [...bodies, ...prototypes, '"text"']) {
      const { status } = await api.call(method, locate(name), {
        user: alice,
        body,
        headers: { 'Content-Type': 'application/json' },
      });
      expect({ body, isRefused: status >= 400 && status < 500 }).toEqual({ body, isRefused: true });
    }
    expect(({} as { owner?: string }).owner).toBeUndefined();
    expect(await readFacts(name)).toEqual(before);
  });

  test('is changed by no API key without the scope write', async () => {
    const body = { name: 'narrow', scopes: ['read', 'run'] };
    const { body: made } = await api.call('POST', '/api/v1/api-keys', { user: alice, body });
    const headers = { Authorization: `Bearer ${(made as { key: string }).key}` };
    expect((await api.call('GET', locate(name), { headers })).status).toBe(200);
    for (const verb of [method, 'DELETE']) {
      const { status } = await api.call(verb, locate(name), { headers, body: verb === method ? change : undefined });
      expect({ verb, status }).toEqual({ verb, status: 403 });
    }
  });
});

describe('members of a project', () => {
  const dave = { ...bob, username: 'dave' };
  let path: string;
  beforeAll(async () => {
    const roles = [{ user: 'dave', role: 'manager' }];
    const body = { name: 'shared', members: ['bob', 'dave'], roles };
    const { body: project } = await api.call('POST', '/api/v1/projects', { user: alice, body });
    path = `/api/v1/projects/${(project as { project_id: string }).project_id}`;
  });

  test('gain no rights by changing it: an editor not even a role, a manager not the project itself', async () => {
    const { body: before } = await api.call('GET', path, { user: alice });
    const attempts = [
      [bob, 'PATCH', { owner: 'bob' }],
      [bob, 'PATCH', { members: ['bob'], roles: [{ user: 'bob', role: 'manager' }] }],
      [bob, 'PUT', { ...(before as object), owner: 'bob' }],
      [bob, 'DELETE', undefined],
      [dave, 'PATCH', { owner: 'dave' }],
      [dave, 'PUT', { ...(before as object), owner: 'dave' }],
      [dave, 'DELETE', undefined],
    ] as const;
    for (const [user, method, body] of attempts) {
      const { status } = await api.call(method, path, { user, body, headers: { 'If-Match': '*' } });
      expect({ user: user.username, method, status }).toEqual({ user: user.username, method, status: 403 });
    }
    expect((await api.call('GET', path, { user: alice })).body).toEqual(before);
  });

  test('who edit a flow neither own nor share it, nor clear its readers by leaving them out', async () => {
    const { project_id } = (await api.call('GET', path, { user: alice })).body as { project_id: string };
    const body = { ...sampleFlow('of the project'), project_id, readers: ['erin'] };
    const { body: flow } = await api.call('POST', '/api/v1/flows', { user: alice, body });
    const flowAt = `/api/v1/flows/${(flow as { flow_id: string }).flow_id}`;
    for (const change of [{ owner: 'bob' }, { readers: ['bob'] }, { readers: [] }, { readers: null }])
      expect((await api.call('PATCH', flowAt, { user: bob, body: change })).status).toBe(403);
    const { readers: _none, ...withoutReaders } = body;
    const { status, body: replaced } = await api.call('PUT', flowAt, { user: bob, body: withoutReaders });
    expect([status, replaced]).toEqual([200, expect.objectContaining({ owner: 'alice', readers: ['erin'] })]);
  });
});

test('identity maps look the same to users whether they exist or not, and none is written', async () => {
  const map = { places: ['file:/srv/docs'], accounts: [], groups: [] };
  const { status } = await api.call('PUT', '/api/v1/identity-maps/known', { user: carol, body: map });
  expect(status).toBe(200);
  for (const name of ['known', 'unknown'])
    for (const [method, path] of [
      ['GET', ''],
      ['PUT', ''],
      ['DELETE', ''],
      ['POST', '/sync'],
      ['GET', '/identities'],
    ]) {
      const body = method === 'PUT' ? map : undefined;
      const refused = await api.call(method ?? '', `/api/v1/identity-maps/${name}${path}`, { user: alice, body });
      expect({ name, method, path, status: refused.status }).toEqual({ name, method, path, status: 403 });
    }
});

test('a judged query of somebody else is removed by nobody, and looks as if it did not exist', async () => {
  const body = { query: 'budget', document_id: 'of-alice', is_relevant: true };
  const { body: marked } = await api.call('POST', '/api/v1/judged-queries', { user: alice, body });
  const { query_id: id } = marked as { query_id: string };
  const remove = (which: string) => api.call('DELETE', `/api/v1/judged-queries/${which}`, { user: bob });
  const [foreign, none] = [await remove(id), await remove('0'.repeat(32))];
  expect([foreign.status, none.status]).toEqual([404, 404]);
  expect((await api.call('POST', '/api/v1/judged-queries', { user: bob, body })).status).toBe(404);
  const { body: page } = await api.call('GET', '/api/v1/judged-queries', { user: alice });
  expect(page).toMatchObject({ total: 1 });
});
