import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { ApiServices } from '../../../api/services';
import { tools } from '../../../mcp/tools';
import type { User } from '../../../model/access';
import type { SearchRequest } from '../../../services/search/ports';
import { memoryConversion } from '../../support/api/conversion-services';
import { alice, bob, carol, sampleFlow, startApi, type TestApi } from '../../support/api/server';

/** The reference client of the protocol against `/mcp`: each call has exactly the rights of its token. */
const conversion = memoryConversion();
let api: TestApi;
const clients: Client[] = [];

beforeAll(async () => {
  api = await startApi({ conversion: conversion.services }, { adminGroups: ['admins'] });
});
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await api.close();
});

async function connect(user: User, at = api): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  const requestInit = { headers: { Authorization: `Bearer ${at.tokenOf(user)}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${at.url}/mcp`), { requestInit }));
  clients.push(client);
  return client;
}

async function call(user: User, name: string, input: Record<string, unknown> = {}) {
  const { content, isError = false } = await (await connect(user)).callTool({ name, arguments: input });
  const texts = (content as { type: string; text: string }[]).map(({ text }) => text);
  return { isError, texts, first: texts[0]?.startsWith('{') ? (JSON.parse(texts[0]) as never) : undefined };
}

const post = (headers: Record<string, string>, body: string, signal?: AbortSignal) =>
  fetch(`${api.url}/mcp`, {
    signal,
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers },
    body,
  });
const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });

describe('the catalogue', () => {
  it('lists every tool with a closed schema and marks those that change something', async () => {
    const { tools: listed } = await (await connect(alice)).listTools();
    expect(listed.map(({ name }) => name)).toEqual(tools.map(({ name }) => name));
    expect(listed.filter(({ inputSchema }) => inputSchema['additionalProperties'] !== false)).toEqual([]);
    const changing = listed.filter(({ annotations }) => annotations?.readOnlyHint !== true).map(({ name }) => name);
    expect(changing).toEqual(['convert_document', 'start_flow', 'cancel_run']);
  });

  it('explains to a model which input a tool expects', async () => {
    const { isError, texts } = await call(alice, 'search_documents', { qeury: 'x' });
    expect(isError).toBe(true);
    expect(texts[0]).toMatch(
      /^VALIDATION_ERROR: search_documents: the input has the unknown member 'qeury' \(did you mean 'query'\?\)\. Its members: query, mode, limit/,
    );
    expect((await call(alice, 'get_run', { run_id: 'nope' })).texts[0]).toMatch(
      /: 'run_id' must be a UUID in lower case\./,
    );
    const missing = (await call(alice, 'start_flow', {})).texts[0];
    expect(missing).toMatch(/^VALIDATION_ERROR: start_flow: 'flow_id' is missing\. Its members: flow_id/);
  });

  it('offers rerank where the server has a model for it, and where it cannot find out', async () => {
    const requests: SearchRequest[] = [];
    const search: ApiServices['search'] = {
      get: async () => undefined,
      search: async (_user, request) => {
        requests.push(request);
        return { documents: [], total: 0, limit: 8, offset: 0, has_more: false };
      },
    };
    const isOffered = async (at: TestApi) => {
      const { tools: listed } = await (await connect(alice, at)).listTools();
      const { properties = {} } = listed.find(({ name }) => name === 'search_documents')?.inputSchema ?? {};
      return 'rerank' in properties;
    };
    const broken = {
      get rerank(): boolean {
        throw new Error('the server has a problem');
      },
    };
    const hanging = new Promise<never>(() => {});
    const [withModel, unknown, silent] = await Promise.all([
      startApi({ search, searchOptions: { rerank: true } }),
      startApi({ searchOptions: broken }),
      startApi({ searchOptions: hanging as unknown as ApiServices['searchOptions'] }),
    ]);
    try {
      const offered = await Promise.all([api, withModel, unknown, silent].map((at) => isOffered(at)));
      expect(offered).toEqual([false, true, true, true]);
      const input = { query: 'invoice', rerank: true };
      await (await connect(alice, withModel)).callTool({ name: 'search_documents', arguments: input });
      expect(requests).toEqual([expect.objectContaining({ query: 'invoice', rerank: true, mode: 'hybrid' })]);
    } finally {
      await Promise.all(clients.splice(0).map((client) => client.close()));
      await Promise.all([withModel, unknown, silent].map((at) => at.close()));
    }
  });

  it('refuses a tool that does not exist', async () => {
    await expect((await connect(alice)).callTool({ name: 'rm', arguments: {} })).rejects.toThrow("no tool 'rm'");
  });
});

