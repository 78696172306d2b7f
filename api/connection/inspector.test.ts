import { once } from 'node:events';
import net from 'node:net';
import type { User } from '../../model/access';
import type { OpenConnection } from '../../model/connection/connection';
import type { ConnectionCheckReply } from '../../model/connection/wire-check';
import { AppError } from '../../model/errors';
import { createAddressGuard } from '../../services/net/address-guard';
import { memoryConnections } from '../../test/support/api/connection-services';
import { alice, bob, carol, sampleFlow, startApi, type TestApi } from '../../test/support/api/server';
import { createConnectionInspector } from './inspector';

/** `POST /api/v1/connections/{connection_id}/check`: what it says, and to whom. */
const secret = 'a-very-secret-password';
let api: TestApi;
let server: net.Server;
let port: number;
let contacts: number;
let received: number;
let opened: OpenConnection[];
let checked: { config: Record<string, unknown>; reader: string | undefined }[];
let answer: () => Promise<[]>;

beforeEach(async () => {
  contacts = 0;
  received = 0;
  server = net.createServer((socket) => {
    contacts += 1;
    socket.on('error', () => undefined);
    socket.on('data', ({ length }) => (received += length));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ({ port } = server.address() as net.AddressInfo);
  opened = [];
  checked = [];
  answer = async () => [];
  const connections = memoryConnections();
  const state: { api?: TestApi } = {};
  const connectionInspector = createConnectionInspector({
    connections: { open: async (names) => opened.filter(({ name }) => names.includes(name)) },
    flows: {
      list: async (user, { limit, offset }) => {
        const items = (state.api?.state.flows ?? []).filter(
          ({ owner, readers }) => owner === user.username || readers.includes(user.username),
        );
        return { items: items.slice(offset, offset + limit), total: items.length };
      },
    },
    sources: {
      check: async (config, reader) => {
        checked.push({ config, reader: reader?.username });
        return answer();
      },
    },
    destinations: {
      check: async (config, reader) => {
        checked.push({ config, reader: reader?.username });
        return answer();
      },
    },
    guard: createAddressGuard([`127.0.0.1:${port}`, '127.0.0.1:9', 'localhost:9']),
  });
  api = await startApi({ connections, connectionInspector }, { adminGroups: ['admins'] });
  state.api = api;
});
afterEach(async () => {
  await api.close();
  server.close();
});

async function create(
  input: { hosts: string[]; type?: string; name?: string; shared?: boolean; users?: string[] },
  user = alice,
) {
  const { name = 'mail', type = 'imap', ...rest } = input;
  const { status, body } = await api.call('POST', '/api/v1/connections', {
    user,
    body: { name, type, secret, ...rest },
  });
  expect(status).toBe(201);
  const { connection_id: id, ...facts } = body as { connection_id: string } & OpenConnection;
  opened.push({ ...facts, users: input.users ?? [], groups: [], secret });
  return id;
}

async function check(id: string, user: User = alice) {
  const { status, body } = await api.call('POST', `/api/v1/connections/${id}/check`, { user });
  expect(JSON.stringify(body)).not.toContain(secret);
  return { status, body: body as ConnectionCheckReply & { errors?: { code: string; message: string }[] } };
}

function addFlow(owner: string, change: object = {}, reference = '${connection:mail}') {
  const flow = sampleFlow(`${owner}-${api.state.flows.length}`);
  const [ingest, index] = flow.flow;
  const config = { provider: 'imap', credentials: { username: 'reader', password: reference } };
  api.state.flows.push({
    ...flow,
    flow: [{ ...ingest!, config }, index!],
    flow_id: `flow-${api.state.flows.length}`,
    owner,
    readers: [],
    flow_source: 'api',
    flow_version: '1',
    created_on: '',
    modified_on: '',
    created_by: owner,
    modified_by: owner,
    ...change,
  });
}

test('a user who may not use the connection learns nothing, and nothing is contacted', async () => {
  const id = await create({ hosts: [`127.0.0.1:${port}`] });
  addFlow('bob');
  const [foreign, missing] = [await check(id, bob), await check('missing', bob)];
  expect(foreign.status).toBe(404);
  const hide = ({ body }: typeof foreign, name: string) =>
    body.errors?.map(({ code, message }) => ({ code, message: message.replaceAll(name, 'ID') }));
  expect(hide(foreign, id)).toEqual(hide(missing, 'missing'));
  // Administrators see the connection, and may not use it.
  expect(await check(id, carol)).toMatchObject({ status: 403, body: { errors: [{ code: 'FORBIDDEN' }] } });
  expect([contacts, checked]).toEqual([0, []]);
});

test('replies name no address of a host, whether it is closed, unknown or not allowed', async () => {
  const hosts = [
    '127.0.0.1:9',
    'localhost:9',
    'localhost:27017',
    'no-such-host.invalid:993',
    '*.example.org',
    'localhost',
  ];
  const { body } = await check(await create({ hosts }));
  expect(body.usable).toBe(false);
  expect(body.hosts.map(({ outcome, code }) => code ?? outcome)).toEqual([
    'CONNECTION_ERROR',
    'CONNECTION_ERROR',
    'ADDRESS_NOT_ALLOWED',
    expect.stringMatching(/^(?:ADDRESS_INVALID|CONNECTION_ERROR)$/),
    'unknown',
    'ADDRESS_NOT_ALLOWED',
  ]);
  for (const { message } of body.hosts) expect(message).not.toMatch(/127\.|::1|ECONN/);
});

test('a host that answers is reached, and gets no byte', async () => {
  const { body } = await check(await create({ hosts: [`127.0.0.1:${port}`] }));
  expect(body).toMatchObject({ usable: true, secret: { outcome: 'granted' }, hosts: [{ outcome: 'granted' }] });
  expect([contacts, received]).toEqual([1, 0]);
});

test('the sources of own flows that use the connection are checked as the caller; of others, none is', async () => {
  const id = await create({ hosts: ['*.example.org'], shared: true, users: ['*'] }, carol);
  addFlow('alice');
  addFlow('alice', {}, '${connection:other}');
  addFlow('bob', { readers: ['alice'] });
  const { body } = await check(id);
  expect(body.sources.map(({ flow_id: flow, operator, provider }) => [flow, operator, provider])).toEqual([
    ['flow-0', 'ingest', 'imap'],
  ]);
  expect(checked.map(({ reader }) => reader)).toEqual(['alice']);
});

test('a flow that somebody changed who may not use the connection is not tried', async () => {
  const id = await create({ hosts: ['*.example.org'] });
  addFlow('alice', { editor: { username: 'bob', groups: [] } });
  addFlow('alice', { editor: { username: 'alice', groups: [] } });
  expect((await check(id)).body.sources.map(({ flow_id: flow }) => flow)).toEqual(['flow-1']);
});

test('of two connections with the same name, flows use the own one, and the check of the other says so', async () => {
  const shared = await create({ hosts: ['*.example.org'], shared: true, users: ['*'] }, carol);
  const own = await create({ hosts: ['*.example.org'] });
  addFlow('alice');
  expect((await check(shared)).body).toMatchObject({ secret: { outcome: 'unknown' }, sources: [] });
  expect((await check(own)).body.sources).toHaveLength(1);
});

test('a source that cannot be checked, and more than five sources', async () => {
  const id = await create({ hosts: ['*.example.org'] });
  for (let flow = 0; flow < 7; flow += 1) addFlow('alice');
  answer = async () => {
    throw new AppError('SECRET_NOT_ALLOWED', 'The connection is not for this host.');
  };
  const { body } = await check(id);
  expect(body).toMatchObject({ usable: false, unchecked_sources: 2 });
  expect(body.sources.map(({ code, usable }) => [code, usable])).toEqual(
    Array.from({ length: 5 }, () => ['SECRET_NOT_ALLOWED', false]),
  );
});

test('the destinations of own flows that use the connection are checked as the caller, in a list of their own', async () => {
  const id = await create({ hosts: ['*.example.org'], type: 'azure', name: 'files' });
  const exporting = (reference: string) => {
    const [ingest, index] = sampleFlow('files').flow;
    const params = { container_url: 'https://files.example.org/a', sas_token: reference };
    const config = { destination: 'azure', formats: ['md'], connection_params: params };
    return { flow: [ingest!, { ...index!, name: 'export', type: 'storage', config }] };
  };
  addFlow('alice', exporting('${connection:other}'));
  addFlow('bob', exporting('${connection:files}'));
  addFlow('alice', { ...exporting('${connection:files}'), editor: { username: 'bob', groups: [] } });
  for (let flow = 0; flow < 6; flow += 1) addFlow('alice', exporting('${connection:files}'));
  const { body } = await check(id);
  expect(body.sources).toEqual([]);
  expect(body).toMatchObject({ usable: true, unchecked_sources: 0, unchecked_destinations: 1 });
  const facts = { flow_id: 'flow-3', operator: 'export', destination: 'azure', usable: true, rights: [] };
  expect(body.destinations[0]).toMatchObject(facts);
  expect(checked.map(({ reader }) => reader)).toEqual(Array.from({ length: 5 }, () => 'alice'));
  answer = async () => {
    throw new AppError('SECRET_NOT_ALLOWED', 'Not for this host.');
  };
  const denied = (await check(id)).body;
  expect(denied.usable).toBe(false);
  expect(denied.destinations[0]).toMatchObject({ usable: false, rights: [], code: 'SECRET_NOT_ALLOWED' });
});

test('a secret that is gone denies', async () => {
  const id = await create({ hosts: ['*.example.org'] });
  await api.call('PATCH', `/api/v1/connections/${id}`, { user: alice, body: { hosts: ['*.example.com'] } });
  expect((await check(id)).body).toMatchObject({
    usable: false,
    secret: { outcome: 'denied', code: 'SECRET_NOT_FOUND' },
  });
});
