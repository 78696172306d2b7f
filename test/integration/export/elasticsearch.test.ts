import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Reader } from '../../../model/access';
import { type AccessList, mayRead } from '../../../model/access-list';
import type { Row } from '../../../model/flow/row';
import type { RunFacts } from '../../../operators/operator';
import { run } from '../../../operators/storage/run';
import { getExportTarget, type StorageConfig } from '../../../operators/storage/schema';
import { createRowExport } from '../../../services/document-set/document-set-export';
import { connectExports } from '../../../services/export/connect';
import type { Exports } from '../../../services/export/exports';
import { createAddressGuard } from '../../../services/net/address-guard';
import { buildAccessRule } from '../../../services/search/request';
import { connectMongo, type Mongo } from '../../../services/storage/mongo';
import { createDuckdb } from '../../../services/table/duckdb';
import { contextFor, documentRow } from '../../support/operators/operator-test-support';
import type { StartedServer } from '../../support/servers/cached-server';
import { startElasticsearch } from '../../support/servers/elasticsearch/elasticsearch';

let server: StartedServer;
let gate: Gate;
let mongo: Mongo;
let exports: Exports;
beforeAll(async () => {
  server = await startElasticsearch();
  gate = await startGate(server.port);
  const url = new URL(process.env['MONGODB_URL'] ?? '');
  url.pathname = `/elastic-${randomUUID().slice(0, 8)}`;
  mongo = connectMongo(url.toString());
  exports = open(['127.0.0.1']);
}, 10 * 60_000);
afterAll(async () => {
  await gate.stop();
  await server.stop();
  await mongo.close();
});

const key = 'a2V5OnNlY3JldA==';
const open = (rules: Parameters<typeof createAddressGuard>[0]) =>
  connectExports(mongo, createAddressGuard(rules), {
    limits: { roots: [], closed: [] },
    rows: createRowExport(createDuckdb()),
  }).exports;

interface Gate {
  address: string;
  /** Number of coming bulk requests whose reply is lost after the server has written. */
  losesReplies: number;
  /** Number of coming bulk requests of which the server gets only the first half. */
  halves: number;
  requests: string[];
  stop(): Promise<void>;
}

/** Admits only requests with the API key, and loses replies like a network. */
async function startGate(port: number): Promise<Gate> {
  const gate: Gate = { address: '', losesReplies: 0, halves: 0, requests: [], stop: async () => undefined };
  const pass = async (request: IncomingMessage, response: ServerResponse) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    gate.requests.push(`${request.method} ${request.url}`);
    if (request.headers.authorization !== `ApiKey ${key}`) {
      response.writeHead(401, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { type: 'security_exception', reason: 'missing authentication' } }));
      return;
    }
    const isBulk = request.url?.endsWith('/_bulk') === true;
    let body = Buffer.concat(parts);
    const isHalf = isBulk && gate.halves > 0;
    if (isHalf) {
      const lines = body.toString().trimEnd().split('\n');
      body = Buffer.from(`${lines.slice(0, Math.max(2, Math.floor(lines.length / 4) * 2)).join('\n')}\n`);
      gate.halves -= 1;
    }
    const type = request.headers['content-type'];
    const reply = await fetch(`http://127.0.0.1:${port}${request.url}`, {
      method: request.method ?? 'GET',
      headers: type === undefined ? {} : { 'content-type': type },
      ...(body.length > 0 ? { body } : {}),
    });
    const text = await reply.text();
    if (isHalf || (isBulk && gate.losesReplies > 0)) {
      if (!isHalf) gate.losesReplies -= 1;
      request.socket.destroy();
      return;
    }
    response.writeHead(reply.status, { 'content-type': reply.headers.get('content-type') ?? 'text/plain' });
    response.end(text);
  };
  const proxy: Server = createServer((request, response) => void pass(request, response));
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  gate.address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  gate.stop = async () => {
    proxy.closeAllConnections();
    await new Promise((resolve) => proxy.close(resolve));
  };
  return gate;
}

