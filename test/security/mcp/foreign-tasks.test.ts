import { memoryConversion } from '../../support/api/conversion-services';
import { alice, bob, sampleFlow, startApi, type TestApi } from '../../support/api/server';

/** The Model Context Protocol for callers who name sessions, requests, tasks and resources of others, or whose login has ended. */
const conversion = memoryConversion();
let api: TestApi;
beforeAll(async () => {
  api = await startApi({ conversion: conversion.services }, { adminGroups: ['admins'] });
});
afterAll(() => api.close());

interface Answer {
  status: number;
  result?: Record<string, unknown>;
  error?: { code: number; message: string };
  text: string;
}

async function ask(token: string, message: object, headers: Record<string, string> = {}): Promise<Answer> {
  const response = await fetch(`${api.url}/mcp`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', ...message }),
  });
  const text = await response.text();
  const events = [...text.matchAll(/^data: (.+)$/gm)].map(([, data = '']) => JSON.parse(data) as object);
  const messages = text.startsWith('{') ? [JSON.parse(text) as object] : events;
  const answer = (messages.find((item) => 'id' in item) ?? {}) as Pick<Answer, 'result' | 'error'>;
  return { status: response.status, text, ...answer };
}

const initialize = {
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};
const file = { filename: 'page.html', content_base64: Buffer.from('<p>canary</p>').toString('base64') };

async function startTask(token: string, name = 'convert_document', input: object = file): Promise<string> {
  const params = { name, arguments: input, task: { ttl: 60_000 } };
  const { result } = await ask(token, { id: 2, method: 'tools/call', params });
  return (result as { task: { taskId: string } }).task.taskId;
}

test('a session is nothing: none is given, and the id of another one changes nothing for its sender', async () => {
  const [own, other] = [api.tokenOf(alice), api.tokenOf(bob)];
  const response = await fetch(`${api.url}/mcp`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${own}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', ...initialize }),
  });
  await response.text();
  expect(response.headers.get('mcp-session-id')).toBeNull();
  const { text } = await ask(other, { id: 3, method: 'resources/list', params: {} }, { 'Mcp-Session-Id': 'alice' });
  expect(text).not.toContain('of-alice');
  for (const method of ['GET', 'DELETE']) {
    const { status } = await fetch(`${api.url}/mcp`, {
      method,
      headers: { Authorization: `Bearer ${other}`, Accept: 'text/event-stream', 'Mcp-Session-Id': 'alice' },
    });
    expect(status).toBeGreaterThanOrEqual(400);
  }
});

test('nobody cancels a call or a task of somebody else, not even with its id', async () => {
  conversion.atOnce = false;
  const taskId = await startTask(api.tokenOf(alice));
  const states = async () => {
    const { result } = await ask(api.tokenOf(alice), { id: 4, method: 'tasks/get', params: { taskId } });
    return result?.['status'];
  };
  for (const id of [1, 2, '2'])
    await ask(api.tokenOf(bob), { method: 'notifications/cancelled', params: { requestId: id, reason: 'mine' } });
  for (const method of ['tasks/cancel', 'tasks/get', 'tasks/result', 'tasks/update'])
    expect((await ask(api.tokenOf(bob), { id: 5, method, params: { taskId } })).text).not.toContain('"cancelled"');
  expect(await states()).toBe('working');
  await ask(api.tokenOf(alice), { id: 6, method: 'tasks/cancel', params: { taskId } });
  expect(await states()).toBe('cancelled');
  conversion.atOnce = true;
});

test('after a logout, neither a task nor its result nor a resource is read with the token', async () => {
  conversion.contents['page.html'] = 'canary of alice';
  const token = api.tokenOf({ ...alice, full_name: 'Alice who logs out' });
  const taskId = await startTask(token);
  const requests = [
    { id: 7, method: 'tasks/result', params: { taskId } },
    { id: 8, method: 'tasks/get', params: { taskId } },
    { id: 9, method: 'resources/read', params: { uri: 'docloom://documents/of-alice' } },
    { id: 10, method: 'tools/call', params: { name: 'get_document', arguments: { document_id: 'of-alice' } } },
  ];
  expect((await ask(token, requests[0]!)).text).toContain('canary of alice');
  await fetch(`${api.url}/auth/logout`, { method: 'POST', headers: { Authorization: `Bearer ${token}` } });
  for (const request of requests) {
    const { status, text } = await ask(token, request);
    expect(status).toBe(401);
    expect(text).not.toMatch(/canary|Invoice/);
  }
});

test('a result that is waited for when its reader logs out is not sent', async () => {
  conversion.atOnce = false;
  const token = api.tokenOf({ ...alice, full_name: 'Alice who leaves' });
  const { body } = await api.call('POST', '/api/v1/flows', { user: alice, body: sampleFlow('waited for') });
  const taskId = await startTask(token, 'start_flow', { flow_id: (body as { flow_id: string }).flow_id });
  const waiting = ask(token, { id: 11, method: 'tasks/result', params: { taskId } });
  await fetch(`${api.url}/auth/logout`, { method: 'POST', headers: { Authorization: `Bearer ${token}` } });
  const { result } = await waiting;
  expect(JSON.stringify(result)).toContain('UNAUTHORIZED');
  conversion.atOnce = true;
});

test('a key does by tools only what its scopes allow', async () => {
  const { body } = await api.call('POST', '/api/v1/flows', { user: alice, body: sampleFlow('by an agent') });
  const { flow_id } = body as { flow_id: string };
  const make = { user: alice, body: { name: 'agent', scopes: ['read'] } };
  const { key } = (await api.call('POST', '/api/v1/api-keys', make)).body as { key: string };
  const params = { name: 'start_flow', arguments: { flow_id } };
  expect((await ask(key, { id: 12, method: 'tools/call', params })).text).toContain('FORBIDDEN');
  expect(api.state.runs.filter((run) => run.flow_id === flow_id)).toEqual([]);
});

test('addresses of resources that lead elsewhere name no document', async () => {
  for (const id of [
    'of-alice',
    '../documents/of-alice',
    '..%2fdocuments%2fof-alice',
    '',
    '..',
    'of-alice?store=pgvector',
  ])
    for (const uri of [`docloom://documents/${id}`, `docloom://flows/${id}`, `file:///etc/passwd#${id}`]) {
      const { error, text } = await ask(api.tokenOf(bob), { id: 13, method: 'resources/read', params: { uri } });
      expect({ uri, isRefused: error !== undefined }).toEqual({ uri, isRefused: true });
      expect(text).not.toContain('Invoice');
    }
});
