import { once } from 'node:events';
import pino from 'pino';
import { WebSocket } from 'ws';
import { createStatusSockets } from '../../../api/conversion/status-socket';
import { defaultApiOptions } from '../../../api/services';
import { type ConversionApi, inline, startConversion } from '../../support/api/conversion-client';
import { toFailure } from '../../support/api/conversion-services';
import { alice, emptyState, memoryServices } from '../../support/api/server';

let service: ConversionApi;
let locked: ConversionApi;
beforeAll(async () => {
  service = await startConversion();
  locked = await startConversion({ apiKeys: ['key'] });
  for (const { memory } of [service, locked]) memory.atOnce = false;
});
afterAll(() => Promise.all([service.close(), locked.close()]));

interface Message {
  message: string;
  task?: { task_id: string; task_status: string; task_position: number | null };
  error: string | null;
}

/** A socket whose messages are kept. */
function watch(path: string, from = service, headers: Record<string, string> = {}) {
  const socket = new WebSocket(`${from.url.replace('http', 'ws')}${path}`, { headers });
  const messages: Message[] = [];
  socket.on('message', (data) => messages.push(JSON.parse((data as Buffer).toString('utf8')) as Message));
  const closed = once(socket, 'close').then(([code, reason]) => ({ code: Number(code), reason: String(reason) }));
  const reach = async (count: number) => {
    while (messages.length < count) await once(socket, 'message');
  };
  return { socket, messages, closed, reach };
}

async function submit(from = service, headers: Record<string, string> = {}): Promise<string> {
  const { body } = await from.send('POST', '/v1/convert/source/async', {
    json: { sources: [inline('a.md')] },
    headers,
  });
  return (body as { task_id: string }).task_id;
}

/** The status and body that a handshake is refused with. */
async function refusal(path: string, from: ConversionApi): Promise<{ status: number; text: string }> {
  const socket = new WebSocket(`${from.url.replace('http', 'ws')}${path}`);
  socket.on('error', () => undefined);
  const [, response] = (await once(socket, 'unexpected-response')) as [unknown, import('node:http').IncomingMessage];
  let text = '';
  for await (const part of response) text += String(part);
  return { status: response.statusCode ?? 0, text };
}