const configFor = (index: string, params: object = {}, change: object = {}): StorageConfig => ({
  destination: 'elasticsearch',
  connection_params: { endpoint_url: gate.address, api_key: key, index, ...params },
  ...change,
});
const facts = (change: Partial<RunFacts> = {}): RunFacts => ({ ...contextFor().run, ...change });
const write = (rows: readonly Row[], config: StorageConfig, runFacts: Partial<RunFacts> = {}, services = exports) =>
  run(rows, config, contextFor({ exports: services }, { run: facts(runFacts), operator: 'export' }));
const remove = (config: StorageConfig, scope: Parameters<Exports['remove']>[1]) =>
  exports.remove(getExportTarget(config), scope);
const chunk = (document: string, index: number, content: string, change: Partial<Row> = {}) =>
  documentRow(`${document}-${index}`, content, { document_id: document, chunk_index: index, ...change });

async function call(path: string, method = 'GET', body?: object): Promise<Record<string, never>> {
  const reply = await fetch(`http://127.0.0.1:${server.port}${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return (await reply.json()) as Record<string, never>;
}
interface Hit {
  _id: string;
  _source: Record<string, unknown>;
}
async function search(index: string, body: object): Promise<Hit[]> {
  await call(`/${index}/_refresh`, 'POST');
  const { hits } = (await call(`/${index}/_search`, 'POST', { size: 1_000, ...body })) as unknown as {
    hits: { hits: Hit[] };
  };
  return hits.hits;
}
const ids = async (index: string, body: object = {}) => (await search(index, body)).map(({ _id }) => _id).toSorted();

test('Elasticsearch finds exported rows by words, by numbers and by vectors, and knows their fields', async () => {
  const rows = [
    chunk('a', 0, 'The tide gauge of Cuxhaven', { embeddings: [1, 0, 0], page_numbers: [3] }),
    chunk('a', 1, 'Maintenance of pumps', { embeddings: [0, 1, 0], metadata: { year: 2024, 'no..name': 'x', '': 1 } }),
    chunk('b', 0, 'Ein Pegel', { embeddings: [0, 0.9, 0.1] }),
  ];
  const result = await write(rows, configFor('found'));
  expect(result).toMatchObject({ rows, failed: [], metrics: { exported_documents: 2, exported_records: 3 } });
  expect(await ids('found', { query: { match: { content: 'gauge' } } })).toEqual(['a-0']);
  expect(await ids('found', { query: { range: { 'metadata.year': { gte: 2_000 } } } })).toEqual(['a-1']);
  expect(await ids('found', { query: { term: { 'metadata.page_numbers': 3 } } })).toEqual(['a-0']);
  const knn = { field: 'embedding', query_vector: [0, 1, 0], k: 2, num_candidates: 10 };
  expect((await search('found', { knn })).map(({ _id }) => _id)).toEqual(['a-1', 'b-0']);
  const [record] = await search('found', { query: { ids: { values: ['a-0'] } } });
  expect(record?._source).toMatchObject({
    id: 'a-0',
    document_id: 'a',
    job_id: 'job',
    run_id: 'run',
    allowed_users: ['alice'],
    embedding: [1, 0, 0],
    title: 'a-0.md',
  });
  const mapped = (await call('/found/_mapping')) as unknown as {
    found: { mappings: { dynamic: string; properties: Record<string, unknown> } };
  };
  expect(mapped.found.mappings.dynamic).toBe('strict');
  expect(mapped.found.mappings.properties['embedding']).toMatchObject({
    type: 'dense_vector',
    dims: 3,
    similarity: 'cosine',
  });
});

test('however attempts end, every row is one record, and a changed document keeps no old ones', async () => {
  const config = configFor('once');
  const rows = Array.from({ length: 40 }, (_, index) => chunk(`d${index % 4}`, index, `text ${index}`));
  gate.losesReplies = 2;
  await write(rows, config);
  gate.halves = 1;
  await Promise.all([write(rows, config), write(rows, config)]);
  expect(await ids('once')).toEqual(rows.map(({ id }) => id).toSorted());
  const documentIds = ['d0', 'd1', 'd2', 'd3'];
  await write([chunk('d0', 0, 'shorter')], config, { runId: 'run2' });
  expect(await remove(config, { jobId: 'job', documentIds: ['d0'], keepRunId: 'run2' })).toBe(0);
  expect(await ids('once', { query: { term: { document_id: 'd0' } } })).toEqual(['d0-0']);
  expect(await exports.listPlaceKeys('job', documentIds)).toHaveLength(1);
  expect(await remove(config, { jobId: 'job', documentIds: ['d0', 'd1', 'unknown'] })).toBe(2);
  expect(await ids('once', { query: { terms: { document_id: ['d0', 'd1'] } } })).toEqual([]);
  expect(await ids('once')).toHaveLength(20);
  expect(await remove(config, { jobId: 'job', documentIds: ['d0'] })).toBe(0);
  expect(await remove(config, { jobId: 'another', documentIds })).toBe(0);
  expect(await ids('once')).toHaveLength(20);
});

test('the query of the documentation returns what each reader may read', async () => {
  const principals = ['g:login:a', 'g:login:b', 'i:share:7', 'p:*', 'u:bob'];
  const some = (values: readonly string[], share: number) => values.filter(() => Math.random() < share);
  const rows = Array.from({ length: 300 }, (_, index): Row => {
    const list: AccessList = {
      allowed_users: some(['alice', 'bob', 'eve'], 0.3),
      allowed_principals: some(principals, 0.25),
      denied_principals: some(principals, 0.1),
      required_lists: Array.from({ length: index % 3 }, () => JSON.stringify(some(principals, 0.6))),
    };
    return documentRow(`r${String(index).padStart(3, '0')}`, 'text', list as Partial<Row>);
  });
  await write(rows, configFor('rights'));
  const readers: Reader[] = [
    { username: 'alice', principals: ['u:alice', 'p:*', 'g:login:a'] },
    { username: 'bob', principals: ['u:bob', 'p:*'] },
    { username: 'eve', principals: ['u:eve', 'p:*', 'g:login:b', 'i:share:7'] },
    { username: 'a', principals: ['u:a'] },
  ];
  for (const reader of readers) {
    const readable = rows.filter((row) => mayRead(reader, row)).map(({ id }) => id);
    const { principals: all = [] } = reader;
    const documented = {
      bool: {
        should: [{ term: { allowed_users: reader.username } }, { terms: { allowed_principals: all } }],
        minimum_should_match: 1,
        must_not: [
          { terms: { denied_principals: all } },
          {
            nested: {
              path: 'required_lists',
              query: { bool: { must_not: [{ terms: { 'required_lists.principals': all } }] } },
            },
          },
        ],
      },
    };
    expect(await ids('rights', { query: documented })).toEqual(readable);
    expect(await ids('rights', { query: buildAccessRule(reader) })).toEqual(readable);
  }
});

test('documents that part of the audience may not read never leave', async () => {
  const rows = [documentRow('secret', 'x'), documentRow('open', 'x', { allowed_principals: ['p:*'] })];
  const result = await write(rows, configFor('audience', {}, { audience: ['p:*'] }));
  expect(result.metrics).toMatchObject({ withheld_from_export: 1, exported_documents: 1 });
  expect(await ids('audience')).toEqual(['open']);
});

test('an index of another program and an alias of one are refused and stay as they are', async () => {
  await call('/foreign', 'PUT', { aliases: { live: {} } });
  const refused = { code: 'EXPORT_NOT_ALLOWED' };
  const rows = [documentRow('a', 'x')];
  await expect(write(rows, configFor('foreign'))).rejects.toMatchObject(refused);
  await expect(write(rows, configFor('live'))).rejects.toMatchObject(refused);
  await expect(write(rows, configFor('mine', { alias: 'live' }))).rejects.toMatchObject(refused);
  expect(await ids('foreign')).toEqual([]);
  expect(await call('/_alias/live')).toEqual({ foreign: { aliases: { live: {} } } });
});

test('an index belongs to its first writer, who can admit others and whose alias nobody takes over', async () => {
  const rows = [documentRow('a', 'x')];
  const alias = { alias: 'handbook' };
  await write(rows, configFor('hers', alias));
  await exports.finish(getExportTarget(configFor('hers', alias)), { ...writerOf('alice', 'run'), jobId: 'job' });
  expect(Object.keys(await call('/_alias/handbook'))).toEqual(['hers']);
  const bob = { owner: 'bob', jobOwner: 'bob', jobId: 'job-of-bob', writers: ['bob'] };
  const others = [documentRow('b', 'x')];
  const refused = { code: 'INDEX_NOT_OWNED' };
  await expect(write(others, configFor('hers'), { ...bob, runId: 'b1' })).rejects.toMatchObject(refused);
  await expect(write(others, configFor('his', alias), { ...bob, runId: 'b2' })).rejects.toMatchObject(refused);
  await write(others, configFor('his'), { ...bob, runId: 'b3' });
  const taken = exports.finish(getExportTarget(configFor('his', alias)), writerOf('bob', 'b4'));
  await expect(taken).rejects.toMatchObject(refused);
  expect(Object.keys(await call('/_alias/handbook'))).toEqual(['hers']);
  await write(rows, configFor('hers', {}, { writers: ['bob'] }), { runId: 'run3' });
  await write(others, configFor('hers'), { ...bob, runId: 'b5' });
  expect(await ids('hers')).toEqual(['a', 'b']);
});
const writerOf = (owner: string, runId: string) => ({ runId, jobId: `job-of-${owner}`, owner, users: [owner] });

test('the alias is switched at the end of the run, in one step', async () => {
  const alias = { alias: 'switched' };
  const finish = (index: string) =>
    exports.finish(getExportTarget(configFor(index, alias)), { ...writerOf('alice', 'run'), jobId: 'job' });
  await finish('never-written');
  expect(await call('/_alias/switched')).toMatchObject({ status: 404 });
  for (const index of ['first', 'second']) {
    await write([documentRow('a', index)], configFor(index, alias));
    await finish(index);
    expect(Object.keys(await call('/_alias/switched'))).toEqual([index]);
  }
});

test('vectors of another dimension stop the run; a vector that the server rejects fails its document only', async () => {
  await write([chunk('a', 0, 'x')], configFor('vectors'));
  await write([chunk('b', 0, 'x', { embeddings: [1, 0] })], configFor('vectors'));
  const other = write([chunk('c', 0, 'x', { embeddings: [1, 0, 0] })], configFor('vectors'));
  await expect(other).rejects.toMatchObject({ code: 'EMBEDDING_DIMENSION_MISMATCH' });
  const rows = [chunk('d', 0, 'x', { embeddings: [0, 0] }), chunk('e', 0, 'x', { embeddings: [0, 1] })];
  const result = await write(rows, configFor('vectors'));
  expect(result.failed).toMatchObject([{ id: 'd', code: 'SEARCH_INDEX_ERROR' }]);
  expect(result.failed?.[0]?.message).toContain('zero magnitude');
  expect(result.rows.map(({ id }) => id)).toEqual(['e-0']);
  expect(await ids('vectors')).toEqual(['a-0', 'b-0', 'e-0']);
});

test('nothing is sent to private addresses, to the search server of the installation, or with a wrong key', async () => {
  const rows = [documentRow('a', 'x')];
  const before = gate.requests.length;
  const own = { host: '127.0.0.1', port: Number(new URL(gate.address).port) };
  const denied = { code: 'ADDRESS_NOT_ALLOWED' };
  await expect(write(rows, configFor('no'), {}, open([]))).rejects.toMatchObject(denied);
  const installation = open({ allowed: ['127.0.0.1'], own: [own] });
  await expect(write(rows, configFor('no'), {}, installation)).rejects.toMatchObject(denied);
  expect(gate.requests).toHaveLength(before);
  const wrong = write(rows, configFor('no', { api_key: 'wrong' }));
  await expect(wrong).rejects.toMatchObject({ code: 'EXPORT_NOT_ALLOWED' });
  await expect(wrong).rejects.not.toThrow('wrong');
  expect(await call('/no')).toMatchObject({ status: 404 });
});
