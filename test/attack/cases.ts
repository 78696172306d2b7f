import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import jwt from 'jsonwebtoken';
import { agentTools } from './agent';
import { heavyBodies } from './bodies';
import { bombs, foreignMembers } from './files';
import { factsOfGraphs } from './graphs';
import type { Finding } from './judge';
import { leaks } from './judge';
import { apiKeys } from './keys';
import { parameters } from './parameters';
import { doubleSubmit, nextPages } from './races';
import { getStatus } from './server';
import { webhooks } from './webhooks';
import type { World } from './world';

/** The findings of an attack: empty if it was rejected correctly. */
export type Case = (world: World, listener: Listener) => Promise<string[]>;

/** A server on this machine, to which nothing that the attacks name may lead. */
export interface Listener {
  port: number;
  /** The received requests. */
  received: string[];
}

/** Texts that lead to this machine, in spellings that a guard could miss. */
export const spellings = (port: number): string[] =>
  [
    ...['127.0.0.1', 'localhost', 'LOCALHOST.', '127.1', '2130706433', '0x7f000001', '017700000001', '0.0.0.0'],
    ...[
      '[::1]',
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
      '[64:ff9b::7f00:1]',
      '127。0。0。1',
      '127.0.0.1',
      'x@127.0.0.1',
    ],
  ].map((host) => `${host}:${port}`);

const tokens: Case = async (world) => {
  const claims = jwt.decode(world.account('admin').token) as Record<string, unknown>;
  const [header, payload, signature] = world.account('other').token.split('.') as [string, string, string];
  const changed = Buffer.from(JSON.stringify({ ...claims, username: world.account('owner').username }));
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const forged = {
    'without a signature': `${part({ alg: 'none', typ: 'JWT' })}.${part(claims)}.`,
    'with claims of another user': `${header}.${changed.toString('base64url')}.${signature}`,
    'signed with an empty key': `${part({ alg: 'HS256', typ: 'JWT' })}.${payload}.`,
    'signed with a key of the attacker': jwt.sign(claims, 'a key of the attacker that is long enough'),
  };
  const found: string[] = [];
  for (const [what, token] of Object.entries(forged)) {
    const { status } = await world.send({ method: 'GET', path: '/auth/me', token });
    if (status !== 401) found.push(`a token ${what} gets ${status}`);
  }
  return found;
};

const hostHeader: Case = async (world) => {
  const foreign = ['attacker.example', 'localhost.attacker.example', '127.0.0.1.nip.io'];
  const found = await Promise.all(
    foreign.map(async (name) => [name, await getStatus(`${world.url}/api/v1/openapi.json`, { Host: name })] as const),
  );
  return found.filter(([, status]) => status !== 421).map(([name, status]) => `the host name ${name} gets ${status}`);
};

const webSocketOrigin: Case = async (world) => {
  const { body } = await world.ask('owner', {
    method: 'POST',
    path: '/v1/convert/source/async',
    body: ownSource(world),
  });
  const headers = {
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
    Origin: 'https://attacker.example',
    Authorization: `Bearer ${world.account('owner').token}`,
  };
  const status = await getStatus(`${world.url}/v1/status/ws/${(body as { task_id: string }).task_id}`, headers);
  return status === 101 ? ['a page of another origin opens a WebSocket'] : [];
};

const ownSource = (world: World) => ({
  sources: [
    { kind: 'file', filename: 'own.md', base64_string: Buffer.from(world.canary('document')).toString('base64') },
  ],
});

/** Sources, callbacks and targets of conversions at this machine. */
const addresses: Case = async (world, { port, received }) => {
  const found: string[] = [];
  const own = new URL(world.url);
  for (const place of [...spellings(port), own.host]) {
    const url = `http://${place}/canary`;
    const requests = [
      { sources: [{ kind: 'http', url }] },
      { ...ownSource(world), callbacks: [{ url }] },
      { ...ownSource(world), target: { kind: 'put', url } },
    ];
    for (const body of requests) {
      const answer = await world.ask('other', { method: 'POST', path: '/v1/convert/source', body });
      if (received.length > 0) found.push(`${JSON.stringify(body).slice(0, 200)} reaches this machine`);
      if (
        answer.status === 200 &&
        (answer.body as { status?: string }).status === 'success' &&
        'kind' in body.sources[0]! &&
        body.sources[0].kind === 'http'
      )
        found.push(`the source ${url} is converted`);
      received.length = 0;
    }
  }
  return found;
};

