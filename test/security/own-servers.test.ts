import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { Client } from '../../client';
import { type ConversionSystem, startConversionSystem } from '../support/system/conversion-system';
import { documentsIn, loggedIn, reading, runToEnd } from '../support/system/over-http';
import { samplePdf } from '../support/system/sample-pdf';

// Targets of flows, conversions, callbacks and outputs: the attacks address loopback only, and no name is resolved elsewhere.
const canary = `canary-${process.pid}-${Date.now()}`;
const secret = 'the-minutes-of-alice';
let service: ConversionSystem;
let alice: Client;
/** No permission allows this address. */
let trap: Server;
let trapPort: number;
const trapped: string[] = [];
/** Allowed by name; sends everybody to the place that the path names. */
let redirector: Server;
let redirectorPort: number;
let searchPort: string;

const search = (method: string, at: string, body?: object) =>
  fetch(`http://${process.env['SEARCH_HOST']}:${searchPort}${at}`, {
    method,
    ...(body ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } } : {}),
  });

beforeAll(async () => {
  searchPort = process.env['SEARCH_PORT'] ?? '9200';
  trap = createServer((request, response) => {
    trapped.push(`${request.method} ${request.url}`);
    response.setHeader('content-type', 'text/plain').end(secret);
  }).listen(0, '127.0.0.1');
  trap.on('connection', () => trapped.push('connection'));
  redirector = createServer((request, response) => {
    response.writeHead(302, { location: encodeURI(decodeURIComponent(request.url?.slice(1) ?? '')) }).end();
  }).listen(0, '127.0.0.1');
  await Promise.all([once(trap, 'listening'), once(redirector, 'listening')]);
  trapPort = (trap.address() as AddressInfo).port;
  redirectorPort = (redirector.address() as AddressInfo).port;
  // The operator allowed too much: even so the servers of the installation are out of reach.
  const allowed = [
    `127.0.0.1:${redirectorPort}`,
    ...['localhost', '127.0.0.0/8', '0.0.0.0/8', '[::1]', '[::]'].map((host) => `${host}:${searchPort}`),
    ...[
      `x://${process.env['TEMPORAL_ADDRESS']}`,
      process.env['TEMPORAL_UI_ADDRESS'],
      process.env['DOCLOOM_S3_ENDPOINT'],
    ].flatMap((address) => (address && URL.canParse(address) ? [`127.0.0.1:${new URL(address).port}`] : [])),
  ];
  service = await startConversionSystem({
    DOCLOOM_ALLOWED_HOSTS: allowed.join(','),
    DOCLOOM_STORAGE: 's3',
    JWT_SECRET_KEY: 'a secret of this test, 0123456789 abcdef',
  });
  ({ client: alice } = await loggedIn(service.url, 'alice'));
  await search('PUT', `/${canary}/_doc/1?refresh=true`, { text: secret });
});
afterAll(async () => {
  await search('DELETE', `/${canary}`);
  await service.stop();
  trap.close();
  redirector.close();
});

/** Spellings of this machine; `P` is the port. */
const spellings = [
  'http://127.0.0.1:P',
  'http://localhost:P',
  'http://LOCALHOST.:P',
  'http://127.1:P',
  'http://2130706433:P',
  'http://0x7f000001:P',
  'http://0177.0.0.1:P',
  'http://x@127.0.0.1:P',
  'http://x:y@127.0.0.1:P',
  'http://127。0。0。1:P',
  'http://１２７.0.0.1:P',
  'http://[::1]:P',
  'http://[::ffff:127.0.0.1]:P',
  'http://[::ffff:7f00:1]:P',
  'http://[64:ff9b::7f00:1]:P',
  'http://[::]:P',
  'http://0.0.0.0:P',
  'http://0:P',
  'http://127.9.9.9:P',
];

