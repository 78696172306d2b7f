import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createFlowInspection } from '../../../api/flow/inspection';
import { createSourceInspector } from '../../../api/source/inspector';
import type { FlowDefinition } from '../../../model/flow/flow';
import { operators } from '../../../operators';
import { createEmbedder } from '../../../services/embedding/embedder';
import { createSearch } from '../../../services/search/search';
import { createSources } from '../../../services/source/sources';
import { alice, startApi } from '../../support/api/server';
import { cleanUp, config, never, raw, remember, spec } from '../../support/system/search-fixture';

const search = createSearch(config);
const away = createSearch({ ...config, SEARCH_PORT: 1 });
let folder = '';
let server: Server;
let base = '';
let requests = 0;

beforeAll(async () => {
  folder = await realpath(await mkdtemp(path.join(tmpdir(), 'deep-')));
  await writeFile(path.join(folder, 'a.txt'), 'text');
  server = createServer((request, response) => {
    request.resume().on('end', () => {
      requests += 1;
      response.end(JSON.stringify({ embeddings: [[1, 2, 3]] }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await Promise.all([search.close(), away.close(), cleanUp(), rm(folder, { recursive: true })]);
  await new Promise((resolve) => server.close(resolve));
});

interface Given {
  paths?: string[];
  embed?: Record<string, unknown>;
  index?: Record<string, unknown>;
}
const getFlow = ({ paths = [folder], embed = { type: 'hashing' }, index = {} }: Given): FlowDefinition => ({
  flow_name: 'deep',
  flow: [
    { type: 'ingest_source', name: 'ingest', config: { connection_params: { paths } } },
    { type: 'extract_operator', name: 'extract', depends_on: ['ingest'] },
    { type: 'chunker', name: 'chunk', depends_on: ['extract'] },
    { type: 'embeddings', name: 'embed', depends_on: ['chunk'], config: embed },
    { type: 'vectordb', name: 'index', depends_on: ['embed'], config: { index_name: 'deep-none', ...index } },
  ],
});
function inspect(input: Given, services: { search?: typeof search; localHost?: string } = {}) {
  const embedder = createEmbedder({ ...config, LOCALMODEL_HOST: services.localHost ?? base });
  const inspection = createFlowInspection({
    search: services.search ?? search,
    embedder,
    destinations: { check: async () => [] },
    sources: createSourceInspector({ sources: createSources({ roots: [folder] }) }),
  });
  return inspection
    .inspect(getFlow(input), new Set(), never)
    .then(({ errors, warnings }) =>
      [...errors, ...warnings].map((error) => [error.message_code, error.node_name, error.pointer]),
    )
    .finally(() => embedder.close());
}

test('a flow whose servers, folders and model exist has no findings, and no index is created', async () => {
  expect(await inspect({})).toEqual([]);
  expect(await raw('GET', '/deep-none')).toMatchObject({ status: 404 });
});

test('missing and forbidden folders are reported', async () => {
  expect(await inspect({ paths: [path.join(folder, 'none')] })).toEqual([
    ['SOURCE_NOT_FOUND', 'ingest', '/flow/0/config/connection_params'],
  ]);
  expect(await inspect({ paths: ['/'] })).toEqual([
    ['SOURCE_NOT_ALLOWED', 'ingest', '/flow/0/config/connection_params'],
  ]);
});

test('an unavailable search server is reported', async () => {
  expect(await inspect({}, { search: away })).toEqual([
    ['SEARCH_CONNECTION_FAILED', 'index', '/flow/4/config/index_name'],
  ]);
});

test('a private search server that a flow names is rejected, not contacted', async () => {
  const provider_config = { host: '127.0.0.1', port: (server.address() as AddressInfo).port };
  const before = requests;
  expect(await inspect({ index: { provider_config } })).toEqual([
    ['ADDRESS_NOT_ALLOWED', 'index', '/flow/4/config/index_name'],
  ]);
  expect(requests).toBe(before);
});

test('the model embeds one word; its dimension is compared with the configuration and the index', async () => {
  const embed = { type: 'local_api', provider_config: { model_id: 'm' } };
  expect(await inspect({ embed, index: { vector_dimension: 4 } })).toEqual([
    ['EMBEDDING_DIMENSION_MISMATCH', 'index', '/flow/4/config/vector_dimension'],
  ]);
  const input = { ...spec('deep', 8), embedding: { type: 'hashing' } };
  await search.ensureIndex(input, undefined, never);
  expect(await inspect({ embed, index: { index_name: input.name } })).toEqual([
    ['EMBEDDING_DIMENSION_MISMATCH', 'index', '/flow/4/config/index_name'],
  ]);
  const hashing = { type: 'hashing', provider_config: { dimensions: 8 } };
  expect(await inspect({ embed: hashing, index: { index_name: input.name } })).toEqual([]);
  const three = { ...spec('deep-three', 3), embedding: { type: 'hashing' } };
  await search.ensureIndex(three, undefined, never);
  expect(await inspect({ embed, index: { index_name: three.name } })).toEqual([
    ['SEARCH_INDEX_ERROR', 'index', '/flow/4/config/index_name'],
  ]);
  expect(await inspect({ embed }, { localHost: 'http://127.0.0.1:2' })).toEqual([
    ['LOCALMODEL_CONNECTION_FAILED', 'embed', '/flow/3/config/provider_config'],
  ]);
});

test('an engine whose libraries the server lacks is reported before an index is created with it', async () => {
  const { nodes } = await raw<{ nodes: Record<string, { modules: { name: string }[] }> }>('GET', '/_nodes/plugins');
  const isFull = Object.values(nodes).every(({ modules }) => modules.some(({ name }) => name === 'reindex'));
  expect(await inspect({ index: { provider_config: { engine: 'faiss' } } })).toEqual(
    isFull ? [] : [['SEARCH_INDEX_ERROR', 'index', '/flow/4/config/index_name']],
  );
  expect(await inspect({ index: { provider_config: { engine: 'lucene' } } })).toEqual([]);
});

test('an index of another application is reported', async () => {
  const name = remember(spec('deep-foreign').name);
  await raw('PUT', `/${name}`);
  expect(await inspect({ index: { index_name: name } })).toEqual([
    ['SEARCH_INDEX_ERROR', 'index', '/flow/4/config/index_name'],
  ]);
});

test('a check that needs secrets of the worker is skipped and reported as such', async () => {
  const before = requests;
  const embed = { type: 'local_api', provider_config: { model_id: 'm', api_key: '${DOCLOOM_SECRET_KEY}' } };
  expect(await inspect({ embed })).toEqual([['NOT_CHECKED', 'embed', '/flow/3/config']]);
  expect(requests).toBe(before);
});

describe('over HTTP', () => {
  const call = async (query: string, flow: FlowDefinition) => {
    const embedder = createEmbedder({ ...config, LOCALMODEL_HOST: base });
    const inspected: string[][] = [];
    const real = createFlowInspection({
      search: away,
      embedder,
      destinations: { check: async () => [] },
      sources: createSourceInspector({ sources: createSources({ roots: [folder] }) }),
    });
    const api = await startApi({
      operators,
      inspection: {
        inspect: (input, skip, signal) => {
          inspected.push([...skip]);
          return real.inspect(input, skip, signal);
        },
      },
    });
    const { body } = await api.call('POST', `/api/v1/validation/validate_flow${query}`, { user: alice, body: flow });
    await api.close();
    embedder.close();
    return { body: body as { status: string; errors: { message_code: string }[] }, inspected };
  };

  test('only deep=true contacts servers', async () => {
    expect(await call('', getFlow({}))).toMatchObject({ body: { status: 'SUCCEEDED' }, inspected: [] });
    expect(await call('?deep=false', getFlow({}))).toMatchObject({ body: { status: 'SUCCEEDED' }, inspected: [] });
    expect(await call('?deep=true', getFlow({}))).toMatchObject({
      body: { status: 'FAILED', errors: [{ message_code: 'SEARCH_CONNECTION_FAILED' }] },
      inspected: [[]],
    });
  });

  test('operators with invalid configurations are skipped', async () => {
    const { body, inspected } = await call('?deep=true', getFlow({ index: { index_name: 'Not Lower' } }));
    expect(body.errors.map(({ message_code }) => message_code)).toEqual(['OPERATOR_VALIDATION_FAILED']);
    expect(inspected).toEqual([['index']]);
  });
});