/** Operators of flows that ask this machine, when a flow is checked and when it runs. */
const addressesOfFlows: Case = async (world, { port, received }) => {
  const found: string[] = [];
  const api_base = `http://127.0.0.1:${port}`;
  const model = { model_id: 'm', api_base, api_key: `\${connection:${world.ids['connection_name']}}` };
  const flows = [
    [
      {
        type: 'ingest_source',
        name: 'ingest',
        config: { provider: 'http', connection_params: { urls: [`${api_base}/a`] } },
      },
    ],
    [
      {
        type: 'ingest_source',
        name: 'ingest',
        config: { provider: 'web', connection_params: { sitemaps: [`${api_base}/a`] } },
      },
    ],
    [{ type: 'embeddings', name: 'embed', config: { type: 'ollama', provider_config: model } }],
  ];
  for (const flow of flows) {
    const body = { flow_name: world.stage.nameOf('probe'), flow };
    await world.ask('other', { method: 'POST', path: '/api/v1/validation/validate_flow?deep=true', body });
    if (received.length > 0) found.push(`a check of ${flow[0]?.type} asks this machine`);
    received.length = 0;
  }
  return found;
};

/** A run by another user over files of the server, with the owner's connection and into the owner's index. */
const foreignThings: Case = async (world, { received }) => {
  const { flows, jobRuns } = world.client('other');
  const files = { provider: 'filesystem', connection_params: { paths: ['/proc/self', '/etc', '.docloom', '..'] } };
  const extract = { type: 'extract_operator', name: 'extract', depends_on: ['ingest'] };
  const library = { provider: 'library', connection_params: { library_id: world.ids['library_id'] } };
  const own = await ownLibrary(world);
  const model = {
    type: 'ollama',
    provider_config: {
      model_id: 'm',
      api_base: 'http://127.0.0.1:9',
      api_key: `\${connection:${world.ids['connection_name']}}`,
    },
  };
  const into = { provider: 'opensearch', index_name: world.ids['index_name'] };
  const attempts = {
    'reads files of the server': [{ type: 'ingest_source', name: 'ingest', config: files }, extract],
    'reads a library of the owner': [{ type: 'ingest_source', name: 'ingest', config: library }, extract],
    'writes into an index of the owner': [{ type: 'ingest_source', name: 'ingest', config: own }, extract, { type: 'vectordb', name: 'index', depends_on: ['extract'], config: into }], // prettier-ignore
    'uses a connection of the owner': [{ type: 'ingest_source', name: 'ingest', config: own }, extract, { type: 'embeddings', name: 'embed', depends_on: ['extract'], config: model }], // prettier-ignore
  };
  const found: string[] = [];
  for (const [what, flow] of Object.entries(attempts)) {
    const { flow_id } = await flows.create({ flow_name: world.stage.nameOf('foreign'), flow } as never);
    world.remember('other', `/api/v1/flows/${flow_id}`);
    const { job_run_id } = await jobRuns.create({ flow_id });
    world.remember('other', `/api/v1/job_runs/${job_run_id}`);
    const run = await world.finished('other', job_run_id);
    if (run.status.startsWith('COMPLETED') && (run.totals?.completed ?? 0) > 0)
      found.push(`a run of another user ${what}`);
    const shown = await world.ask('other', { method: 'GET', path: `/api/v1/job_runs/${job_run_id}?include_logs=true` });
    found.push(...leaks('other', shown, world.canaries).map((leak) => `a run that ${what} shows ${leak}`));
  }
  if (received.length > 0) found.push('a run of another user reaches this machine');
  return found;
};

/** A library with a document of the attacker's own. */
async function ownLibrary(world: World): Promise<object> {
  const { documentLibraries } = world.client('other');
  const { library_id } = await documentLibraries.create({ name: world.stage.nameOf('foreign') });
  world.remember('other', `/api/v1/document-libraries/${library_id}`);
  await documentLibraries.upload(library_id, { name: 'mine.md', content: new Blob(['# Mine']) });
  return { provider: 'library', connection_params: { library_id } };
}

/** Searches of others for the owner's document, and filters that would name the access list. */
const searches: Case = async (world) => {
  const query = world.canary('document');
  const owner = world.account('owner').username;
  const requests = [
    { query },
    { query: '*', filters: { allowed_users: owner } },
    { query, filters: { 'allowed_users.keyword': { not: ['x'] } } },
    { query, index: world.ids['index_name'] },
    { query, mode: 'hybrid' },
    { like: world.ids['document_id'] },
    { query, facets: ['allowed_users', 'title', 'metadata.name'] },
    { query, allowed_users: [owner] },
  ];
  const found: string[] = [];
  for (const role of ['other', 'reader', 'member', 'admin'] as const)
    for (const body of requests) {
      const answer = await world.ask(role, { method: 'POST', path: '/api/v1/documents/search', body });
      // The search may repeat the words of the question.
      const text = answer.text.replaceAll(JSON.stringify(query), '""');
      const shown = leaks(role, { ...answer, text }, world.canaries);
      const hits = (answer.body as { documents?: { id: string }[] }).documents ?? [];
      if (shown.length > 0 || hits.some(({ id }) => id === world.ids['document_id']))
        found.push(`${role} finds the document with ${JSON.stringify(body).slice(0, 120)}`);
    }
  return found;
};

