import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createDestinationChecks } from '../../../services/export/check';
import { buildExportMappings } from '../../../services/export/index-mapping';
import type { ExportTarget } from '../../../services/export/place';
import { createAddressGuard } from '../../../services/net/address-guard';
import type { StartedServer } from '../../support/servers/cached-server';
import { startElasticsearch } from '../../support/servers/elasticsearch/elasticsearch';

/**
 * The check of an export on a real Elasticsearch, which has no security features. A gate in front of it answers for them, as the
 * published interface says.
 */
const key = 'a2V5OnNlY3JldA==';
const checks = createDestinationChecks({
  guard: createAddressGuard(['127.0.0.1']),
  limits: { roots: [], closed: [] },
});
let server: StartedServer;
let gate: Server;
/** Privileges that the account lacks. */
let lacks: string[] = [];
let requests: string[] = [];

beforeAll(async () => {
  server = await startElasticsearch();
  gate = createServer((request, response) => {
    const send = (status: number, body: string) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(body);
    void (async () => {
      requests.push(`${request.method} ${request.url}`);
      let text = '';
      for await (const part of request) text += String(part);
      if (request.headers.authorization !== `ApiKey ${key}`)
        return send(401, '{"error":{"type":"security_exception"}}');
      if (request.url === '/_security/user/_has_privileges') return send(200, answerPrivileges(text));
      const reply = await fetch(`http://127.0.0.1:${server.port}${request.url}`);
      return send(reply.status, await reply.text());
    })();
  });
  await new Promise<void>((resolve) => gate.listen(0, '127.0.0.1', resolve));
}, 10 * 60_000);
afterAll(async () => {
  gate.close();
  await server.stop();
});
beforeEach(() => {
  lacks = [];
  requests = [];
});

function answerPrivileges(text: string): string {
  const { index } = JSON.parse(text) as { index: { names: string[]; privileges: string[] }[] };
  const held = (privileges: string[]) => Object.fromEntries(privileges.map((name) => [name, !lacks.includes(name)]));
  const all = index.flatMap(({ names, privileges }) => names.map((name) => [name, held(privileges)] as const));
  return JSON.stringify({ username: 'docs', has_all_requested: lacks.length === 0, index: Object.fromEntries(all) });
}

interface Change {
  port?: number;
  index?: string;
  alias?: string;
  apiKey?: string;
}
function check({ port = (gate.address() as AddressInfo).port, index = 'free', alias, apiKey = key }: Change = {}) {
  const target: ExportTarget = {
    kind: 'elasticsearch',
    server: { host: '127.0.0.1', port, useSsl: false, verifyCerts: true, apiKey },
    index,
    similarity: 'cosine',
    ...(alias === undefined ? {} : { alias }),
  };
  return checks.check(target);
}
const outcomes = async (change?: Change) =>
  (await check(change)).map(({ right, outcome }) => `${right} ${outcome}`).join(', ');
const refusal = async (change: Change) => (await check(change)).find(({ right }) => right === 'write');
const call = async (method: string, path: string, body: object = {}) =>
  (
    await fetch(`http://127.0.0.1:${server.port}${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(method === 'GET' ? {} : { body: JSON.stringify(body) }),
    })
  ).json();

test('a free name is granted, and nothing is written to the cluster', async () => {
  const before = await call('GET', '/_all');
  expect(await outcomes({ alias: 'free-alias' })).toBe('reach granted, sign_in granted, write granted');
  expect(requests).toEqual(['POST /_security/user/_has_privileges', 'GET /free', 'GET /free-alias']);
  expect(await call('GET', '/_all')).toEqual(before);
});

test('a wrong key is denied, and missing privileges are named', async () => {
  expect(await outcomes({ apiKey: 'd3Jvbmc6a2V5' })).toBe('reach granted, sign_in denied, write unknown');
  lacks = ['manage', 'write'];
  const message = "The account lacks `manage` on 'free', `write` on 'free'.";
  expect(await refusal({})).toMatchObject({ outcome: 'denied', code: 'EXPORT_NOT_ALLOWED', message });
});

test('an alias needs the privilege to manage it, and no other', async () => {
  lacks = ['create_index', 'read', 'write'];
  const message = "The account lacks `create_index` on 'free', `read` on 'free', `write` on 'free'.";
  expect(await refusal({ alias: 'free-alias' })).toMatchObject({ outcome: 'denied', message });
  lacks = ['manage'];
  const both = "The account lacks `manage` on 'free', `manage` on 'free-alias'.";
  expect(await refusal({ alias: 'free-alias' })).toMatchObject({ outcome: 'denied', message: both });
});

test('a cluster without security features accepts everybody, and does not say what they may do', async () => {
  expect(await outcomes({ port: server.port })).toBe('reach granted, sign_in granted, write unknown');
});

test('indexes and aliases of other programs are denied, with and without security features', async () => {
  await call('PUT', '/of-others', { aliases: { 'alias-of-others': {} } });
  await call('PUT', '/exported', { mappings: buildExportMappings('cosine', 3), aliases: { current: {} } });
  const refused = { outcome: 'denied', code: 'EXPORT_NOT_ALLOWED' };
  for (const port of [undefined, server.port]) {
    const on = port === undefined ? {} : { port };
    expect(await refusal({ ...on, index: 'of-others' })).toMatchObject(refused);
    expect(await refusal({ ...on, index: 'current' })).toMatchObject(refused);
    expect(await refusal({ ...on, alias: 'alias-of-others' })).toMatchObject(refused);
    expect(await refusal({ ...on, alias: 'of-others' })).toMatchObject(refused);
    expect((await refusal({ ...on, index: 'exported', alias: 'current' }))?.outcome).not.toBe('denied');
    expect((await refusal({ ...on, index: 'next', alias: 'current' }))?.outcome).not.toBe('denied');
  }
});

test('an index that is closed to writes is denied', async () => {
  await call('PUT', '/full', {
    mappings: buildExportMappings('cosine', 3),
    settings: { 'index.blocks.read_only_allow_delete': true },
  });
  expect((await refusal({ index: 'full' }))?.message).toContain('blocks.read_only_allow_delete');
});

test('nobody answers at the port', async () => {
  expect(await outcomes({ port: 9 })).toBe('reach denied, sign_in unknown, write unknown');
});
