import { alice, bob, carol, startApi, type TestApi } from '../../support/api/server';

let api: TestApi;
beforeEach(async () => {
  api = await startApi({}, { adminGroups: ['admins'] });
});
afterEach(() => api.close());

interface Page {
  items: { session_id: string; username: string; is_current: boolean; user_agent: string; client_address: string }[];
}

async function logIn(): Promise<string> {
  const { body } = await api.call('POST', '/auth/login', { body: { username: 'alice', password: 'right' } });
  return `Bearer ${(body as { access_token: string }).access_token}`;
}
const listOf = async (Authorization: string, query = '') =>
  ((await api.call('GET', `/api/v1/sessions${query}`, { headers: { Authorization } })).body as Page).items;

test('a user sees where they are logged in, ends one session, and its token is rejected', async () => {
  const [desk, phone] = [await logIn(), await logIn()];
  await api.call('GET', '/auth/me', { headers: { Authorization: phone, 'User-Agent': `phone ${'x'.repeat(500)}` } });
  const sessions = await listOf(desk);
  expect(sessions.map(({ username }) => username)).toEqual(['alice', 'alice']);
  expect(sessions.filter(({ is_current }) => is_current)).toHaveLength(1);
  const other = sessions.find(({ is_current }) => !is_current);
  expect(other?.user_agent).toHaveLength(200);
  expect(other?.client_address).toMatch(/127\.0\.0\.1/);
  const ended = await api.call('DELETE', `/api/v1/sessions/${other?.session_id}`, { headers: { Authorization: desk } });
  expect(ended.status).toBe(204);
  expect((await api.call('GET', '/auth/me', { headers: { Authorization: phone } })).status).toBe(401);
  expect(await listOf(desk)).toHaveLength(1);
  const again = await api.call('DELETE', `/api/v1/sessions/${other?.session_id}`, { headers: { Authorization: desk } });
  expect(again).toMatchObject({ status: 404, body: { errors: [{ code: 'SESSION_NOT_FOUND' }] } });
});

test('others neither see nor end a session, and cannot tell it from one that does not exist; administrators can', async () => {
  const desk = await logIn();
  const [own] = await listOf(desk);
  await api.call('GET', '/auth/me', { user: bob });
  for (const query of ['', '?username=alice']) {
    const { body } = await api.call('GET', `/api/v1/sessions${query}`, { user: bob });
    expect((body as Page).items.filter(({ username }) => username !== 'bob')).toEqual([]);
  }
  const [theirs, absent] = await Promise.all(
    [own?.session_id, 'never-was'].map(async (id) => {
      const { status, body } = await api.call('DELETE', `/api/v1/sessions/${id}`, { user: bob });
      const { errors } = body as { errors: object };
      return JSON.stringify([status, errors]).replaceAll(String(id), 'ID');
    }),
  );
  expect(theirs).toBe(absent);
  expect((await api.call('GET', '/auth/me', { headers: { Authorization: desk } })).status).toBe(200);
  const all = (await api.call('GET', '/api/v1/sessions', { user: carol })).body as Page;
  expect(all.items.map(({ username }) => username)).toEqual(expect.arrayContaining(['alice', 'bob', 'carol']));
  expect((await api.call('DELETE', `/api/v1/sessions/${own?.session_id}`, { user: carol })).status).toBe(204);
  expect((await api.call('GET', '/auth/me', { headers: { Authorization: desk } })).status).toBe(401);
});

test('no API key lists or ends sessions, whatever its scopes', async () => {
  const created = await api.call('POST', '/api/v1/api-keys', {
    user: alice,
    body: { name: 'all', scopes: ['read', 'run', 'write'] },
  });
  const Authorization = `Bearer ${(created.body as { key: string }).key}`;
  const [own] = await listOf(await logIn());
  expect((await api.call('GET', '/api/v1/sessions', { headers: { Authorization } })).status).toBe(403);
  const { status } = await api.call('DELETE', `/api/v1/sessions/${own?.session_id}`, { headers: { Authorization } });
  expect(status).toBe(403);
});
