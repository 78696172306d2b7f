import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { Client as TemporalClient, Connection } from '@temporalio/client';
import { MongoClient } from 'mongodb';
import { createClient } from '../../client';
import type { FlowOperator } from '../../model/flow/flow';
import { createTokens } from '../../services/login/tokens';
import { workflowOfRun } from '../support/system/evidence';
import { runToEnd } from '../support/system/over-http';
import { createSystem, type System, until } from '../support/system/system';

const canary = 'canary-of-a-connection';
const signingKey = 'signing key of the test of connections, long enough';
let system: System;
let address: string;
let server: Server;
let port: number;
/** The requests that a local server received. */
let received = '';
/** Every reply of the api. */
let replies = '';

beforeAll(async () => {
  server = createServer((request, response) => {
    received += JSON.stringify(request.headers);
    response.setHeader('Content-Type', 'text/html').end('<p>A page.</p>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as AddressInfo);
  system = createSystem({
    DOCLOOM_ALLOWED_HOSTS: 'localhost,127.0.0.1',
    DOCLOOM_ADMIN_GROUPS: 'admins',
    DOCLOOM_CONNECTION_KEYS: randomBytes(32).toString('base64'),
  });
  [address] = await Promise.all([system.startApi({ JWT_SECRET_KEY: signingKey }), system.startWorker()]);
});
afterAll(async () => {
  server.close();
  await system.stop();
});

const getToken = (username: string, groups: string[] = []) =>
  createTokens({ secret: signingKey, expireMinutes: 5 }).issue({ username, email: '', full_name: '', groups });
const getClient = (username: string, ...groups: string[]) =>
  createClient({ baseUrl: address, token: getToken(username, groups) });
/** A recorded request as sent over the wire. */
async function ask(token: string, method: string, route: string, body?: unknown) {
  const response = await fetch(`${address}/api/v1${route}`, {
    method,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  replies += text;
  return { status: response.status, body: (text ? JSON.parse(text) : undefined) as Record<string, unknown> };
}
const admin = () => getToken('carol', ['admins']);
const page = (params: object): FlowOperator[] => [
  { type: 'ingest_source', name: 'ingest', config: { provider: 'http', connection_params: params } },
  { type: 'extract_operator', name: 'extract', depends_on: ['ingest'] },
  { type: 'document_set', name: 'keep', depends_on: ['extract'], config: { document_set_name: `set${(count += 1)}` } },
];
const withKey = (name: string, host = 'localhost') =>
  page({ urls: [`http://${host}:${port}/a.html`], headers: { 'X-Key': `\${connection:${name}}` } });
let count = 0;
async function run(client: ReturnType<typeof getClient>, flow: FlowOperator[]) {
  received = '';
  const { flow_id } = await client.flows.create({ flow_name: `connections-${(count += 1)}`, flow });
  const ended = await runToEnd(client, flow_id);
  return { ended, flow_id };
}
const web = (name: string, more: object = {}) => ({
  name,
  type: 'web',
  hosts: [`localhost:${port}`],
  secret: canary,
  ...more,
});

test('a secret is sent only to its host, and is stored nowhere in clear text', async () => {
  const alice = getToken('alice');
  const made = await ask(alice, 'POST', '/connections', web('crm'));
  expect(made).toMatchObject({ status: 201, body: { name: 'crm', has_secret: true, shared: false } });
  const { ended, flow_id } = await run(getClient('alice'), withKey('crm'));
  expect(ended.status).toBe('COMPLETED');
  expect(received).toContain(canary);
  await ask(alice, 'GET', '/connections');
  await ask(alice, 'GET', `/connections/${String(made.body['connection_id'])}`);
  // A reference is not secret: it can be read and sent back.
  expect(JSON.stringify((await ask(alice, 'GET', `/flows/${flow_id}`)).body)).toContain('${connection:crm}');
  for (const part of ['documents', 'report', 'logs', 'flow']) {
    const response = await fetch(`${address}/api/v1/job_runs/${ended.job_run_id}/${part}`, { headers: { Authorization: `Bearer ${alice}` } }); // prettier-ignore
    replies += await response.text();
  }
  const everything = [replies, await database(), await history(ended.job_run_id), files(system)].join('\n');
  expect(everything).not.toContain(canary);
});

test.each<[string, () => object, () => FlowOperator[]]>([
  ['to another host', () => ({}), () => withKey('bound', '127.0.0.1')],
  ['to another port', () => ({ hosts: ['localhost:9'] }), () => withKey('bound')],
  [
    'to two hosts',
    () => ({}),
    () => page({ urls: [`http://localhost:${port}/`, `http://127.0.0.1:${port}/`], headers: { 'X-Key': '${connection:bound}' } }), // prettier-ignore
  ],
  ['to an operator of another type', () => ({ type: 'model' }), () => withKey('bound')],
  ['into an address', () => ({}), () => page({ urls: [`http://localhost:${port}/\${connection:bound}`] })],
  [
    'into a list of users',
    () => ({}),
    () => page({ urls: [`http://localhost:${port}/`], allowed_users: ['alice', '${connection:bound}'] }),
  ],
])('a secret does not get %s', async (_what, change, flow) => {
  const alice = getToken('alice');
  const { body } = await ask(alice, 'POST', '/connections', web('bound', change()));
  const { ended } = await run(getClient('alice'), flow());
  await ask(alice, 'DELETE', `/connections/${String(body['connection_id'])}`);
  expect([ended.status, ended.message]).toEqual(['FAILED', expect.stringContaining('SECRET_NOT_ALLOWED')]);
  expect(received).not.toContain(canary);
});

test('a user who may not use a connection cannot run with it, find it, or learn that it exists', async () => {
  const shared = await ask(admin(), 'POST', '/connections', web('team', { shared: true, users: ['alice'], groups: ['sales'] })); // prettier-ignore
  const own = await ask(getToken('alice'), 'POST', '/connections', web('mine'));
  for (const [name, id] of [
    ['team', shared.body['connection_id']],
    ['mine', own.body['connection_id']],
  ]) {
    const [hers, none] = [
      await run(getClient('bob'), withKey(String(name))),
      await run(getClient('bob'), withKey('none')),
    ];
    expect(hers.ended.status).toBe('FAILED');
    expect(hers.ended.message).toContain('CONNECTION_NOT_FOUND');
    expect(hers.ended.message.replaceAll(String(name), 'none')).toBe(none.ended.message);
    for (const method of ['GET', 'PATCH', 'DELETE'])
      expect((await ask(getToken('bob'), method, `/connections/${String(id)}`, method === 'PATCH' ? { name: 'x' } : undefined)).status).toBe(404); // prettier-ignore
    // The name does not become taken for bob.
    const made = await ask(getToken('bob'), 'POST', '/connections', web(String(name), { secret: 'bobs' }));
    expect(made.status).toBe(201);
    expect((await run(getClient('bob'), withKey(String(name)))).ended.status).toBe('COMPLETED');
    expect([received.includes('bobs'), received.includes(canary)]).toEqual([true, false]);
    await ask(getToken('bob'), 'DELETE', `/connections/${String(made.body['connection_id'])}`);
  }
  expect((await ask(getToken('bob'), 'GET', '/connections')).body['total']).toBe(0);
  expect((await run(getClient('dora', 'sales'), withKey('team'))).ended.status).toBe('COMPLETED');
  // Who else may use it is for administrators.
  const seen = await ask(getToken('dora', ['sales']), 'GET', `/connections/${String(shared.body['connection_id'])}`);
  expect(seen.body).toMatchObject({ users: [], groups: [] });
  expect((await ask(getToken('alice'), 'PATCH', `/connections/${String(shared.body['connection_id'])}`, { hosts: ['localhost'] })).status).toBe(403); // prettier-ignore
  expect((await ask(getToken('bob'), 'POST', '/connections', web('all', { shared: true, users: ['*'] }))).status).toBe(
    403,
  );
  expect((await ask(getToken('bob'), 'POST', '/connections', web('all', { users: ['*'] }))).status).toBe(400);
  // An administrator cannot send another user's secret elsewhere.
  expect((await ask(admin(), 'PATCH', `/connections/${String(own.body['connection_id'])}`, { hosts: ['localhost'] })).status).toBe(403); // prettier-ignore
});

test('a reader who runs a flow of its owner does not use the connection of the owner, nor the owner that of the reader', async () => {
  await ask(getToken('alice'), 'POST', '/connections', web('private'));
  const alice = getClient('alice');
  const { flow_id } = await alice.flows.create({ flow_name: 'readers', flow: withKey('private'), readers: ['bob'] });
  received = '';
  expect(await runToEnd(getClient('bob'), flow_id)).toMatchObject({ status: 'FAILED' });
  await ask(getToken('bob'), 'POST', '/connections', web('private', { secret: 'of-bob' }));
  expect(await runToEnd(getClient('bob'), flow_id)).toMatchObject({ status: 'FAILED' });
  expect(received).not.toMatch(/canary|of-bob/);
});

test('other hosts drop the secret; revoked rights and a removed connection end its use', async () => {
  const { body } = await ask(admin(), 'POST', '/connections', web('moving', { shared: true, users: ['alice'] }));
  const route = `/connections/${String(body['connection_id'])}`;
  const alice = getClient('alice');
  const { flow_id } = await alice.flows.create({ flow_name: 'moving', flow: withKey('moving') });
  const outcome = async () => {
    received = '';
    const { status, message } = await runToEnd(alice, flow_id);
    return [status, /[A-Z_]+_NOT_[A-Z]+/.exec(message ?? '')?.[0], received.includes(canary)];
  };
  expect(await outcome()).toEqual(['COMPLETED', undefined, true]);
  expect((await ask(admin(), 'PATCH', route, { hosts: ['localhost'] })).body).toMatchObject({ has_secret: false });
  expect(await outcome()).toEqual(['FAILED', 'SECRET_NOT_FOUND', false]);
  expect((await ask(admin(), 'PATCH', route, { secret: canary })).body).toMatchObject({ has_secret: true });
  expect((await ask(admin(), 'PATCH', route, { users: ['bob'] })).status).toBe(200);
  expect(await outcome()).toEqual(['FAILED', 'CONNECTION_NOT_FOUND', false]);
  // Hosts that are changed in the database alone make the secret unreadable.
  await ask(admin(), 'PATCH', route, { users: ['alice'] });
  const client = new MongoClient(system.env['MONGODB_URL'] ?? '');
  await client.db().collection('connections').updateOne({ name: 'moving' }, { $set: { hosts: ['localhost', '127.0.0.1'] } }); // prettier-ignore
  await client.close();
  received = '';
  expect((await runToEnd(alice, flow_id)).status).toBe('FAILED');
  expect(received).not.toContain(canary);
  expect((await ask(admin(), 'DELETE', route)).status).toBe(204);
  expect(await outcome()).toEqual(['FAILED', 'CONNECTION_NOT_FOUND', false]);
});

test('a graph uses the secret of its owner for the host of the connection, and no other', async () => {
  const hosts = [`127.0.0.1:${port}`];
  const made = await ask(getToken('alice'), 'POST', '/connections', web('llm', { type: 'model', hosts }));
  expect(made.status).toBe(201);
  const share = { type: 'model', hosts, shared: true, groups: ['sales'] };
  await ask(admin(), 'POST', '/connections', web('sales-llm', share));
  /** The end of a graph, and whether the secret was sent; a graph that calls the right host is not awaited. */
  const graph = async (client: ReturnType<typeof getClient>, token: string, name: string, host = '127.0.0.1') => {
    received = '';
    const base64_string = Buffer.from('# Order\n\nNumber: 1\n').toString('base64');
    const sources = [{ kind: 'file', filename: 'order.md', base64_string }];
    const response = await fetch(`${address}/v1/convert/source/async`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ sources, options: { to_formats: ['json'] } }),
    });
    const { task_id } = (await response.json()) as { task_id: string };
    await until('the document is converted', async () => {
      const watched = await fetch(`${address}/v1/status/poll/${task_id}?wait=5`, { headers: { Authorization: `Bearer ${token}` } }); // prettier-ignore
      return ((await watched.json()) as { task_status: string }).task_status === 'success';
    });
    const provider_config = { model_id: 'm', api_base: `http://${host}:${port}`, api_key: `\${connection:${name}}` };
    const template = { title: 'Order', type: 'object', properties: { number: { type: 'string' } } };
    const { id } = await client.graphs.create({ task_id, template, options: { backend: 'llm', provider_config } });
    await until('the model was asked, or the graph ended', async () => {
      if (received !== '') return true;
      return ['FAILED', 'COMPLETED'].includes((await client.graphs.get(id)).state);
    });
    const { error } = await client.graphs.get(id);
    await client.graphs.remove(id);
    return [error?.code, received.includes(canary)];
  };
  expect(await graph(getClient('alice'), getToken('alice'), 'llm')).toEqual([undefined, true]);
  expect(await graph(getClient('dora', 'sales'), getToken('dora', ['sales']), 'sales-llm')).toEqual([undefined, true]);
  expect(await graph(getClient('alice'), getToken('alice'), 'llm', 'localhost')).toEqual(['SECRET_NOT_ALLOWED', false]);
  expect(await graph(getClient('bob'), getToken('bob'), 'llm')).toEqual(['CONNECTION_NOT_FOUND', false]);
  expect(await graph(getClient('bob'), getToken('bob'), 'sales-llm')).toEqual(['CONNECTION_NOT_FOUND', false]);
  expect(await database()).not.toContain(canary);
});

async function database(): Promise<string> {
  const client = new MongoClient(system.env['MONGODB_URL'] ?? '');
  try {
    const collections = await client.db().collections();
    return JSON.stringify(await Promise.all(collections.map((collection) => collection.find().toArray())));
  } finally {
    await client.close();
  }
}

async function history(runId: string): Promise<string> {
  const connection = await Connection.connect({ address: system.env['TEMPORAL_ADDRESS'] ?? '' });
  try {
    const { workflow } = new TemporalClient({ connection });
    const { events } = await workflow.getHandle(await workflowOfRun(workflow, runId)).fetchHistory();
    return JSON.stringify(events, (_name, value: unknown) =>
      value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value,
    );
  } finally {
    await connection.close();
  }
}

/** The logs, and every file of the store. */
function files({ env, folder }: System): string {
  const stored = readdirSync(path.join(env['DOCLOOM_DATA'] ?? '', 'store'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(path.join(entry.parentPath, entry.name), 'latin1'));
  const logs = ['api.log', 'worker.log'].map((log) => readFileSync(path.join(folder, log), 'latin1'));
  return [...stored, ...logs].join('\n');
}
