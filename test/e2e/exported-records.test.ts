import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createClient } from '../../client';
import type { FlowDefinition } from '../../model/flow/flow';
import { createTokens } from '../../services/login/tokens';
import type { StartedServer } from '../support/servers/cached-server';
import { startElasticsearch } from '../support/servers/elasticsearch/elasticsearch';
import { reading, runToEnd } from '../support/system/over-http';
import { createSystem, type System } from '../support/system/system';

const secret = 'a-key-that-signs-tokens-of-this-test-0123456789';
let elastic: StartedServer;
let system: System;
let address: string;
beforeAll(async () => {
  elastic = await startElasticsearch();
  system = createSystem({ JWT_SECRET_KEY: secret, DOCLOOM_ALLOWED_HOSTS: `127.0.0.1:${elastic.port}` });
  mkdirSync(path.join(system.folder, 'docs'));
  address = await system.startApi({ JWT_SECRET_KEY: secret });
  await system.startWorker();
}, 10 * 60_000);
afterAll(async () => {
  await system.stop();
  await elastic.stop();
});

const put = (name: string, text: string) => writeFileSync(path.join(system.folder, 'docs', name), text);
const url = () => `http://127.0.0.1:${elastic.port}`;

/** Texts of the records behind the alias, by name of the document. */
async function getRecords(): Promise<[string, string][]> {
  const reply = await fetch(`${url()}/handbook/_search?size=100&sort=id`);
  const { hits } = (await reply.json()) as {
    hits: { hits: { _source: { content: string; metadata: { name: string }; allowed_users: string[] } }[] };
  };
  expect(hits.hits.every(({ _source }) => _source.allowed_users.join() === 'bob')).toBe(true);
  return hits.hits
    .map(({ _source }): [string, string] => [_source.metadata.name, _source.content])
    .toSorted(([a], [b]) => a.localeCompare(b));
}

test('a flow keeps an index of Elasticsearch like its source, with the secret of a connection', async () => {
  put('a.txt', 'The first text.');
  put('b.txt', 'The second text, which is longer than fifty characters. So it becomes two chunks, or even three.');
  const user = { username: 'bob', email: '', full_name: '', groups: [] };
  const token = createTokens({ secret, expireMinutes: 5 }).issue(user);
  const client = createClient({ baseUrl: address, token });
  const connection = { name: 'elastic', type: 'elasticsearch', secret: 'a2V5OnNlY3JldA==' } as const;
  await client.connections.create({ ...connection, hosts: ['127.0.0.1'] });
  await client.connections.create({ ...connection, name: 'other', hosts: ['search.example.org'] });
  const define = (name: string, api_key: string): FlowDefinition => ({
    flow_name: `${name}-${system.env['DOCLOOM_TASK_QUEUE']}`,
    flow: [
      ...reading(path.join(system.folder, 'docs')),
      { type: 'chunker', name: 'chunk', depends_on: ['extract'], config: { chunk_size: 50, chunk_overlap: 0 } },
      {
        type: 'storage',
        name: 'export',
        depends_on: ['chunk'],
        config: {
          destination: 'elasticsearch',
          connection_params: { endpoint_url: url(), index: 'handbook-1', alias: 'handbook', api_key },
        },
      },
    ],
  });
  const elsewhere = await client.flows.create(define('elsewhere', '${connection:other}'));
  const refused = await runToEnd(client, elsewhere.flow_id);
  expect(refused).toMatchObject({ status: 'FAILED', message: expect.stringContaining('127.0.0.1') });

  const { flow_id } = await client.flows.create(define('handbook', '${connection:elastic}'));
  const first = await runToEnd(client, flow_id);
  expect(first.status).toMatch(/^COMPLETED/);
  const before = await getRecords();
  expect(before.length).toBeGreaterThan(2);
  expect(before[0]).toEqual(['a.txt', 'The first text.']);

  put('b.txt', 'Now it is short.');
  rmSync(path.join(system.folder, 'docs', 'a.txt'));
  put('c.txt', 'A third one.');
  expect((await runToEnd(client, flow_id)).status).toMatch(/^COMPLETED/);
  expect(await getRecords()).toEqual([
    ['b.txt', 'Now it is short.'],
    ['c.txt', 'A third one.'],
  ]);
});
