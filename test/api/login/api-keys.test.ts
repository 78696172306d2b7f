import { defaultConversionSettings } from '../../../api/conversion/settings';
import { getScope } from '../../../api/login/key-session';
import { routes } from '../../../api/routes';
import { createClient } from '../../../client';
import type { User } from '../../../model/access';
import type { AuditEntry } from '../../../model/audit/entry';
import type { ApiKeyCreated, KeyScope } from '../../../model/login/wire-keys';
import { alice, bob, carol, sampleFlow, startApi, type TestApi } from '../../support/api/server';

let api: TestApi;
let now: Date;
beforeEach(async () => {
  now = new Date();
  api = await startApi({ clock: () => now }, { adminGroups: ['admins'] });
});
afterEach(() => api.close());

const make = async (
  scopes: KeyScope[],
  { user = alice, ...further }: { user?: User; service_account?: string } = {},
) => {
  const { status, body } = await api.call('POST', '/api/v1/api-keys', {
    user,
    body: { name: 'test', scopes, expires_in_days: 30, ...further },
  });
  expect(status).toBe(201);
  return body as ApiKeyCreated;
};
const ask = async (key: string, method: string, path: string, body?: unknown) =>
  api.call(method, path, { body, headers: { Authorization: `Bearer ${key}` } });

test('a key acts as its owner within its scopes, and none includes another', async () => {
  const keys = { read: await make(['read']), run: await make(['run']), write: await make(['write']) };
  const { body } = await ask(keys.write.key, 'POST', '/api/v1/flows', sampleFlow('by key'));
  const { flow_id, owner } = body as { flow_id: string; owner: string };
  expect(owner).toBe('alice');
  const requests: Record<string, readonly [string, string, unknown?]> = {
    read: ['GET', `/api/v1/flows/${flow_id}`],
    run: ['POST', '/api/v1/job_runs', { flow_id }],
    write: ['PATCH', `/api/v1/flows/${flow_id}`, { tags: ['x'] }],
  };
  for (const [scope, { key }] of Object.entries(keys))
    for (const [needed, [method, path, sent]] of Object.entries(requests)) {
      const { status } = await ask(key, method, path, sent);
      expect({ scope, needed, isRefused: status === 403 }).toEqual({ scope, needed, isRefused: scope !== needed });
    }
  expect((await ask(keys.read.key, 'POST', '/api/v1/documents/search', {})).status).toBe(200);
  const refused = await ask(keys.read.key, 'DELETE', `/api/v1/flows/${flow_id}`);
  expect(JSON.stringify(refused.body)).toContain("needs an API key with the scope 'write'; this one has 'read'");
});

test('an expired, revoked, altered or unknown key is rejected with the same message', async () => {
  const expiring = await make(['read']);
  const revoked = await make(['read']);
  await api.call('DELETE', `/api/v1/api-keys/${revoked.key_id}`, { user: alice });
  const altered = `${expiring.key.slice(0, -1)}${expiring.key.endsWith('A') ? 'B' : 'A'}`;
  const unknown = expiring.key.replace(expiring.key_id, 'ffffffff-ffff-4fff-8fff-ffffffffffff');
  expect((await ask(expiring.key, 'GET', '/auth/me')).body).toMatchObject({ username: 'alice' });
  now = new Date(now.getTime() + 31 * 86_400_000);
  const messages = new Set<string>();
  for (const key of [expiring.key, revoked.key, altered, unknown, `${expiring.key}x`, 'docloom_key_']) {
    const { status, body } = await ask(key, 'GET', '/auth/me');
    expect(status).toBe(401);
    messages.add((body as { errors: { message: string }[] }).errors[0]?.message ?? '');
  }
  expect([...messages]).toEqual(['The API key is unknown, expired or revoked.']);
});

test('keys cannot create keys or service accounts, or log out, whatever their scopes', async () => {
  const { key } = await make(['read', 'run', 'write', 'admin'], { user: carol });
  for (const { method, path } of routes.filter((route) => getScope(route) === 'login')) {
    const body = path.endsWith('api-keys') ? { name: 'x', scopes: ['read'] } : { account_name: 'service:x' };
    const { status } = await ask(
      key,
      method,
      path,
      path.startsWith('/api/v1/a') || path.includes('service') ? body : undefined,
    );
    expect({ path, status }).toEqual({ path, status: 403 });
  }
});

test('a key of an administrator has administrator rights with the scope admin only; others cannot get such a key', async () => {
  await api.call('POST', '/api/v1/flows', { user: alice, body: sampleFlow('of alice') });
  const [flow] = api.state.flows;
  const plain = await make(['read'], { user: carol });
  const full = await make(['read', 'admin'], { user: carol });
  expect((await ask(plain.key, 'GET', `/api/v1/flows/${flow?.flow_id}`)).status).toBe(404);
  expect((await ask(plain.key, 'GET', '/api/v1/audit')).status).toBe(403);
  expect((await ask(full.key, 'GET', '/api/v1/audit')).status).toBe(200);
  const body = { name: 'x', scopes: ['read', 'admin'] };
  expect((await api.call('POST', '/api/v1/api-keys', { user: alice, body })).status).toBe(403);
});

