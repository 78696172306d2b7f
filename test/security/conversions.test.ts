import { once } from 'node:events';
import { WebSocket } from 'ws';
import { readConversionSettings, refuseOpenService } from '../../api/conversion/settings';
import { readConfig } from '../../model/config';
import { startConversion, inline, getFile, type ConversionApi } from '../support/api/conversion-client';
import { alice, bob } from '../support/api/server';

/** Attacks on the conversions of others: listing, reading, deleting and clearing them, and being given their ids. */
let service: ConversionApi;
afterEach(() => service.close());

const submit = async (headers: Record<string, string> = {}, name = 'secret.md') => {
  const { body } = await service.send('POST', '/v1/convert/source/async', {
    json: { sources: [inline(name)] },
    headers,
  });
  return (body as { task_id: string }).task_id;
};
const bearer = (user: typeof alice) => ({ Authorization: `Bearer ${service.api.tokenOf(user)}` });
const listed = async (headers: Record<string, string>, query = '') =>
  ((await service.send('GET', `/v1/tasks${query}`, { headers })).body as { tasks: { task_id: string }[] }).tasks.map(
    ({ task_id }) => task_id,
  );
const ways = (id: string) =>
  [
    ['GET', `/v1/status/poll/${id}`],
    ['GET', `/v1/status/${id}`],
    ['GET', `/v1alpha/result/${id}`],
    ['GET', `/v1/result/${id}`],
    ['DELETE', `/v1/tasks/${id}`],
  ] as const;
const expectHidden = async (id: string, headers: Record<string, string>) => {
  for (const [method, path] of ways(id))
    expect([method, path, (await service.send(method, path, { headers })).status]).toEqual([method, path, 404]);
  expect(await listed(headers)).not.toContain(id);
};

describe('an open service', () => {
  beforeEach(async () => {
    service = await startConversion();
  });

  test.each<[string, Record<string, string>]>([
    ['nothing', {}],
    ['the tenant', { 'X-Tenant-Id': 'default' }],
    ['a made-up key', { 'X-Api-Key': 'key' }],
    ['a made-up token', { Authorization: 'Bearer a.b.c' }],
  ])('reveals no tasks of others: a list with %s is empty', async (_name, headers) => {
    const id = await submit();
    expect(await listed(headers)).toEqual([]);
    expect(await listed(headers, '?state=success&limit=1000')).toEqual([]);
    // The id alone grants access to the task.
    expect((await service.send('GET', `/v1/result/${id}`)).status).toBe(200);
  });

  test.each<Record<string, string>>([
    {},
    { 'X-Api-Key': 'key' },
    { 'X-Tenant-Id': 'default' },
    { Authorization: 'Bearer a.b.c' },
  ])('clears nothing for callers it does not know: %j', async (headers) => {
    const id = await submit();
    for (const path of ['/v1/clear/results?older_then=0', '/v1alpha/clear/results', '/v1/clear/results/'])
      expect((await service.send('GET', path, { headers })).status).toBe(403);
    expect((await service.send('GET', `/v1/result/${id}`)).status).toBe(200);
  });

  test.each(['1', 'order-17', ''])('returns no task of others for the idempotency key %j', async (key) => {
    const of = (text: string) => ({ json: { sources: [inline('a.md', text)] }, headers: { 'Idempotency-Key': key } });
    const send = async (text: string) =>
      ((await service.send('POST', '/v1/convert/source/async', of(text))).body as { task_id: string }).task_id;
    const form = async (text: string) =>
      (
        (
          await service.send('POST', '/v1/convert/file/async', {
            form: [['files', getFile('a.md', text)]],
            headers: { 'Idempotency-Key': key },
          })
        ).body as { task_id: string }
      ).task_id;
    const own = await send('the text of one');
    // A different request with a used key is rejected, whoever sends it.
    const isRefused = key !== '';
    expect((await send('the text of two')) === undefined).toBe(isRefused);
    expect((await form('THE TEXT OF ONE')) === undefined).toBe(isRefused);
    expect((await send('the text of one')) === own).toBe(key !== '');
  });

  test('hides the tasks of logged-in users from everybody else', async () => {
    const id = await submit(bearer(alice));
    await expectHidden(id, {});
    await expectHidden(id, bearer(bob));
    // Tenants that look like the scope of alice.
    for (const tenant of ['user/alice/default', 'user/alice', 'open/user/alice/default', 'alice'])
      await expectHidden(id, { 'X-Tenant-Id': tenant });
    expect(await listed(bearer(alice))).toEqual([id]);
    expect((await service.send('GET', `/v1/result/${id}`, { headers: bearer(alice) })).status).toBe(200);
    expect((await service.send('GET', '/v1/clear/results?older_then=0', { headers: bearer(bob) })).status).toBe(200);
    expect((await service.send('GET', `/v1/result/${id}`, { headers: bearer(alice) })).status).toBe(200);
  });

  test('hides the progress of the tasks of others', async () => {
    const id = await submit(bearer(alice));
    const socket = new WebSocket(
      `${service.url.replace('http', 'ws')}/v1/status/ws/${id}?tenant_id=user/alice/default`,
    );
    const [data] = (await once(socket, 'message')) as [Buffer];
    expect(JSON.parse(data.toString())).toEqual({ message: 'error', error: 'Task not found.' });
    socket.terminate();
  });
});

