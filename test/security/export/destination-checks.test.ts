import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createDestinationInspector } from '../../../api/export/inspector';
import { createFlowInspection } from '../../../api/flow/inspection';
import { createSourceInspector } from '../../../api/source/inspector';
import { compareText } from '../../../model/compare-text';
import type { DestinationCheckReply } from '../../../model/export/wire-check';
import { operators } from '../../../operators/index';
import type { CheckReader } from '../../../operators/inspection';
import { createDestinationChecks, type DestinationChecks } from '../../../services/export/check';
import { createAddressGuard } from '../../../services/net/address-guard';
import { createSources } from '../../../services/source/sources';
import { alice, bob, startApi, type TestApi } from '../../support/api/server';
import { connection, secret } from '../../support/export/connection-of-alice';
import { useLyingServer } from '../../support/sources/lying-server';

/** What `POST /api/v1/destinations/check` tells, writes and sends, for users who may and who may not export. */
const server = useLyingServer();
const admin = { ...alice, username: 'root', groups: ['admins'] };
let folder: string;
let tried: string[];
let api: TestApi;
const at = (...parts: string[]) => path.join(folder, ...parts);

async function start({ principals = [], hosts = ['127.0.0.1'] }: { principals?: string[]; hosts?: string[] } = {}) {
  const real = createDestinationChecks({
    guard: createAddressGuard(hosts),
    limits: { roots: [at('exports')], closed: [at('exports/own')] },
  });
  const destinations: DestinationChecks = {
    check: (target) => {
      tried.push(target.kind);
      return real.check(target);
    },
  };
  const destinationInspector = createDestinationInspector({
    destinations,
    connections: { open: async () => [connection] },
    exportPrincipals: principals,
    adminGroups: ['admins'],
  });
  const inspection = createFlowInspection({
    destinations: destinationInspector,
    sources: {} as never,
    search: {} as never,
    embedder: {} as never,
  });
  const sourceInspector = createSourceInspector({
    sources: createSources({ roots: [], guard: createAddressGuard(hosts) }),
  });
  api = await startApi({ destinationInspector, sourceInspector, inspection, operators });
}

beforeEach(() => {
  tried = [];
  folder = mkdtempSync(path.join(tmpdir(), 'destinations-'));
  for (const name of ['exports/there', 'exports/own', 'outside']) mkdirSync(at(name), { recursive: true });
  writeFileSync(at('exports/there/kept.md'), 'kept');
});
afterEach(async () => {
  await api.close();
  rmSync(folder, { recursive: true });
});

type Checked = DestinationCheckReply & { errors?: { code: string; message: string }[] };
async function check(config: object, user = admin) {
  const { status, body } = await api.call('POST', '/api/v1/destinations/check', { user, body: { config } });
  for (const value of Object.values(secret)) expect(JSON.stringify(body)).not.toContain(value);
  return { status, body: body as Checked };
}
const checkFolder = async (name: string, user = admin) =>
  (await check({ destination: 'folder', path: at(name) }, user)).body;
const listOutcomes = ({ rights }: Checked) => rights.map(({ right, outcome }) => `${right} ${outcome}`);

describe('a folder', () => {
  test('is the same riddle to everybody who may not export, whether it exists or not', async () => {
    await start();
    const answers = await Promise.all(
      ['exports/there', 'exports/none', 'outside', '../etc'].map((name) => checkFolder(name, alice)),
    );
    expect(answers[0]).toMatchObject({
      usable: false,
      rights: [{ right: 'reach', code: 'EXPORT_NOT_ALLOWED' }, {}, {}, {}],
    });
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    // Nothing was asked of the file system.
    expect(tried).toEqual([]);
  });

  test('may be checked by those whom DOCLOOM_EXPORT_PRINCIPALS names, and then no longer by administrators', async () => {
    await start({ principals: ['user:alice'] });
    expect((await checkFolder('exports/there', alice)).usable).toBe(true);
    expect((await checkFolder('exports/there', bob)).usable).toBe(false);
    expect((await checkFolder('exports/there', admin)).usable).toBe(false);
    expect(tried).toEqual(['folder']);
  });

  test('has the same files after the check, and an old unfinished one of a run too', async () => {
    await start();
    mkdirSync(at('exports/there/.docloom-unfinished'));
    writeFileSync(at('exports/there/.docloom-unfinished/old'), 'half');
    utimesSync(at('exports/there/.docloom-unfinished/old'), 0, 0);
    const body = await checkFolder('exports/there');
    expect(listOutcomes(body)).toEqual(['reach granted', 'write granted', 'read granted', 'remove granted']);
    expect(readdirSync(at('exports/there'), { recursive: true, encoding: 'utf8' }).toSorted(compareText)).toEqual([
      '.docloom-unfinished',
      '.docloom-unfinished/old',
      'kept.md',
    ]);
    expect(readFileSync(at('exports/there/kept.md'), 'utf8')).toBe('kept');
  });

  test('that is missing is not created', async () => {
    await start();
    const body = await checkFolder('exports/new/deep');
    expect(body.usable).toBe(true);
    expect(body.rights[1]?.message).toContain('does not exist');
    expect(existsSync(at('exports/new'))).toBe(false);
    expect(readdirSync(at('exports')).toSorted(compareText)).toEqual(['own', 'there']);
  });

  test('outside the roots gives one answer, whatever is there', async () => {
    await start();
    symlinkSync(at('outside'), at('exports/link'));
    symlinkSync(at('outside/none'), at('exports/dangling'));
    const names = [
      'outside',
      'outside/none',
      'exports/../outside',
      'exports/link',
      'exports/link/none',
      'exports/dangling',
      'exports/own',
      'exports/.hidden',
      'exports/there/kept.md',
      'exports/there/kept.md/below',
      'exports',
    ];
    const answers = await Promise.all(names.slice(0, -1).map((name) => checkFolder(name)));
    expect(answers[0]).toMatchObject({
      usable: false,
      rights: [{ outcome: 'denied' }, { outcome: 'unknown' }, {}, {}],
    });
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(JSON.stringify(answers)).not.toContain(folder);
    expect(readdirSync(at('outside'))).toEqual([]);
    // The root itself is a destination.
    expect((await checkFolder('exports')).usable).toBe(true);
  });
});

