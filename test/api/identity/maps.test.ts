import type { IdentityMapReply } from '../../../model/identity/map';
import { memoryIdentities } from '../../support/api/identity-services';
import { alice, bob, emptyState, memoryServices, startApi, type TestApi } from '../../support/api/server';

const root = { ...alice, username: 'root', groups: ['administrators'] };
const requests: { map: string; by: string }[] = [];
let api: TestApi;
beforeAll(async () => {
  const services = memoryServices(emptyState(), ['administrators']);
  api = await startApi({ ...services, ...memoryIdentities(requests) }, { adminGroups: ['administrators'] });
});
afterAll(() => api.close());

const put = (name: string, body: object, user = root) =>
  api.call('PUT', `/api/v1/identity-maps/${name}`, { user, body });
const input = {
  places: ['file:/srv/share'],
  accounts: [{ id: '1001', name: 'alice' }, { id: '1002' }],
  match: [{ by: 'name' }],
};

test('a map with accounts applies as soon as it is stored, and the reply lists accounts without a login', async () => {
  const { status, body } = await put('share', input);
  expect([status, body]).toMatchObject([
    200,
    { map_id: 'share', updated_by: 'root', sync: { mapped: 1, unmapped: 1 } },
  ]);
  expect(JSON.stringify(body)).not.toContain('1001');
  const listed = await api.call('GET', '/api/v1/identity-maps/share/identities?state=unmapped', { user: root });
  expect(listed.body).toMatchObject({ total: 1, items: [{ account: '1002', login: null, state: 'unmapped' }] });
});

test('a map of the machine is synchronized by a worker', async () => {
  expect((await put('machine', { places: [], directory: 'system' })).status).toBe(200);
  const again = await api.call('POST', '/api/v1/identity-maps/machine/sync', { user: root });
  expect([again.status, (again.body as IdentityMapReply).sync.synced_at]).toEqual([202, null]);
  expect(requests).toEqual([
    { map: 'machine', by: 'root' },
    { map: 'machine', by: 'root' },
  ]);
});

test('only administrators see, write, synchronize and remove maps, whether they exist or not', async () => {
  await put('share', input);
  for (const name of ['share', 'absent'])
    for (const [method, path, body] of [
      ['GET', name],
      ['GET', `${name}/identities`],
      ['PUT', name, { places: [], pairs: [{ account: '1001', login: 'bob' }] }],
      ['POST', `${name}/sync`],
      ['DELETE', name],
    ] as const) {
      const answer = await api.call(method, `/api/v1/identity-maps/${path}`, { user: bob, ...(body ? { body } : {}) });
      expect([path, answer.status, JSON.stringify(answer.body)]).toEqual([
        path,
        403,
        expect.not.stringContaining('1001'),
      ]);
    }
});

test('names, accounts and places that could be mistaken for others are rejected', async () => {
  const refused = async (name: string, body: object) => (await put(name, { places: [], ...body })).status;
  expect(await refused('login', {})).toBe(400);
  expect(await refused('a:b', {})).toBe(400);
  expect(await refused('Share', {})).toBe(400);
  expect(await refused('x', { accounts: [{ id: '*' }] })).toBe(400);
  expect(await refused('x', { accounts: [{ id: ' 1' }] })).toBe(400);
  expect(await refused('x', { groups: [{ id: 'a*b' }] })).toBe(200);
  expect(
    await refused('x', {
      accounts: [
        { id: '1', name: 'a' },
        { id: '1', name: 'b' },
      ],
    }),
  ).toBe(400);
  expect(
    await refused('x', {
      pairs: [
        { account: '1', login: 'a' },
        { account: '1', login: 'b' },
      ],
    }),
  ).toBe(400);
  expect(await refused('x', { places: ['/srv/share'] })).toBe(400);
  expect(await refused('x', { unknown: 1 })).toBe(400);
});

test('a map that does not exist is not found', async () => {
  for (const [method, path] of [
    ['GET', 'none'],
    ['DELETE', 'none'],
    ['GET', 'none/identities'],
    ['POST', 'none/sync'],
  ] as const)
    expect((await api.call(method, `/api/v1/identity-maps/${path}`, { user: root })).status).toBe(404);
});