describe('a caller', () => {
  it('finds and reads permitted documents', async () => {
    const { first } = await call(alice, 'search_documents', { query: 'invoice' });
    expect(first).toMatchObject({ passages: [{ document_id: 'of-alice' }], total: 1, next_offset: null });
    const { texts } = await call(alice, 'get_document', { document_id: 'of-alice', max_characters: 500 });
    expect(JSON.parse(texts[0] ?? '')).toMatchObject({ form: 'markdown', offset: 0, next_offset: null });
    expect(texts[1]).toContain('key');
  });

  it('learns nothing about the documents of others', async () => {
    expect((await call(bob, 'search_documents', { query: 'invoice' })).texts.join()).not.toContain('of-alice');
    const nothing = await call(bob, 'search_documents', { query: 'invoice', filters: { document_id: 'of-alice' } });
    expect(nothing.first).toMatchObject({ total: 0, next: expect.stringContaining('Use other words') });
    const foreign = await call(bob, 'get_document', { document_id: 'of-alice' });
    const absent = await call(bob, 'get_document', { document_id: 'of-nobody' });
    expect(foreign.isError).toBe(true);
    expect(foreign.texts).toEqual(absent.texts.map((text) => text.replace('of-nobody', 'of-alice')));
    await api.call('POST', '/api/v1/flows', { user: alice, body: sampleFlow('secret flow') });
    expect((await call(bob, 'list_flows')).first).toMatchObject({ flows: [], total: 0 });
    expect((await call(alice, 'list_flows')).first).toMatchObject({ flows: [{ name: 'secret flow' }] });
  });

  it('starts a flow, follows it and cancels it; others cannot', async () => {
    const { body } = await api.call('POST', '/api/v1/flows', { user: alice, body: sampleFlow('followed') });
    const { flow_id } = body as { flow_id: string };
    const started = await call(alice, 'start_flow', { flow_id });
    const { run_id } = started.first as unknown as { run_id: string };
    expect((await call(alice, 'get_run', { run_id })).first).toMatchObject({ flow: 'followed' });
    // Until then, it is not finished.
    expect((await call(alice, 'get_run', { run_id, wait_seconds: 1 })).first).toMatchObject({ run_id });
    expect((await call(alice, 'list_failed_documents', { run_id })).first).toMatchObject({ documents: [], total: 0 });
    for (const name of ['get_run', 'cancel_run', 'list_failed_documents']) {
      const { isError, texts } = await call(bob, name, { run_id });
      expect([isError, texts[0]?.split(':')[0]]).toEqual([true, 'JOB_RUN_NOT_FOUND']);
    }
    expect((await call(bob, 'start_flow', { flow_id })).texts[0]).toMatch(/^FLOW_NOT_FOUND: .* Take the flow_id/);
    expect((await call(alice, 'cancel_run', { run_id })).isError).toBe(false);
  });

  it('is named in the audit log under the routes that the tools call', async () => {
    await call(alice, 'get_document', { document_id: 'of-alice' });
    const action = 'GET /api/v1/documents/{document_id}/markdown';
    const { body } = await api.call('GET', `/api/v1/audit?user=alice&limit=1`, { user: carol });
    expect((body as { items: object[] }).items).toEqual([
      expect.objectContaining({ user: 'alice', action, outcome: 'OK', client_address: '127.0.0.1' }),
    ]);
  });
});