describe('WebSocket /v1/status/ws/{task_id}', () => {
  test('connection, an update at once, one per change, and 1000 after the last', async () => {
    const id = await submit();
    const { messages, closed, reach } = watch(`/v1/status/ws/${id}`);
    await reach(2);
    service.memory.change(id, { task_status: 'started', task_position: null });
    await reach(3);
    service.memory.finish(id);
    expect(await closed).toEqual({ code: 1000, reason: '' });
    for (const message of messages) expect(Object.keys(message)).toEqual(['message', 'task', 'error']);
    expect(messages.map(({ message, task }) => [message, task?.task_status])).toEqual([
      ['connection', 'pending'],
      ['update', 'pending'],
      ['update', 'started'],
      ['update', 'success'],
    ]);
    expect(Object.keys(messages[0]?.task ?? {})).toHaveLength(7);
  });

  test('a finished task: connection, update, 1000', async () => {
    const id = await submit();
    service.memory.fail(id, toFailure({}));
    const { messages, closed } = watch(`/v1/status/ws/${id}`);
    expect((await closed).code).toBe(1000);
    expect(messages.map(({ message, task }) => [message, task?.task_status])).toEqual([
      ['connection', 'failure'],
      ['update', 'failure'],
    ]);
  });

  test('an unknown task: an error without a task, 1000', async () => {
    const { messages, closed } = watch('/v1/status/ws/0b8c0f6e-0000-4000-8000-000000000000');
    expect((await closed).code).toBe(1000);
    expect(messages).toEqual([{ message: 'error', error: 'Task not found.' }]);
  });

  test('a client that requests the next update gets the same one again after a second', async () => {
    const id = await submit();
    const { socket, messages, reach } = watch(`/v1/status/ws/${id}`);
    await reach(2);
    const requestedAt = performance.now();
    socket.send('next');
    await reach(3);
    expect(performance.now() - requestedAt).toBeGreaterThan(900);
    expect(messages[2]).toEqual(messages[1]);
    socket.close();
  });

  test('many requests for the next update get one, and a change is sent immediately in place of it', async () => {
    const id = await submit();
    const { socket, messages, closed, reach } = watch(`/v1/status/ws/${id}`);
    await reach(2);
    for (let sent = 0; sent < 100; sent += 1) socket.send(sent % 2 === 0 ? 'next' : '{"type":"ping"}');
    await reach(3);
    for (let sent = 0; sent < 100; sent += 1) socket.send('next');
    service.memory.change(id, { task_status: 'started', task_position: null });
    await reach(4);
    service.memory.finish(id);
    expect((await closed).code).toBe(1000);
    expect(messages.map(({ message, task }) => [message, task?.task_status])).toEqual([
      ['connection', 'pending'],
      ['update', 'pending'],
      ['update', 'pending'],
      ['update', 'started'],
      ['update', 'success'],
    ]);
  });

  test('the address below /v1alpha is the same', async () => {
    const id = await submit();
    const { socket, reach, messages } = watch(`/v1alpha/status/ws/${id}`);
    await reach(2);
    expect(messages[0]?.message).toBe('connection');
    socket.close();
  });

  test('a key is required at the handshake, in the query or in a header', async () => {
    const id = await submit(locked, { 'X-Api-Key': 'key' });
    expect(await refusal(`/v1/status/ws/${id}`, locked)).toEqual({
      status: 401,
      text: '{"detail":"Api key is required as the ?api_key=SECRET query parameter."}',
    });
    expect((await refusal(`/v1/status/ws/${id}?api_key=wrong`, locked)).status).toBe(401);
    for (const [query, headers] of [
      ['?api_key=key', {}],
      ['', { 'X-Api-Key': 'key' }],
      ['', { Authorization: 'Bearer key' }],
    ] as const) {
      const { socket, reach } = watch(`/v1/status/ws/${id}${query}`, locked, { ...headers });
      await reach(2);
      socket.close();
    }
  });

  test('the tenant is given by tenant_id or the header; tasks of other tenants do not exist', async () => {
    const id = await submit(service, { 'X-Tenant-Id': 'one' });
    const own = watch(`/v1/status/ws/${id}?tenant_id=one`);
    await own.reach(2);
    own.socket.close();
    const byHeader = watch(`/v1/status/ws/${id}`, service, { 'X-Tenant-Id': 'one' });
    await byHeader.reach(2);
    byHeader.socket.close();
    const other = watch(`/v1/status/ws/${id}?tenant_id=two`);
    expect((await other.closed).code).toBe(1000);
    expect(other.messages).toEqual([{ message: 'error', error: 'Task not found.' }]);
  });

  test('another address is rejected', async () => {
    expect((await refusal('/v1/status/poll/1', service)).status).toBe(404);
  });

  test('a stopping server closes with a code after which clients reconnect', async () => {
    const stopping = await startConversion();
    stopping.memory.atOnce = false;
    const id = await submit(stopping);
    const { closed, reach } = watch(`/v1/status/ws/${id}`, stopping);
    await reach(2);
    await stopping.close();
    expect((await closed).code).toBe(1012);
  });

  test('a client that does not answer pings is disconnected', async () => {
    const { api } = service;
    const { url, close } = await startQuick({ pingMs: 30 });
    const id = await submit();
    const socket = new WebSocket(`${url}/v1/status/ws/${id}`, { autoPong: false });
    await once(socket, 'close');
    close();
    expect(api.logs.some((line) => line.includes('watch ended'))).toBe(false);
  });

  test('a connection ends with the token that opened it', async () => {
    const services = memoryServices(emptyState());
    const { url, close } = await startQuick({ checkMs: 30 }, services);
    const token = services.tokens.issue(alice);
    const headers = { Authorization: `Bearer ${token}` };
    const id = await submit(service, { Authorization: `Bearer ${service.api.tokenOf(alice)}` });
    const { closed, reach } = watch(`/v1/status/ws/${id}`, { ...service, url }, headers);
    await reach(2);
    const { tokenId, expiresAt } = services.tokens.verify(token);
    await services.revocations.revoke(tokenId, expiresAt);
    expect(await closed).toEqual({ code: 1008, reason: 'Your login has ended.' });
    close();
  });
});

/** Sockets with other intervals, on a server of their own. */
async function startQuick(intervals: { pingMs?: number; checkMs?: number }, services = memoryServices(emptyState())) {
  const quick = createStatusSockets({
    services: { ...services, conversion: service.memory.services },
    options: { ...defaultApiOptions, logger: pino({ level: 'silent' }) },
    ...intervals,
  });
  const { createServer } = await import('node:http');
  const server = createServer().on('upgrade', (request, socket, head) => quick.upgrade(request, socket, head));
  server.listen(0);
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const close = () => {
    quick.close();
    server.close();
  };
  return { url: `ws://127.0.0.1:${port}`, close };
}