test.each([
  ['the search server', () => searchPort, () => `/${canary}/_search`],
  ['a server that is not on the allow-list', () => String(trapPort), () => '/notes.txt'],
])('conversions do not fetch from %s, however it is spelled, nor behind a redirect', async (_name, port, place) => {
  const addresses = spellings.map((spelling) => spelling.replace('P', port()) + place());
  const through = addresses.map((address) => `http://127.0.0.1:${redirectorPort}/${encodeURIComponent(address)}`);
  const convert = async (urls: readonly string[]) => {
    const sources = urls.map((url) => ({ kind: 'http', url }));
    const json = { sources, options: { to_formats: ['md'], abort_on_error: false } };
    const { status, text } = await service.send('POST', '/v1/convert/source', { json });
    return { status, text, detail: (JSON.parse(text) as { detail?: { loc: (string | number)[] }[] }).detail };
  };
  // Rejections based on the address itself are immediate; others happen when the connection is opened.
  const { status, detail = [] } = await convert(addresses);
  expect(status).toBe(422);
  const known = new Set(detail.map(({ loc }) => loc[2]));
  expect(known.size).toBeGreaterThan(2);
  const unknown = addresses.filter((_address, index) => !known.has(index));
  for (const urls of [unknown, through].filter(({ length }) => length > 0)) {
    const { text } = await convert(urls);
    expect(text).not.toContain(secret);
    expect(trapped).toEqual([]);
    const refusals = text.match(/URL is not allowed|cannot be constructed from a URL that includes credentials/g) ?? [];
    // Of many failures the message shows the first; none may have been converted.
    expect(refusals.length).toBeGreaterThan(urls === through ? 2 : 0);
    expect(text).toContain('No document could be converted');
  }
});

test.each(['TEMPORAL_ADDRESS', 'TEMPORAL_UI_ADDRESS', 'DOCLOOM_S3_ENDPOINT'])(
  'conversions do not reach %s',
  async (name) => {
    const input = process.env[name] ?? '';
    const { port } = new URL(input.includes('://') ? input : `x://${input}`);
    const sources = [{ kind: 'http', url: `http://127.0.0.1:${port}/notes.txt` }];
    const { text } = await service.send('POST', '/v1/convert/source', { json: { sources } });
    // The message is the same for any address of this machine, so that it does not reveal the servers.
    const other = await service.send('POST', '/v1/convert/source', {
      json: { sources: [{ kind: 'http', url: 'http://127.0.0.1:9/notes.txt' }] },
    });
    expect(text).toContain("is not allowed by this server's settings");
    expect(text.replaceAll(port, '9')).toBe(other.text);
  },
);

const inline = { kind: 'file', filename: 'a.md', base64_string: Buffer.from('# A').toString('base64') };

async function task(json: object, at = '/v1/convert/source/async') {
  const { status, body, text } = await service.send('POST', at, { json });
  if (status !== 200) return text;
  const { task_id } = body as { task_id: string };
  return JSON.stringify(await service.finished(task_id));
}

test('callbacks do not close an index', async () => {
  const to = (host: string) => ({ url: `http://${host}:${searchPort}/${canary}/_close` });
  const callbacks = [to('127.0.0.1'), to('localhost'), to('2130706433'), to('[::ffff:7f00:1]')];
  callbacks.push({ url: `http://127.0.0.1:${redirectorPort}/${encodeURIComponent(callbacks[0]?.url ?? '')}` });
  callbacks.push({ url: `http://127.0.0.1:${trapPort}/hook` });
  await task({ sources: [inline], callbacks });
  const state = (await (await search('GET', `/_cat/indices/${canary}?format=json`)).json()) as { status: string }[];
  expect(state[0]?.status).toBe('open');
  expect(trapped).toEqual([]);
});

test('targets write to no index and no server that is not allowed', async () => {
  for (const host of [
    `127.1:${searchPort}`,
    `x@localhost:${searchPort}`,
    `0x7f.1:${searchPort}`,
    `127.0.0.1:${trapPort}`,
  ]) {
    const target = { kind: 'put', url: `http://${host}/${canary}/_doc/planted` };
    expect(await task({ sources: [inline], target })).toMatch(/DOCLOOM_ALLOWED_HOSTS/);
    const bucket = { bucket: canary, access_key: 'a', secret_key: 'b', verify_ssl: false };
    const s3 = { kind: 's3', endpoint: host, ...bucket };
    expect(await task({ sources: [inline], target: s3 })).toMatch(/DOCLOOM_ALLOWED_HOSTS/);
    await task({ sources: [s3], target: { kind: 'inbody' } }, '/v1/convert/source/batch');
  }
  expect((await search('GET', `/${canary}/_doc/planted`)).status).toBe(404);
  expect(trapped).toEqual([]);
});

