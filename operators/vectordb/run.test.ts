import type { Row } from '../../model/flow/row';
import { listProblems } from '../../model/validate';
import type { IndexRecord, IndexSpec, Search } from '../../services/search/ports';
import type { OperatorContext } from '../operator';
import { findSearchTarget, buildVectorIndex } from './provider-config';
import { run } from './run';
import { config, vectordb } from './schema';

/** A search service that records its calls and rejects some ids. */
function fake(refuse: Record<string, string> = {}) {
  const calls = {
    specs: [] as IndexSpec[],
    targets: [] as unknown[],
    batches: [] as number[],
    records: [] as IndexRecord[],
  };
  const unused = () => Promise.reject(new Error('not used'));
  const search: Search = {
    ensureIndex: (spec, target) => {
      calls.specs.push(spec);
      calls.targets.push(target);
      return Promise.resolve('uuid');
    },
    bulkIndex: (_index, records) => {
      calls.batches.push(records.length);
      calls.records.push(...records);
      return Promise.resolve(
        records.flatMap(({ id }) => (refuse[id] === undefined ? [] : [{ id, reason: refuse[id] }])),
      );
    },
    removeDocuments: unused,
    pointAlias: unused,
    findServerId: async () => 'server',
    listAliasHolders: unused,
    findNearest: unused,
    get: unused,
    search: unused,
    findIndexUuids: unused,
    refresh: unused,
    ping: unused,
    dropIndex: unused,
    close: unused,
  };
  const context: OperatorContext<'search'> = {
    signal: new AbortController().signal,
    progress: () => undefined,
    operator: 'index',
    run: {
      runId: 'run-2',
      jobId: 'job',
      owner: 'o',
      startedAt: '2024-06-01T00:00:00Z',
      forceIngest: false,
      planHash: '',
      flow: { flow_name: 'f', flow: [] },
    },
    services: { search },
  };
  return { calls, context };
}
const chunk = (document: string, index: number, more: Partial<Row> = {}): Row => ({
  id: `${document}_${index}`,
  document_id: document,
  chunk_index: index,
  start_index: index * 10,
  name: `${document}.pdf`,
  path: `/d/${document}.pdf`,
  source: 'file:/d',
  mimetype: 'application/pdf',
  modified_time: '2024-05-01T00:00:00Z',
  content: `text ${index}`,
  allowed_users: ['anna'],
  page_numbers: [1],
  headings: ['H'],
  bbox: [[1, 2, 3, 4, 5]],
  metadata: { author: 'Ada' },
  embeddings: [1, 2, 3],
  ...more,
});

