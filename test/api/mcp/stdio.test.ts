import path from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { alice, startApi, type TestApi } from '../../support/api/server';

/** `docloom mcp` as an agent starts it: the protocol over stdin and stdout, and nothing else on stdout. */
const command = path.join(__dirname, '../../../bin/docloom');
let api: TestApi;

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

function transportTo(env: Record<string, string>): StdioClientTransport {
  const args = [command, 'mcp', '--server', api.url];
  return new StdioClientTransport({ command: process.execPath, args, env, stderr: 'pipe' });
}

it('serves the tools as the user of the login', async () => {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transportTo({ DOCLOOM_TOKEN: api.tokenOf(alice), PATH: process.env['PATH'] ?? '' }));
  const { content } = await client.callTool({ name: 'search_documents', arguments: { query: 'invoice' } });
  expect(JSON.stringify(content)).toContain('of-alice');
  await client.close();
});

it('ends with the reason when nobody is logged in', async () => {
  const transport = transportTo({ HOME: '/nonexistent', PATH: process.env['PATH'] ?? '' });
  let message = '';
  transport.stderr?.on('data', (text) => (message += String(text)));
  const client = new Client({ name: 'test', version: '1' });
  await expect(client.connect(transport)).rejects.toThrow(/closed/i);
  expect(message).toContain('docloom login --server');
});

it('refuses a subscription that names tasks, from a client that does not declare the extension', async () => {
  const transport = transportTo({ DOCLOOM_TOKEN: api.tokenOf(alice), PATH: process.env['PATH'] ?? '' });
  const answers: unknown[] = [];
  const answered = new Promise<void>((resolve) => {
    transport.onmessage = (message) => {
      if (answers.push(message) === 3) resolve();
    };
  });
  await transport.start();
  const listen = (id: number, notifications: object, extensions: object) =>
    transport.send({
      jsonrpc: '2.0',
      id,
      method: 'subscriptions/listen',
      params: { notifications, _meta: envelope({ extensions }) },
    } as never);
  await transport.send({ jsonrpc: '2.0', id: 1, method: 'server/discover', params: { _meta: envelope({}) } } as never);
  await listen(2, { taskIds: ['x'] }, {});
  await listen(3, { taskIds: ['x'] }, { 'io.modelcontextprotocol/tasks': {} });
  await answered;
  await transport.close();
  expect(answers).toContainEqual(expect.objectContaining({ id: 1, result: expect.anything() }));
  expect(answers).toContainEqual(expect.objectContaining({ id: 2, error: expect.objectContaining({ code: -32021 }) }));
  expect(answers).toContainEqual(expect.objectContaining({ method: 'notifications/subscriptions/acknowledged' }));
});

const envelope = (capabilities: object) => ({
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': capabilities,
});
