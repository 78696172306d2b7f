import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { User } from '../../../model/access';
import { memoryConversion } from '../../support/api/conversion-services';
import { alice, bob, sampleFlow, startApi, type TestApi } from '../../support/api/server';

/** Long work as tasks of the protocol (revision 2025-11-25), sent as plain messages: the library has no client for them. */
const conversion = memoryConversion();
let api: TestApi;

beforeAll(async () => {
  api = await startApi({ conversion: conversion.services }, { adminGroups: ['admins'] });
});
afterAll(() => api.close());

interface Answer {
  result?: Record<string, unknown> & { task?: Task; content?: { text: string }[]; isError?: boolean; _meta?: object };
  error?: { code: number; message: string };
}
interface Task {
  taskId: string;
  status: string;
  statusMessage: string;
}

/** The answer to a message, and the notifications before it. */
async function ask(user: User, method: string, params: object): Promise<Answer & { notified: { method: string }[] }> {
  const response = await fetch(`${api.url}/mcp`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${api.tokenOf(user)}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const text = await response.text();
  const events = [...text.matchAll(/^data: (.+)$/gm)].map(([, data = '']) => JSON.parse(data) as { method: string });
  const messages = text.startsWith('{') ? [JSON.parse(text) as { method: string }] : events;
  const answer = messages.find((message) => 'id' in message) as Answer;
  return { ...answer, notified: messages.filter((message) => 'method' in message) };
}

async function start(user: User, name: string, input: object): Promise<Task> {
  const { result, error } = await ask(user, 'tools/call', { name, arguments: input, task: { ttl: 60_000 } });
  expect(error).toBeUndefined();
  return result?.task as Task;
}

const file = { filename: 'page.html', content_base64: Buffer.from('<p>hello</p>').toString('base64') };

test('the server offers tasks, and lists the tools that can run as tasks', async () => {
  const client = new Client({ name: 'test', version: '1' });
  const requestInit = { headers: { Authorization: `Bearer ${api.tokenOf(alice)}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${api.url}/mcp`), { requestInit }));
  expect(client.getServerCapabilities()?.tasks).toEqual({ cancel: {}, requests: { tools: { call: {} } } });
  const { tools } = await client.listTools();
  const may = tools.filter(({ execution }) => execution?.taskSupport === 'optional').map(({ name }) => name);
  expect(may).toEqual(['convert_document', 'start_flow']);
  await client.close();
});

test('a conversion as a task is answered at once, followed, and its result read more than once', async () => {
  conversion.contents['page.html'] = 'x'.repeat(900);
  const task = await start(alice, 'convert_document', { ...file, max_characters: 500 });
  expect(task).toEqual({
    taskId: expect.stringMatching(/^convert_document\//),
    status: expect.stringMatching(/^working|completed$/),
    statusMessage: expect.any(String),
    createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
    lastUpdatedAt: expect.stringMatching(/^\d{4}-.*Z$/),
    ttl: null,
    pollInterval: expect.any(Number),
  });
  const { taskId } = task;
  for (let reading = 0; reading < 2; reading += 1) {
    const { result } = await ask(alice, 'tasks/result', { taskId });
    expect(result?._meta).toEqual({ 'io.modelcontextprotocol/related-task': { taskId } });
    expect(JSON.parse(result?.content?.[0]?.text ?? '')).toMatchObject({ characters: 900, next_offset: 500 });
  }
  expect((await ask(alice, 'tasks/get', { taskId })).result).toMatchObject({ taskId, status: 'completed' });
});

test('a task that works can be cancelled once, and stays cancelled', async () => {
  conversion.atOnce = false;
  const { taskId, status } = await start(alice, 'convert_document', file);
  expect(status).toBe('working');
  expect((await ask(alice, 'tasks/cancel', { taskId })).result).toMatchObject({ taskId, status: 'cancelled' });
  expect((await ask(alice, 'tasks/get', { taskId })).result).toMatchObject({ status: 'cancelled' });
  expect((await ask(alice, 'tasks/cancel', { taskId })).error?.message).toContain('is cancelled');
  const { result } = await ask(alice, 'tasks/result', { taskId });
  expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('cancelled') }] });
  conversion.atOnce = true;
});

test('the result of a run includes its progress and is returned after the run has ended', async () => {
  const { body } = await api.call('POST', '/api/v1/flows', { user: alice, body: sampleFlow('as a task') });
  const { taskId } = await start(alice, 'start_flow', { flow_id: (body as { flow_id: string }).flow_id });
  const run = taskId.split('/').at(-1) ?? '';
  expect((await ask(alice, 'tasks/get', { taskId })).result).toMatchObject({ status: 'working' });
  const waiting = ask(alice, 'tasks/result', { taskId, _meta: { progressToken: 'p' } });
  await api.call('POST', `/api/v1/job_runs/${run}/cancel`, { user: alice });
  const { result } = await waiting;
  expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('cancelled') }] });
  expect((await ask(alice, 'tasks/get', { taskId })).result).toMatchObject({ status: 'cancelled' });
});

test('the tasks of others do not exist', async () => {
  const { taskId } = await start(alice, 'convert_document', file);
  const unknown = taskId.replace(/[^/]+$/, '00000000-0000-4000-8000-000000000000');
  for (const method of ['tasks/get', 'tasks/cancel']) {
    const [foreign, absent] = await Promise.all([ask(bob, method, { taskId }), ask(bob, method, { taskId: unknown })]);
    expect(foreign.error?.code).toBe(-32602);
    expect(foreign.error).toEqual(absent.error);
  }
  const { result } = await ask(bob, 'tasks/result', { taskId });
  expect(result).toMatchObject({
    isError: true,
    content: [{ text: expect.stringMatching(/^CONVERSION_TASK_NOT_FOUND/) }],
  });
});

test.each([
  '',
  'x',
  'search_documents/1/x',
  'convert_document',
  'convert_document/zzzzzzzzzzz/markdown/500/00000000-0000-4000-8000-000000000000',
  'convert_document/1/markdown/500/..%2F..%2Fready',
  'convert_document/1/pdf/500/00000000-0000-4000-8000-000000000000',
  'convert_document/1/markdown/9999999/00000000-0000-4000-8000-000000000000',
  'start_flow/1/../../auth/me',
])("the id '%s' names no task", async (taskId) => {
  const { error } = await ask(alice, 'tasks/get', { taskId });
  expect(error?.code).toBe(-32602);
});

test('other tools cannot be called as a task, and a wrong input starts none', async () => {
  const called = { name: 'list_flows', arguments: {}, task: {} };
  expect((await ask(alice, 'tools/call', called)).error?.code).toBe(-32601);
  const wrong = { name: 'start_flow', arguments: { flow: 'x' }, task: {} };
  expect((await ask(alice, 'tools/call', wrong)).error).toMatchObject({
    code: -32602,
    message: expect.stringContaining('VALIDATION_ERROR: start_flow'),
  });
});