describe('vectordb', () => {
  test('a chunk becomes a record with its document, place, access list and times', async () => {
    const { calls, context } = fake();
    await run([chunk('a', 3)], { index_name: 'docs' }, context);
    expect(calls.records).toEqual([
      {
        id: 'a_3',
        document_id: 'a',
        job_id: 'job',
        run_id: 'run-2',
        content: 'text 3',
        title: 'a.pdf',
        allowed_users: ['anna'],
        created_at: '2024-05-01T00:00:00Z',
        updated_at: '2024-06-01T00:00:00Z',
        embedding: [1, 2, 3],
        metadata: {
          author: 'Ada',
          name: 'a.pdf',
          path: 'a.pdf',
          source: 'file',
          mimetype: 'application/pdf',
          headings: ['H'],
          page_numbers: [1],
          bbox: [[1, 2, 3, 4, 5]],
          chunk_index: 3,
          start_index: 30,
          document_id: 'a',
          language: 'en',
        },
      },
    ]);
  });

  test('a document without chunks is its own record; without an access list nobody may read it', async () => {
    const { calls, context } = fake();
    await run(
      [
        {
          id: 'a',
          name: 'a.md',
          path: 'a.md',
          content: 'x',
          metadata: { title: 'The Title', allowed_users: ['eve'] },
        },
      ],
      { index_name: 'docs' },
      context,
    );
    expect(calls.records[0]).toMatchObject({
      id: 'a',
      document_id: 'a',
      title: 'The Title',
      allowed_users: [],
      created_at: '2024-06-01T00:00:00Z',
    });
    expect(calls.records[0]?.metadata).toEqual({ title: 'The Title', name: 'a.md', path: 'a.md', document_id: 'a' });
    expect(calls.records[0]).not.toHaveProperty('embedding');
    expect(calls.specs[0]).not.toHaveProperty('vectorDimension');
  });

  test('metadata names that the engine does not support are changed', async () => {
    const { calls, context } = fake();
    await run(
      [chunk('a', 0, { metadata: { '': 1, '.': 2, ' x. ..y ': { 'a..b': 3 }, ok: [{ '.z': 4 }] } })],
      { index_name: 'docs' },
      context,
    );
    expect(calls.records[0]?.metadata).toMatchObject({ _: 2, 'x.y': { 'a.b': 3 }, ok: [{ z: 4 }] });
  });

  test('the dimension is that of the vectors, and the records are sent in batches of the configured size', async () => {
    const { calls, context } = fake();
    const rows = [chunk('a', 0), chunk('a', 1), chunk('b', 0)];
    const result = await run(rows, { index_name: 'docs', batch_size: 2 }, context);
    expect(calls.specs).toMatchObject([
      { name: 'docs', vectorDimension: 3, engine: 'lucene', spaceType: 'l2', m: 16, efConstruction: 100 },
    ]);
    expect(calls.batches).toEqual([2, 1]);
    expect(result).toEqual({
      rows,
      failed: [],
      metrics: { total_chunks_to_index: 3, chunks_indexed_successfully: 3, chunks_failed_to_index: 0 },
    });
  });

  test('a rejected record fails its document, and its rows are not passed on', async () => {
    const { context } = fake({ a_1: 'no good', a_2: 'no good either' });
    const result = await run(
      [chunk('a', 0), chunk('a', 1), chunk('a', 2), chunk('b', 0)],
      { index_name: 'docs' },
      context,
    );
    expect(result.rows.map(({ id }) => id)).toEqual(['b_0']);
    expect(result.failed).toEqual([
      {
        id: 'a',
        name: 'a.pdf',
        code: 'SEARCH_INDEX_ERROR',
        message: 'The index refused 2 records of the document: no good',
      },
    ]);
    expect(result.metrics).toEqual({
      total_chunks_to_index: 4,
      chunks_indexed_successfully: 2,
      chunks_failed_to_index: 2,
    });
  });

  test.each([
    [{ vector_dimension: 4 }, [chunk('a', 0)], /3 dimensions; vector_dimension is 4/],
    [
      {},
      [chunk('a', 0), chunk('b', 0, { embeddings: [1] })],
      /'b.pdf' has 1 dimensions; the first vector of the batch has 3/,
    ],
  ])(
    'vectors of another dimension are EMBEDDING_DIMENSION_MISMATCH before anything is written',
    async (input, rows, message) => {
      const { calls, context } = fake();
      await expect(run(rows, { index_name: 'docs', ...input }, context)).rejects.toMatchObject({
        code: 'EMBEDDING_DIMENSION_MISMATCH',
        message: expect.stringMatching(message),
      });
      expect(calls.specs).toEqual([]);
    },
  );

  test.each([['text'], [[]], [[1, '2']], [[[1, 2]]]])('a column with %j is not a vector', async (embeddings) => {
    await expect(run([chunk('a', 0, { embeddings })], { index_name: 'docs' }, fake().context)).rejects.toMatchObject({
      code: 'OPERATOR_EXECUTION_FAILED',
    });
  });
});