/** What a lying server sends at most: more than enough to show that nobody stops it. */
const maxSent = 256 * 1024 * 1024;

describe('a bucket', () => {
  const bucket = (change: object = {}) => ({
    destination: 's3',
    connection_params: {
      bucket: 'b',
      endpoint_url: server.origin,
      access_key: '${connection:bucket.access_key}',
      secret_key: '${connection:bucket.secret_key}',
      ...change,
    },
  });

  test('is not contacted at an address that flows may not reach', async () => {
    await start({ hosts: [] });
    let isContacted = false;
    server.answer = (_request, response) => ((isContacted = true), response.end());
    const { body } = await check(bucket(), alice);
    expect(body.rights[0]).toMatchObject({ right: 'reach', outcome: 'denied', code: 'ADDRESS_NOT_ALLOWED' });
    expect(isContacted).toBe(false);
  });

  test('gets no secret of another user, and none for another host', async () => {
    await start();
    server.answer = (_request, response) => response.writeHead(404).end();
    const notFound = { status: 404, body: { errors: [{ code: 'CONNECTION_NOT_FOUND' }] } };
    expect(await check(bucket(), bob)).toMatchObject(notFound);
    expect(await check(bucket(), admin)).toMatchObject(notFound);
    const elsewhere = await check(
      bucket({ endpoint_url: server.otherOrigin.replace('127.0.0.1', 'localhost') }),
      alice,
    );
    expect(elsewhere).toMatchObject({ status: 403, body: { errors: [{ code: 'SECRET_NOT_ALLOWED' }] } });
    expect(server.stolen).toEqual([]);
  });

  test('has no server of its own in its region', async () => {
    await start();
    const keys = { access_key: 'a', secret_key: 'b', endpoint_url: undefined };
    for (const region of ['127.0.0.1:1/', 'evil.example/x', 'a@evil.example', 'eu#', 'a.b'])
      expect(await check(bucket({ ...keys, region }), alice)).toMatchObject({
        status: 400,
        body: { errors: [{ code: 'OPERATOR_CONFIGURATION_INVALID' }] },
      });
  });

  test('with secrets of the worker is not contacted', async () => {
    await start();
    let isContacted = false;
    server.answer = (_request, response) => ((isContacted = true), response.end());
    const { body } = await check(bucket({ secret_key: '${DOCLOOM_SECRET_KEY}' }), alice);
    expect(new Set(body.rights.map(({ outcome }) => outcome))).toEqual(new Set(['unknown']));
    expect(isContacted).toBe(false);
  });

  test('whose server repeats the request or answers with other texts shows none of them', async () => {
    await start();
    server.answer = (request, response) => {
      const text = `${request.headers.authorization} internal page ${JSON.stringify(secret)}`;
      response.writeHead(403, { 'content-type': 'application/xml' });
      response.end(`<Error><Code>AccessDenied ${text}</Code><Message>${text}</Message></Error>`);
    };
    const { body } = await check(bucket(), alice);
    expect(body.usable).toBe(false);
    expect(JSON.stringify(body)).not.toMatch(/internal page|AWS4|Credential/);
  });

  test.each([
    ['destinations', 200],
    ['destinations', 403],
    ['sources', 200],
    ['sources', 403],
  ])('in a check of %s, whose server answers %d without end, is left soon', async (what, status) => {
    await start();
    let sent = 0;
    server.answer = (_request, response) => {
      response.writeHead(status);
      const part = Buffer.alloc(65_536, 120);
      const send = () => {
        while (!response.destroyed && sent < maxSent) {
          sent += part.length;
          if (!response.write(part)) return void response.once('drain', send);
        }
        response.end();
      };
      send();
    };
    const { connection_params: params } = bucket({ access_key: 'a', secret_key: 'b' });
    const source = { provider: 's3', connection_params: params, credentials: { access_key: 'a', secret_key: 'b' } };
    const config = what === 'sources' ? source : { destination: 's3', connection_params: params };
    const { body } = await api.call('POST', `/api/v1/${what}/check`, { user: alice, body: { config } });
    expect((body as Checked).usable).toBe(false);
    // The server may have filled the buffers of the connection, too.
    expect(sent).toBeLessThan(maxSent / 4);
  });

  test('that keeps a removed file, or returns other bytes, is denied', async () => {
    await start();
    const requests: string[] = [];
    let written = false;
    server.answer = (request, response) => {
      requests.push(`${request.method} ${String(request.url).replace(/\?.*/, '')}`);
      if (request.method === 'PUT') written = true;
      request.resume().on('end', () => {
        if (request.method === 'GET' && !written) response.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>');
        else if (request.method === 'GET') response.writeHead(200).end('other');
        else response.writeHead(request.method === 'DELETE' ? 204 : 200).end();
      });
    };
    const { body } = await check(bucket(), alice);
    expect(listOutcomes(body)).toEqual([
      'reach granted',
      'sign_in granted',
      'write granted',
      'read denied',
      'remove denied',
    ]);
    // One new name, which no export has, and nothing listed.
    expect(new Set(requests.map((request) => request.replace(/^\w+ /, '').replace(/-[0-9a-f-]{36}$/, '')))).toEqual(
      new Set(['/b/.docloom-check']),
    );
  });
});