describe('conversions', () => {
  const content_base64 = Buffer.from('<p>hello</p>').toString('base64');

  it('are returned in portions', async () => {
    conversion.contents['page.html'] = 'x'.repeat(900);
    const input = { filename: 'page.html', content_base64, max_characters: 500 };
    const { first, texts } = await call(alice, 'convert_document', input);
    expect(first).toMatchObject({ status: 'success', next_offset: 500, characters: 900 });
    expect(texts[1]).toHaveLength(500);
    const { task_id } = first as unknown as { task_id: string };
    const rest = await call(alice, 'get_conversion', { task_id, offset: 500 });
    expect(rest.texts[1]).toHaveLength(400);
    expect((await call(bob, 'get_conversion', { task_id })).texts[0]).toMatch(/^CONVERSION_TASK_NOT_FOUND/);
  });

  it('need an address, or a name with bytes', async () => {
    for (const input of [{}, { filename: 'a.html' }, { url: 'http://a.example/', filename: 'a', content_base64 }])
      expect((await call(alice, 'convert_document', input)).texts[0]).toMatch(/^VALIDATION_ERROR: Give either `url`/);
  });

  it('that fail say why', async () => {
    conversion.failures['broken.docx'] = 'The ZIP container is damaged.';
    const { isError, texts } = await call(alice, 'convert_document', { filename: 'broken.docx', content_base64 });
    expect([isError, texts]).toEqual([true, ['CONVERSION_FAILED: The ZIP container is damaged.']]);
  });

  it('end when they are refused, or when the connection of the call is closed', async () => {
    const url = 'http://127.0.0.1:1/';
    expect((await call(alice, 'convert_document', { url })).texts[0]).toMatch(/^VALIDATION_ERROR/);
    conversion.atOnce = false;
    const input = { filename: 'slow.html', content_base64 };
    const params = { name: 'convert_document', arguments: input };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    const closed = new AbortController();
    const waiting = post({ Authorization: `Bearer ${api.tokenOf(alice)}` }, body, closed.signal).then((r) => r.text());
    const states = async () => {
      const { body: listed } = await api.call('GET', '/v1/tasks', { user: alice });
      return (listed as { tasks: { task_status: string }[] }).tasks.map(({ task_status }) => task_status);
    };
    while (!(await states()).includes('pending')) await new Promise((resolve) => setTimeout(resolve, 10));
    closed.abort();
    await expect(waiting).rejects.toThrow(/abort/i);
    while ((await states()).includes('pending')) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(await states()).toContain('failure');
    conversion.atOnce = true;
  });
});

describe('resources', () => {
  it('are the documents that the caller may read', async () => {
    const { resources } = await (await connect(alice)).listResources();
    expect(resources.map(({ uri }) => uri)).toEqual(['docloom://documents/of-alice']);
    const { contents } = await (await connect(alice)).readResource({ uri: 'docloom://documents/of-alice' });
    expect(contents).toEqual([expect.objectContaining({ mimeType: 'text/markdown' })]);
    await expect((await connect(bob)).readResource({ uri: 'docloom://documents/of-alice' })).rejects.toThrow(
      'DOCUMENT_NOT_FOUND',
    );
    await expect((await connect(bob)).readResource({ uri: 'file:///etc/passwd' })).rejects.toThrow('no resource');
  });
});

describe('a request is rejected', () => {
  it('without a token of this installation, also with a session cookie', async () => {
    const cookie = { Cookie: `docloom_session=${api.tokenOf(alice)}` };
    const refused: Record<string, string>[] = [{}, { Authorization: 'Bearer x.y.z' }, cookie];
    for (const headers of refused) {
      const response = await post(headers, ping);
      expect(response.status).toBe(401);
      expect(response.headers.get('WWW-Authenticate')).toMatch(/^Bearer/);
    }
  });

  it('from a foreign page, under a foreign name, with another method, or too large', async () => {
    const own = { Authorization: `Bearer ${api.tokenOf(alice)}` };
    expect((await post({ ...own, Origin: 'https://evil.example' }, ping)).status).toBe(403);
    expect((await post({ ...own, Origin: api.url }, ping)).status).toBe(200);
    expect((await post(own, `"${'x'.repeat(6_000_000)}"`)).status).toBe(413);
    expect((await fetch(`${api.url}/mcp`, { headers: own })).status).toBe(405);
  });

  it('when it is not a message of the protocol', async () => {
    const own = { Authorization: `Bearer ${api.tokenOf(alice)}` };
    for (const body of ['{}', '[]', '{"jsonrpc":"2.0","id":1}', 'null', '{'])
      expect((await post(own, body)).status).toBe(400);
  });
});