describe('vectordb configuration', () => {
  test('the server of the settings is used unless the configuration names a host', () => {
    expect(findSearchTarget({ index_name: 'x' })).toBeUndefined();
    expect(findSearchTarget({ index_name: 'x', provider_config: { port: 9201, username: 'u' } })).toBeUndefined();
    expect(
      findSearchTarget({
        index_name: 'x',
        provider_config: { host: 'h', username: 'u', password: 'p', use_ssl: true },
      }),
    ).toEqual({ host: 'h', port: 9200, username: 'u', password: 'p', useSsl: true, verifyCerts: true });
  });

  test.each([
    [{}, { engine: 'lucene', spaceType: 'l2', m: 16, efConstruction: 100 }],
    [{ space_type: 'cosine' }, { spaceType: 'cosinesimil' }],
    [{ metric_type: 'IP' }, { spaceType: 'innerproduct' }],
    [{ engine_parameters: { m: 8, ef_construction: 50 } }, { m: 8, efConstruction: 50 }],
    [
      { index_parameters: { M: 32 }, engine_parameters: { M: 8, efConstruction: 50 } },
      { m: 32, efConstruction: 50 },
    ],
    [
      { index_type: 'IVF_PQ', index_parameters: { nlist: 64, m: 4, nbits: 6 } },
      { indexType: 'IVF_PQ', lists: 64, cuts: 4, bits: 6 },
    ],
  ])('provider_config %j gives %j, also after defaults were filled in', (provider_config, expected) => {
    const input = { index_name: 'x', provider_config: structuredClone(provider_config) };
    expect(listProblems(config, input)).toEqual([]);
    expect(buildVectorIndex(input)).toMatchObject(expected);
  });

  test.each([
    [{ index_name: 'My Docs' }, '/index_name'],
    [{ index_name: 'docs', provider: 'elsewhere' }, '/provider'],
    [{ index_name: 'docs-1', provider: 'milvus' }, '/index_name'],
    [{ index_name: '1docs', provider: 'lancedb' }, '/index_name'],
    [{ index_name: 'docs', alias: 'docs' }, '/alias'],
    [
      { index_name: 'docs', provider: 'lancedb', provider_config: { index_type: 'DISKANN' } },
      '/provider_config/index_type',
    ],
    [
      { index_name: 'docs', provider: 'milvus', provider_config: { index_type: 'SCANN' } },
      '/provider_config/index_type',
    ],
    [
      { index_name: 'docs', provider_config: { index_type: 'HNSW', engine_parameters: { m: 1 } } },
      '/provider_config/engine_parameters/m',
    ],
    [
      {
        index_name: 'docs',
        provider: 'milvus',
        vector_dimension: 8,
        provider_config: { index_type: 'IVF_PQ', index_parameters: { m: 3 } },
      },
      '/provider_config/index_parameters/m',
    ],
    [{ index_name: 'docs', provider_config: { engine: 'jvector' } }, '/provider_config/engine'],
    [{ index_name: 'docs', provider_config: { algorithm: 'ivf' } }, '/provider_config/algorithm'],
    [{ index_name: 'docs', provider_config: { space_type: 'hamming' } }, '/provider_config/space_type'],
  ])('%j is an error at %s', (input, pointer) => {
    expect(vectordb.validate(input, new Set())).toEqual([
      expect.objectContaining({ severity: 'error', messageCode: 'OPERATOR_VALIDATION_FAILED', pointer }),
    ]);
  });

  test.each([
    [{}, "must have the member 'index_name'"],
    [{ index_name: 'x', vector_dimension: 0 }, 'must be at least 1'],
    [{ index_name: 'x', provider_config: { index_parameters: { M: 1 } } }, 'must be at least 2'],
    [{ index_name: 'x', provider_config: { index_parameters: { efConstruction: 5_000 } } }, 'must be at most 3200'],
    [{ index_name: 'x', provider_config: { index_parameters: { nlist: 0 } } }, 'must be at least 1'],
    [{ index_name: 'x', provider_config: { index_parameters: { nbits: 25 } } }, 'must be at most 24'],
    [{ index_name: 'x', batch_size: 0 }, 'must be at least 1'],
  ])('%j does not fit the schema: %s', (input, message) => {
    expect(listProblems(config, input).map((problem) => problem.message)).toEqual([message]);
  });

  test.each([
    ['milvus', 'FLAT', { M: 16 }, 'no parameter'],
    ['milvus', 'IVF_SQ8', { nlist: 64, m: 4 }, 'nlist'],
    ['lancedb', 'IVF_FLAT', { efConstruction: 100 }, 'nlist'],
    ['opensearch', 'hnsw', { nlist: 64 }, 'M, m, efConstruction'],
  ])('%s %s is not created with %j, and a warning explains it', (provider, index_type, index_parameters, reads) => {
    const input = { index_name: 'x', provider, provider_config: { index_type, index_parameters } };
    expect(vectordb.validate(input, new Set())).toEqual([
      expect.objectContaining({
        severity: 'warning',
        messageCode: 'INDEX_PARAMETER_UNUSED',
        message: expect.stringContaining(`such an index takes ${reads}`),
      }),
    ]);
  });

  test('vector_dimension without an embeddings operator before is a warning', () => {
    expect(vectordb.validate({ index_name: 'x', vector_dimension: 3 }, new Set(['content']))).toEqual([
      expect.objectContaining({ severity: 'warning', messageCode: 'VECTORS_MISSING' }),
    ]);
    expect(vectordb.validate({ index_name: 'x', vector_dimension: 3 }, new Set(['content', 'embeddings']))).toEqual([]);
  });
});
