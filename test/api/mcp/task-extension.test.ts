import { spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import type { User } from '../../../model/access';
import { memoryConversion } from '../../support/api/conversion-services';
import { alice, bob, sampleFlow, startApi, type TestApi } from '../../support/api/server';

/** Long work as tasks of the extension `io.modelcontextprotocol/tasks` (revision 2026-07-28). */
const conversion = memoryConversion();
let api: TestApi;

beforeAll(async () => {
  api = await startApi({ conversion: conversion.services }, { adminGroups: ['admins'] });
});
afterAll(() => api.close());
beforeEach(() => {
  conversion.atOnce = true;
});

interface Answer {
  status: number;
  result?: Record<string, unknown> & { content?: { text: string }[] };
  error?: { code: number; message: string; data?: object };
}
const declared = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
const file = { filename: 'page.html', content_base64: Buffer.from('<p>hello</p>').toString('base64') };
const absent = '00000000-0000-4000-8000-000000000000';

/** The answer to a request of this revision, from a client that declares the extension unless told otherwise. */
async function ask(user: User, method: string, params: Record<string, unknown>, declares = true): Promise<Answer> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': declares ? declared : {},
  };
  const response = await fetch(`${api.url}/mcp`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${api.tokenOf(user)}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': method,
      ...('taskId' in params || 'name' in params ? { 'Mcp-Name': String(params['taskId'] ?? params['name']) } : {}),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
  });
  const body = await response.text();
  const [, data = body] = /^data: (.+)$/m.exec(body) ?? [];
  return { status: response.status, ...(JSON.parse(data) as Omit<Answer, 'status'>) };
}

async function start(user: User, name: string, input: object): Promise<string> {
  const { result } = await ask(user, 'tools/call', { name, arguments: input });
  expect(result).toMatchObject({ resultType: 'task', status: 'working' });
  return String(result?.['taskId']);
}

async function startRun(user: User, flow: string): Promise<string> {
  const { body } = await api.call('POST', '/api/v1/flows', { user, body: sampleFlow(flow) });
  return start(user, 'start_flow', { flow_id: (body as { flow_id: string }).flow_id });
}

test('the published client of the extension follows a conversion to its result', async () => {
  conversion.atOnce = false;
  conversion.contents['page.html'] = '# hello';
  const program = path.join(__dirname, '../../support/api/task-client.mjs');
  const input = [`${api.url}/mcp`, api.tokenOf(alice), 'convert_document', JSON.stringify(file)];
  const child = spawn(process.execPath, [program, ...input]);
  const complaints = text(child.stderr);
  const methods: string[] = [];
  let result: { content: { text: string }[] } | undefined;
  for await (const line of createInterface(child.stdout)) {
    if (line.startsWith('{')) result = JSON.parse(line) as typeof result;
    else methods.push(line);
    // The conversion ends only after the client has asked for its state.
    if (line === 'tasks/get') conversion.finish(conversion.requests.at(-1)?.id ?? '');
  }
  expect(await complaints).toBe('');
  expect(methods.slice(0, 2)).toEqual(['tools/call', 'tasks/get']);
  expect(result?.content[1]?.text).toBe('# hello');
});

test('the server offers the extension, and no tasks of the earlier revision', async () => {
  const { result } = await ask(alice, 'server/discover', {});
  expect(result?.['capabilities']).toMatchObject(declared);
  expect(result?.['capabilities']).not.toHaveProperty('tasks');
});

test('a conversion that is done soon is answered at once', async () => {
  conversion.contents['page.html'] = 'soon';
  const { result } = await ask(alice, 'tools/call', { name: 'convert_document', arguments: file });
  expect(result).toMatchObject({ resultType: 'complete', content: [{}, { text: 'soon' }] });
  expect(result).not.toHaveProperty('taskId');
});

test('a client that does not declare the extension gets no task, and its methods are refused', async () => {
  const { body } = await api.call('POST', '/api/v1/flows', { user: alice, body: sampleFlow('undeclared') });
  const called = { name: 'start_flow', arguments: { flow_id: (body as { flow_id: string }).flow_id } };
  const { result } = await ask(alice, 'tools/call', called, false);
  expect(result).toMatchObject({ resultType: 'complete' });
  const taskId = await startRun(alice, 'declared');
  for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
    const { error } = await ask(alice, method, { taskId, inputResponses: {} }, false);
    expect({ method, error }).toMatchObject({
      method,
      error: { code: -32021, data: { requiredCapabilities: declared } },
    });
  }
  const { status, error } = await ask(alice, 'tasks/get', { taskId }, false);
  const named = { notifications: { taskIds: [taskId] } };
  expect(await ask(alice, 'subscriptions/listen', named, false)).toMatchObject({ status, error });
});

test('a run is a task that can be followed and cancelled, more than once', async () => {
  const taskId = await startRun(alice, 'followed');
  const { result } = await ask(alice, 'tasks/get', { taskId });
  expect(result).toMatchObject({
    resultType: 'complete',
    taskId,
    status: 'working',
    ttlMs: null,
    pollIntervalMs: expect.any(Number),
    createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
  });
  expect(result).not.toHaveProperty('result');
  expect((await ask(alice, 'tasks/update', { taskId, inputResponses: { x: {} } })).result).toMatchObject({
    resultType: 'complete',
  });
  for (let time = 0; time < 2; time += 1)
    expect((await ask(alice, 'tasks/cancel', { taskId })).result).toMatchObject({ resultType: 'complete' });
  expect((await ask(alice, 'tasks/get', { taskId })).result).toMatchObject({ status: 'cancelled' });
});

test('a conversion that failed is a completed task whose result is an error', async () => {
  conversion.atOnce = false;
  const taskId = await start(alice, 'convert_document', file);
  conversion.fail(taskId.split('/').at(-1) ?? '', {
    kind: 'conversion_failed',
    message: 'It is broken.',
    details: {},
  } as never);
  expect((await ask(alice, 'tasks/get', { taskId })).result).toMatchObject({
    status: 'completed',
    result: { isError: true, content: [{ text: expect.stringContaining('It is broken.') }] },
  });
});

test('the tasks of others do not exist, nor do ids that no tool has made', async () => {
  const taskId = await startRun(alice, 'private');
  for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
    const unknown = taskId.replace(/[^/]+$/, absent);
    const [foreign, none] = await Promise.all([
      ask(bob, method, { taskId, inputResponses: {} }),
      ask(bob, method, { taskId: unknown, inputResponses: {} }),
    ]);
    expect({ method, code: foreign.error?.code }).toEqual({ method, code: -32602 });
    expect(foreign.error?.message.replaceAll(/[0-9a-f-]{36}/g, 'ID')).toBe(
      none.error?.message.replaceAll(/[0-9a-f-]{36}/g, 'ID'),
    );
    for (const id of ['x', 'start_flow/1/../../auth/me', `convert_document/1/pdf/500/${absent}`])
      expect((await ask(bob, method, { taskId: id, inputResponses: {} })).error?.code).toBe(-32602);
  }
  expect((await ask(alice, 'tasks/get', { taskId })).result).toMatchObject({ status: 'working' });
});

test('a wrong input starts no task', async () => {
  const { result } = await ask(alice, 'tools/call', { name: 'start_flow', arguments: { flow: 'x' } });
  expect(result).toMatchObject({
    isError: true,
    content: [{ text: expect.stringMatching(/^VALIDATION_ERROR: start_flow/) }],
  });
});