/** A reader runs the flow unchanged, without own resources. */
const configurationOfReaders: Case = async (world) => {
  const configuration = { force_ingest: true, ingest: { connection_params: { paths: ['/'] } } };
  const body = { entity: { job: { asset_ref: world.ids['flow_id'] }, job_run: { configuration } } };
  const { status, body: told } = await world.ask('reader', { method: 'POST', path: '/api/v1/job_runs', body });
  if (status === 201) world.remember('reader', `/api/v1/job_runs/${(told as { job_run_id: string }).job_run_id}`);
  return status === 403 ? [] : [`a reader who passes a configuration gets ${status}`];
};

/** No user clears results of another, and each clears only their own. */
const clearing: Case = async (world) => {
  const { body } = await world.ask('owner', {
    method: 'POST',
    path: '/v1/convert/source/async',
    body: ownSource(world),
  });
  const { task_id } = body as { task_id: string };
  await world.ask('owner', { method: 'GET', path: `/v1/status/poll/${task_id}?wait=30` });
  for (const role of ['nobody', 'other', 'admin'] as const)
    await world.ask(role, { method: 'GET', path: '/v1/clear/results?older_then=0' });
  const { status } = await world.ask('owner', { method: 'GET', path: `/v1/result/${task_id}` });
  return status === 200 ? [] : [`after others cleared results, the owner's gets ${status}`];
};

/** Guesses at one name in several spellings are counted together. */
const guessing: Case = async (world) => {
  const name = world.stage.nameOf('guess');
  const statuses: number[] = [];
  for (let turn = 0; turn < 12; turn += 1) {
    const username = `${' '.repeat(turn % 3)}${turn % 2 ? name.toUpperCase() : name}${' '.repeat(turn % 4)}`;
    const body = { username, password: `guess-${turn}` };
    statuses.push((await world.ask('nobody', { method: 'POST', path: '/auth/login', body })).status);
  }
  // 503: this server has no directory, so nothing can be guessed.
  return statuses.some((status) => status === 429 || status === 503) ? [] : ['twelve guesses of a password in a row'];
};

/** Descriptions for the report. */
export const allCases: Readonly<Record<string, Case>> = {
  'forged tokens': tokens,
  'foreign host names (DNS rebinding)': hostHeader,
  'WebSocket of a foreign page': webSocketOrigin,
  'sources, callbacks and targets at this machine': addresses,
  'operators that ask this machine': addressesOfFlows,
  "files of the server, and the owner's library, index and connection": foreignThings,
  "searches for another user's document": searches,
  'facts of a graph whose documents its readers may not read': factsOfGraphs,
  'tools of an agent (/mcp)': agentTools,
  'configuration of a reader': configurationOfReaders,
  'clearing of results': clearing,
  'guessing of passwords': guessing,
  'API keys of smaller scope, and revoked ones': apiKeys,
  'webhooks at this machine': webhooks,
  'parameters that name a store, a state or failed documents': parameters,
  'links and foreign paths in archives': foreignMembers,
  'archives that expand without limit': bombs,
  'bodies that hold up everybody else': heavyBodies,
  'one idempotency key by two users': doubleSubmit,
  'rights that are removed between two pages': nextPages,
};

/** Carries the cases out. */
export async function attackByCases(
  world: World,
  cases: Readonly<Record<string, Case>>,
): Promise<{ tried: number; findings: Finding[] }> {
  const { server, listener } = await listen();
  const findings: Finding[] = [];
  try {
    for (const [attack, run] of Object.entries(cases)) {
      await world.restore();
      listener.received.length = 0;
      findings.push(...(await run(world, listener)).map((text) => ({ kind: 'through' as const, attack, text })));
    }
  } finally {
    server.close();
  }
  return { tried: Object.keys(cases).length, findings };
}

async function listen(): Promise<{ server: Server; listener: Listener }> {
  const received: string[] = [];
  const server = createServer((request, response) => {
    received.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`);
    response.setHeader('Content-Type', 'text/html').end('<p>A page of this machine.</p>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, listener: { port: (server.address() as AddressInfo).port, received } };
}