test('the rights are those of the latest login, not those at creation of the key', async () => {
  const demoted = await startApi(
    { clock: () => now, directory: { login: async () => ({ ...carol, groups: [] }) } },
    { adminGroups: ['admins'] },
  );
  const create = () =>
    demoted.call('POST', '/api/v1/api-keys', { user: carol, body: { name: 'x', scopes: ['read', 'admin'] } });
  const { key } = (await create()).body as ApiKeyCreated;
  const audit = async (of: string) =>
    (await demoted.call('GET', '/api/v1/audit', { headers: { Authorization: `Bearer ${of}` } })).status;
  expect(await audit(key)).toBe(200);
  await demoted.call('POST', '/auth/login', { body: { username: 'carol', password: 'right' } });
  expect(await audit(key)).toBe(403);
  // A token from before that login does not bring the rights back.
  expect(await audit(((await create()).body as ApiKeyCreated).key)).toBe(403);
  await demoted.close();
});

test('service accounts: administrators create them and their keys; they own nothing of others and are removed at once', async () => {
  const admin = createClient({ baseUrl: api.url, token: api.tokenOf(carol) });
  await admin.serviceAccounts.create({ account_name: 'service:ci', description: 'Builds.' });
  await expect(admin.serviceAccounts.create({ account_name: 'service:ci' })).rejects.toMatchObject({ status: 409 });
  const { key, owner } = await make(['read', 'write'], { user: carol, service_account: 'service:ci' });
  expect(owner).toBe('service:ci');
  const program = createClient({ baseUrl: api.url, token: key });
  const { flow_id } = await program.flows.create(sampleFlow('of ci'));
  await api.call('POST', '/api/v1/flows', { user: bob, body: sampleFlow('of bob') });
  expect((await program.flows.list()).flows.map((flow) => flow.flow_id)).toEqual([flow_id]);
  const { apiKeys } = createClient({ baseUrl: api.url, token: api.tokenOf(bob) });
  const ofService = { name: 'mine', scopes: ['read' as const], service_account: 'service:ci' };
  await expect(apiKeys.create(ofService)).rejects.toMatchObject({ status: 403 });
  expect((await apiKeys.list({ owner: 'service:ci' })).total).toBe(0);
  const asAdmin = { ...ofService, scopes: ['admin' as const] };
  await expect(admin.apiKeys.create(asAdmin)).rejects.toMatchObject({ status: 403 });
  await admin.serviceAccounts.remove('service:ci');
  await expect(program.me()).rejects.toMatchObject({ status: 401 });
  expect((await admin.apiKeys.list({ owner: 'service:ci' })).total).toBe(0);
});

test('no directory or provider can claim the name of a service account', async () => {
  const claiming = await startApi({ directory: { login: async () => ({ ...bob, username: 'service:ci' }) } });
  const body = { username: 'service:ci', password: 'right' };
  expect((await claiming.call('POST', '/auth/login', { body })).status).toBe(401);
  await claiming.close();
});

test('the audit log names the key; lists and replies never show it again; its last use is reported', async () => {
  const { key, key_id } = await make(['write']);
  await ask(key, 'POST', '/api/v1/flows', sampleFlow('by key'));
  await ask(key, 'POST', '/api/v1/job_runs', { flow_id: api.state.flows[0]?.flow_id });
  const entries = (await api.call('GET', '/api/v1/audit', { user: carol })).body as { items: AuditEntry[] };
  expect(entries.items.slice(0, 2)).toMatchObject([
    { user: 'alice', api_key: key_id, action: 'POST /api/v1/job_runs', outcome: 'FORBIDDEN' },
    { user: 'alice', api_key: key_id, action: 'POST /api/v1/flows', outcome: 'OK' },
  ]);
  const list = await api.call('GET', '/api/v1/api-keys', { user: alice });
  expect(list.body).toMatchObject({ items: [{ key_id, last_used_at: now.toISOString() }], total: 1 });
  const secret = key.slice(-43);
  for (const text of [JSON.stringify(list.body), JSON.stringify(entries), api.logs.join('\n')])
    expect(text).not.toContain(secret);
});

test('conversions take a key with the scope run, as its owner', async () => {
  await api.close();
  const closed = { ...defaultConversionSettings, isOpen: false, apiKeys: ['of the settings'] };
  api = await startApi({}, { conversion: closed });
  const getStatus = async (key: string) => {
    const headers = { Authorization: `Bearer ${key}` };
    return (await fetch(`${api.url}/v1/status/poll/11111111-1111-4111-8111-111111111111`, { headers })).status;
  };
  expect(await getStatus((await make(['read'])).key)).toBe(401);
  expect(await getStatus((await make(['run'])).key)).toBe(404);
});