describe('flows', () => {
  const vectordb = (config: object) => ({ type: 'vectordb', name: 'index', depends_on: ['extract'], config });
  const operatorsOf: [string, (folder: string) => object[]][] = [
    ...['127.1', '2130706433', 'x@127.0.0.1', '[::ffff:127.0.0.1]', '127.0.0.1'].map(
      (host): [string, (folder: string) => object[]] => [
        `an index on ${host}`,
        (folder) => [
          ...reading(folder),
          vectordb({ provider: 'opensearch', index_name: canary, provider_config: { host, port: trapPort } }),
        ],
      ],
    ),
    [
      'a Milvus server',
      (folder) => [
        ...reading(folder),
        { type: 'embeddings', name: 'embed', depends_on: ['extract'], config: { type: 'hashing' } },
        {
          ...vectordb({ provider: 'milvus', index_name: 'canary', provider_config: { host: '127.1', port: trapPort } }),
          depends_on: ['embed'],
        },
      ],
    ],
    [
      'a model host',
      (folder) => [
        ...reading(folder),
        {
          type: 'embeddings',
          name: 'embed',
          depends_on: ['extract'],
          config: {
            type: 'local_api',
            provider_config: { model_id: 'm', api_base: `http://2130706433:${trapPort}/v1` },
          },
        },
      ],
    ],
    [
      'a remote converter',
      (folder) => [
        reading(folder)[0] as object,
        {
          type: 'extract_operator',
          name: 'extract',
          depends_on: ['ingest'],
          config: {
            text_extraction: {
              provider: 'service',
              provider_config: { base_url: `http://[::ffff:7f00:1]:${trapPort}`, max_retries: 0 },
            },
          },
        },
      ],
    ],
    [
      'a vision model',
      (folder) => [
        reading(folder)[0] as object,
        {
          type: 'extract_operator',
          name: 'extract',
          depends_on: ['ingest'],
          config: {
            text_extraction: {
              provider: 'local',
              provider_config: {
                pipeline: 'vlm',
                vlm_pipeline: { engine_options: { url: `http://0x7f.1:${trapPort}/v1/chat/completions` } },
              },
            },
          },
        },
      ],
    ],
    [
      'pages',
      () => [
        {
          type: 'ingest_source',
          name: 'ingest',
          config: {
            provider: 'http',
            connection_params: { urls: spellings.map((spelling) => `${spelling.replace('P', String(trapPort))}/a.md`) },
          },
        },
      ],
    ],
    [
      'a bucket',
      () => [
        {
          type: 'ingest_source',
          name: 'ingest',
          config: {
            provider: 's3',
            connection_params: { bucket: canary, endpoint_url: `http://2130706433:${trapPort}` },
          },
        },
      ],
    ],
  ];

  test.each(operatorsOf)('do not reach %s at an address that is not allowed', async (name, operators) => {
    const id = name.replaceAll(/\W+/g, '-');
    const folder = documentsIn(service.system, id, { 'a.md': '# A' }, { allowed_users: ['alice'] });
    writeFileSync(path.join(folder, 'a.pdf'), await samplePdf(['A']));
    const flow = await alice.flows.create({ flow_name: id, flow: operators(folder) as never });
    const run = await runToEnd(alice, flow.flow_id);
    const report = JSON.stringify([run, await service.send('GET', `/api/v1/job_runs/${run.job_run_id}/logs`)]);
    expect(report).not.toContain(secret);
    expect(run.status).not.toBe('COMPLETED');
    expect(trapped).toEqual([]);
  });

  test.each(['127.0.0.1', 'localhost', '127.1', '[::ffff:127.0.0.1]'])(
    'that name the configured search server as %s write over its own connection',
    async (host) => {
      const id = `own-${host.replaceAll(/\W+/g, '-')}`.replace(/-$/, '');
      const folder = documentsIn(service.system, id, { 'a.md': `# A ${id}` }, { allowed_users: ['alice'] });
      const config = {
        provider: 'opensearch',
        index_name: `${service.system.env['SEARCH_DEFAULT_INDEX']}-${id}`,
        provider_config: { host, port: Number(searchPort) },
      };
      const flow = await alice.flows.create({ flow_name: id, flow: [...reading(folder), vectordb(config)] as never });
      expect((await runToEnd(alice, flow.flow_id)).status).toBe('COMPLETED');
      // Only over the server's own connection does an index join the alias that searches read.
      expect((await alice.documents.search({ query: id })).total).toBeGreaterThan(0);
    },
  );
});