describe('a service with keys', () => {
  beforeEach(async () => {
    service = await startConversion({ apiKeys: ['one', 'two'] });
  });

  test('hides the tasks of one key from the other, in every tenant', async () => {
    const id = await submit({ 'X-Api-Key': 'one' });
    await expectHidden(id, { 'X-Api-Key': 'two' });
    await expectHidden(id, { Authorization: 'Bearer two' });
    await expectHidden(id, { 'X-Api-Key': 'two', 'X-Tenant-Id': 'one' });
    await expectHidden(id, bearer(alice));
    expect(await listed({ Authorization: 'Bearer one' })).toEqual([id]);
    const clear = { headers: { 'X-Api-Key': 'two' } };
    expect((await service.send('GET', '/v1/clear/results?older_then=0', clear)).status).toBe(200);
    expect((await service.send('GET', `/v1/result/${id}`, { headers: { 'X-Api-Key': 'one' } })).status).toBe(200);
  });

  test('returns no task for the idempotency key of another', async () => {
    const own = await submit({ 'X-Api-Key': 'one', 'Idempotency-Key': 'k' });
    expect(await submit({ 'X-Api-Key': 'two', 'Idempotency-Key': 'k' })).not.toBe(own);
    expect(await submit({ 'X-Api-Key': 'one', 'Idempotency-Key': 'k' })).toBe(own);
  });

  test('writes no key into a task', async () => {
    await submit({ 'X-Api-Key': 'one', 'X-Tenant-Id': 'blue' });
    expect(service.memory.requests.map(({ tenant }) => tenant)).toEqual([
      expect.stringMatching(/^key\/[0-9a-f]{16}\/blue$/),
    ]);
  });
});

describe('a service that others can reach', () => {
  const config = readConfig;
  const secret = 'a secret of at least thirty-two characters';

  test('answers no request without a token if there are no keys', async () => {
    service = await startConversion({ isOpen: false });
    const { status } = await service.send('POST', '/v1/convert/source/async', { json: { sources: [inline('a.md')] } });
    expect(status).toBe(401);
    const strangers: Record<string, string>[] = [
      { 'X-Api-Key': '' },
      { Authorization: 'Bearer x.y.z' },
      { 'X-Tenant-Id': 'default' },
    ];
    for (const headers of strangers) expect((await service.send('GET', '/v1/tasks', { headers })).status).toBe(401);
    const id = await submit(bearer(alice));
    expect(await listed(bearer(alice))).toEqual([id]);
  });

  test.each(['0.0.0.0', '::', '192.0.2.1', 'docs.example.org', '[::]', '127.0.0.1.example.org'])(
    'does not start at %s without a key or login',
    async (host) => {
      service = await startConversion();
      const refusal = expect.objectContaining({ code: 'INVALID_CONFIGURATION' });
      const attempts: Record<string, string>[] = [{}, { JWT_SECRET_KEY: secret }, { LDAP_SERVER: 'ldap://127.0.0.1' }];
      for (const env of attempts)
        expect(() => refuseOpenService(config({ ...env, DOCLOOM_HOST: host }))).toThrow(refusal);
    },
  );

  test.each<[Record<string, string>, boolean]>([
    [{ DOCLOOM_HOST: '0.0.0.0', CONVERT_SERVE_API_KEY: 'k' }, false],
    [{ DOCLOOM_HOST: '0.0.0.0', JWT_SECRET_KEY: secret, LDAP_SERVER: 'ldap://127.0.0.1' }, false],
    [{ DOCLOOM_HOST: '0.0.0.0', DOCLOOM_OPEN_SERVICE: 'yes' }, true],
    [{ DOCLOOM_HOST: '127.0.0.1' }, true],
    [{ DOCLOOM_HOST: '::1' }, true],
    [{ DOCLOOM_HOST: 'localhost' }, true],
  ])('starts with %j; open: %s', async (env, isOpen) => {
    service = await startConversion();
    const read = config(env);
    expect(() => refuseOpenService(read)).not.toThrow();
    expect(readConversionSettings(read).isOpen).toBe(isOpen);
  });
});