test('a deep validation tries destinations with the same rights', async () => {
  await start();
  const flow = (config: object) => ({
    flow_name: 'export',
    flow: [
      {
        type: 'ingest_source',
        name: 'ingest',
        config: { provider: 'library', connection_params: { library_id: '1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed' } },
      },
      { type: 'extract_operator', name: 'extract', depends_on: ['ingest'] },
      { type: 'storage', name: 'export', depends_on: ['extract'], config: { formats: ['md'], ...config } },
    ],
  });
  const listCodes = async (config: object, user: typeof alice) => {
    const url = '/api/v1/validation/validate_flow?deep=true';
    const { body } = await api.call('POST', url, { user, body: flow(config) });
    return (body as { errors: { message_code: string; node_name: string }[] }).errors
      .filter(({ node_name }) => node_name === 'export')
      .map(({ message_code }) => message_code);
  };
  const config = { destination: 'folder', path: at('exports/there') };
  expect(await listCodes(config, alice)).toEqual(['EXPORT_NOT_ALLOWED']);
  expect(await listCodes(config, admin)).toEqual([]);
  expect(tried).toEqual(['folder']);
});

test('those who ask at the same time take turns, and an answer that nobody awaits does not keep a turn for ever', async () => {
  await start();
  let now = 0;
  let most = 0;
  const waiting: (() => void)[] = [];
  const inspector = createDestinationInspector({
    destinations: {
      check: async () => {
        most = Math.max(most, ++now);
        await new Promise<void>((resolve) => waiting.push(resolve));
        now -= 1;
        return [];
      },
    },
    connections: { open: async () => [] },
    exportPrincipals: [],
    adminGroups: ['admins'],
  });
  const reader: CheckReader = { ...alice, seesHidden: false };
  const keys = { bucket: 'b', access_key: 'a', secret_key: 'b' };
  const config = { destination: 's3', connection_params: keys };
  const ended = new AbortController();
  const abandoned = Array.from({ length: 4 }, () => inspector.check(config, reader, ended.signal).catch(() => 'left'));
  const { signal } = new AbortController();
  const others = Array.from({ length: 4 }, () => inspector.check(config, reader, signal));
  while (waiting.length < 4) await new Promise(setImmediate);
  ended.abort();
  expect(await Promise.all(abandoned)).toEqual(['left', 'left', 'left', 'left']);
  expect(waiting).toHaveLength(4);
  while (waiting.length > 0) {
    waiting.shift()?.();
    await new Promise(setImmediate);
  }
  expect(await Promise.all(others)).toEqual([[], [], [], []]);
  expect(most).toBe(4);
});

test('an index needs no formats, and its address is not contacted', async () => {
  await start({ hosts: [] });
  const { status, body } = await check({
    destination: 'elasticsearch',
    connection_params: { endpoint_url: 'http://127.1:9200', api_key: 'a2V5', index: 'x' },
  });
  expect([status, body]).toEqual([200, expect.objectContaining({ destination: 'elasticsearch' })]);
});
