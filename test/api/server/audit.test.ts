import { randomUUID } from 'node:crypto';
import { defaultConversionSettings } from '../../../api/conversion/settings';
import { isAudited } from '../../../api/http/audit';
import { routes } from '../../../api/routes';
import type { AuditEntry } from '../../../model/audit/entry';
import { alice, bob, carol, sampleFlow, startApi, type TestApi } from '../../support/api/server';

let api: TestApi;
beforeAll(async () => {
  api = await startApi({}, { adminGroups: ['admins'] });
});
afterAll(() => api.close());

const audit = async (query = '') => {
  const { status, body } = await api.call('GET', `/api/v1/audit${query}`, { user: carol });
  expect(status).toBe(200);
  return body as { items: AuditEntry[]; total: number };
};

test('a change records who made it and what was changed, but no sent content', async () => {
  const reply = await api.call('POST', '/api/v1/flows', {
    user: alice,
    body: sampleFlow('canary'),
  });
  const { flow_id } = reply.body as { flow_id: string };
  await api.call('PATCH', `/api/v1/flows/${flow_id}`, {
    user: alice,
    body: { readers: ['canary-reader'], global_config: { 'A canary, long': 1 } },
  });
  const { items } = await audit('?user=alice');
  expect(items.slice(0, 2)).toMatchObject([
    {
      user: 'alice',
      action: 'PATCH /api/v1/flows/{flow_id}',
      target: { flow_id },
      changed: ['readers', 'global_config'],
      outcome: 'OK',
    },
    { user: 'alice', action: 'POST /api/v1/flows', target: { flow_id }, changed: [], outcome: 'OK' },
  ]);
  expect(items[0]?.at).toMatch(/^\d{4}-\d\d-\d\dT/);
  expect(JSON.stringify(items)).not.toContain('canary');
});

test('searches and reads are recorded without the query; so are refusals', async () => {
  await api.call('POST', '/api/v1/documents/search', { user: bob, body: { query: 'canary words' } });
  await api.call('GET', '/api/v1/documents/nothing-of-bobs', { user: bob });
  await api.call('DELETE', `/api/v1/flows/${randomUUID()}`, { user: bob });
  const { items } = await audit('?user=bob');
  expect(items.map(({ action, outcome }) => [action, outcome])).toEqual([
    ['DELETE /api/v1/flows/{flow_id}', 'FLOW_NOT_FOUND'],
    ['GET /api/v1/documents/{document_id}', 'DOCUMENT_NOT_FOUND'],
    ['POST /api/v1/documents/search', 'OK'],
  ]);
  expect(items[1]?.target).toEqual({ document_id: 'nothing-of-bobs' });
  expect(JSON.stringify(items)).not.toContain('canary');
});

test('logins are recorded, failed ones under the given name, on one line whatever it contains', async () => {
  const username = 'mallory"}\n{"user":"carol';
  await api.call('POST', '/auth/login', { body: { username, password: 'canary password' } });
  const { items } = await audit('?action=POST%20/auth/login');
  expect(items).toMatchObject([{ user: username, outcome: 'UNAUTHORIZED' }]);
  expect(JSON.stringify(items)).not.toContain('canary');
  expect(JSON.stringify(items).split('\n')).toHaveLength(1);
});

test('only administrators read the log, by user, action, outcome and time; reading is recorded too', async () => {
  for (const user of [alice, bob]) expect((await api.call('GET', '/api/v1/audit', { user })).status).toBe(403);
  expect((await api.call('GET', '/api/v1/audit', {})).status).toBe(401);
  expect((await audit('?outcome=FORBIDDEN')).items.map(({ user }) => user)).toEqual(['bob', 'alice']);
  expect((await audit('?since=2999-01-01T00:00:00Z')).total).toBe(0);
  expect((await audit('?until=2001-01-01T01:00:00%2B02:00')).total).toBe(0);
  expect((await audit('?user=carol')).total).toBeGreaterThan(3);
  for (const query of ['?since=yesterday', '?limit=101'])
    expect((await api.call('GET', `/api/v1/audit${query}`, { user: carol })).status).toBe(400);
});

test('nobody changes or removes an entry', async () => {
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
    expect([404, 405]).toContain((await api.call(method, '/api/v1/audit', { user: carol })).status);
  expect(routes.filter(({ path }) => path.startsWith('/api/v1/audit')).map(({ method }) => method)).toEqual(['GET']);
});

test('every changing route is recorded, except those listed here', () => {
  const changes = routes.filter(({ method }) => method !== 'GET');
  expect(changes.filter((route) => !isAudited(route)).map(({ method, path }) => `${method} ${path}`)).toEqual([
    'POST /api/v1/temporal/codec/encode',
    'POST /api/v1/validation/validate_flow',
    'PUT /api/v1/document-libraries/{library_id}/uploads/{upload_id}/parts/{part}',
  ]);
});

describe('tasks of /v1', () => {
  const source = {
    sources: [{ kind: 'file', filename: 'canary.md', base64_string: Buffer.from('# canary').toString('base64') }],
  };
  const submit = (init: { user?: typeof bob; headers?: Record<string, string> }) =>
    fetch(`${service.url}/v1/convert/source/async`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        ...(init.user ? { Authorization: `Bearer ${service.tokenOf(init.user)}` } : {}),
        ...init.headers,
      },
      body: JSON.stringify(source),
    });
  let service: TestApi;
  beforeAll(async () => {
    const conversion = { ...defaultConversionSettings, apiKeys: ['canary-key'] };
    service = await startApi({}, { adminGroups: ['admins'], conversion });
  });
  afterAll(() => service.close());

  test('are recorded for user or key when they are submitted, read, cancelled and cleared', async () => {
    const { task_id } = (await (await submit({ user: bob })).json()) as { task_id: string };
    await submit({ headers: { 'X-Api-Key': 'canary-key' } });
    await submit({ headers: { 'X-Api-Key': 'wrong' } });
    const ask = (method: string, path: string, user: typeof bob) =>
      fetch(`${service.url}${path}`, { method, headers: { Authorization: `Bearer ${service.tokenOf(user)}` } });
    await ask('GET', `/v1/result/${task_id}`, alice);
    await ask('GET', `/v1/status/poll/${task_id}?wait=5`, bob);
    await ask('GET', `/v1/result/${task_id}`, bob);
    await ask('DELETE', `/v1/tasks/${task_id}`, bob);
    await ask('GET', '/v1/clear/results?older_then=0', bob);
    const { body } = await service.call('GET', '/api/v1/audit', { user: carol });
    const { items } = body as { items: AuditEntry[] };
    expect(
      items
        .toReversed()
        .map(({ user, action, target, outcome }) => [
          user.replace(/^key:[0-9a-f]{16}$/, 'key:…'),
          action,
          target['task_id'] === task_id,
          outcome,
        ]),
    ).toEqual([
      ['bob', 'POST /v1/convert/source/async', true, 'OK'],
      ['key:…', 'POST /v1/convert/source/async', false, 'OK'],
      ['alice', 'GET /v1/result/{task_id}', true, 'CONVERSION_TASK_NOT_FOUND'],
      ['bob', 'GET /v1/result/{task_id}', true, 'OK'],
      ['bob', 'DELETE /v1/tasks/{task_id}', true, 'OK'],
      ['bob', 'GET /v1/clear/results', false, 'OK'],
    ]);
    expect(JSON.stringify(items)).not.toContain('canary');
  });
});
