import type { Client } from '../../../client';
import type { FlowOperator } from '../../../model/flow/flow';
import { startPgvector, type TestPgvector } from '../../support/servers/pgvector';
import { findLeaks } from '../../support/system/evidence';
import { documentsIn, loggedIn, reading, runToEnd } from '../../support/system/over-http';
import { createSystem, type System } from '../../support/system/system';

const canary = 'kestreleighteen';
const named = 'minutesofboard';
const store = 'pgvector' as const;
let system: System;
let postgres: TestPgvector;
let address: string;
let alice: { token: string; client: Client };
let bob: typeof alice;
let folder: string;

beforeAll(async () => {
  postgres = await startPgvector();
  system = createSystem({
    DOCLOOM_INGEST_PRINCIPALS: 'user:alice',
    DOCLOOM_ALLOWED_HOSTS: `127.0.0.1:${postgres.port}`,
    DOCLOOM_SEARCH_POSTGRES: `postgres://postgres@${postgres.host}:${postgres.port}/postgres`,
  });
  folder = documentsIn(
    system,
    'docs',
    {
      [`${named}.md`]: `# ${named}\n\nThe ${canary} grazes by the tide gauge.`,
      'open.md': '# Open\n\nA gauge stands by the tide.',
    },
    { allowed_users: ['alice'], files: { 'open.md': ['alice', 'bob'] } },
  );
  [address] = await Promise.all([system.startApi(), system.startWorker()]);
  [alice, bob] = await Promise.all([loggedIn(address, 'alice'), loggedIn(address, 'bob')]);
  const first = await write(alice.client, { host: '127.0.0.1' });
  if (first.status !== 'COMPLETED') throw new Error(`The table could not be written: ${JSON.stringify(first)}`);
});
afterAll(async () => {
  await system.stop();
  await postgres.stop();
});

let count = 0;
/** A run of a new flow that writes the table. */
async function write(client: Client, server: object) {
  const embed: FlowOperator = {
    type: 'embeddings',
    name: 'embed',
    depends_on: ['extract'],
    config: { type: 'hashing' },
  };
  const provider_config = { port: postgres.port, username: 'postgres', ...server };
  const config = { provider: store, index_name: 'minutes', provider_config };
  const index: FlowOperator = { type: 'vectordb', name: 'index', depends_on: ['embed'], config };
  const flow_name = `writes-${(count += 1)}`;
  const { flow_id } = await client.flows.create({ flow_name, flow: [...reading(folder), embed, index] });
  return runToEnd(client, flow_id);
}

/** The reply to bob, without what he asked. */
async function ask(route: string, body?: object): Promise<{ status: number; text: string }> {
  const reply = await fetch(`${address}${route}`, {
    method: body ? 'POST' : 'GET',
    headers: {
      Authorization: `Bearer ${bob.token}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await reply.text();
  return { status: reply.status, text: text.replaceAll(/"query":"[^"]*"/g, '') };
}

describe('the tables of PostgreSQL show bob only what he may read', () => {
  test('whatever he searches for', async () => {
    const requests = [
      {},
      ...['text', 'vector', 'hybrid'].flatMap((mode) =>
        [canary, `${canary.slice(0, -1)}x`, 'tide gauge', named].map((query) => ({ query, mode, explain: true })),
      ),
      { query: 'gauge', group: true, expand: 3, highlight: true, provenance: true },
      { facets: ['title', 'metadata.name', 'metadata.extension'] },
      { filters: { title: { prefix: named.slice(0, 3) } } },
      { filters: { content: { phrase: `The ${canary}` } } },
      { filters: { 'metadata.name': { prefix: named.slice(0, 3) } } },
      { filters: { "metadata.x') OR true --": 'x' } },
      { filters: { 'metadata.x"] ? (1 == 1) : $["y': 'x' } },
      { query: `') OR true --`, index: 'minutes' },
      { sort: [{ title: 'asc' }], index: 'minutes' },
    ];
    for (const request of requests) {
      const { status, text } = await ask('/api/v1/documents/search', { ...request, store });
      expect({ request, status, leaks: findLeaks(text, canary).concat(findLeaks(text, named)) }).toEqual({
        request,
        status: 200,
        leaks: [],
      });
      expect((JSON.parse(text) as { total: number }).total).toBeLessThanOrEqual(1);
    }
    for (const filters of [{ allowed_users: 'alice' }, { 'metadata.allowed_users': 'alice' }, { required_lists: 'x' }])
      expect(await ask('/api/v1/documents/search', { filters, store })).toMatchObject({ status: 422 });
  });

  test('by id, as chunks, as an example, as a completion, in a saved search and as a tool', async () => {
    const { documents } = await alice.client.documents.search({ query: canary, store });
    const [hit] = documents;
    const id = hit?.id ?? '';
    const document = String(hit?.metadata['document_id']);
    const missing = await ask(`/api/v1/documents/nothing?store=${store}`);
    const plain = ({ status, text }: { status: number; text: string }) => [status, text.replace(/"trace":"[^"]*"/, '')];
    for (const route of [id, document, `${document}/chunks`])
      expect(plain(await ask(`/api/v1/documents/${route}?store=${store}`))).toEqual(plain(missing));
    expect(await ask('/api/v1/documents/search', { like: id, store })).toMatchObject({ status: 404 });
    for (const q of [canary.slice(0, 5), named.slice(0, 5)])
      expect(await ask(`/api/v1/documents/suggest?q=${q}&store=${store}`)).toEqual({ status: 200, text: '{"suggestions":[]}' }); // prettier-ignore
    const { search_id } = await alice.client.savedSearches.create({
      name: 'minutes',
      request: { query: 'gauge', store },
      readers: ['bob'],
    });
    const shared = await bob.client.savedSearches.get(search_id);
    const replies = [
      await ask('/api/v1/documents/search', shared.request),
      await ask('/mcp', {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'search_documents', arguments: { query: 'tide gauge', mode: 'hybrid', store } },
      }),
    ];
    for (const { status, text } of replies) {
      expect([status, text.includes('stands by the tide')]).toEqual([200, true]);
      expect([...findLeaks(text, canary), ...findLeaks(text, named)]).toEqual([]);
    }
  });
});

describe('a table belongs to its first writer, however its server is named', () => {
  const spellings = [
    { host: '127.0.0.1' },
    { host: 'localhost' },
    { host: '127.1' },
    { host: '0x7f.0.0.1' },
    { host: '2130706433' },
    { host: '[::ffff:127.0.0.1]' },
    { host: '127.0.0.1.' },
    { host: '127.0.0.1', database: 'postgres' },
  ];
  test.each(spellings)('bob does not write into it: %j', async (server) => {
    expect(await write(bob.client, server)).toMatchObject({
      status: 'FAILED',
      message: expect.stringContaining('INDEX_NOT_OWNED') as string,
      totals: { documents: 0 },
    });
  });

  test('its owner does, under another spelling', async () => {
    expect(await write(alice.client, { host: 'localhost' })).toMatchObject({ status: 'COMPLETED' });
  });
});
