import path from 'node:path';
import type { Row } from '../../../model/flow/row';
import { findSearchTarget } from '../../../operators/vectordb/provider-config';
import { run } from '../../../operators/vectordb/run';
import type { IndexRecord, SearchTarget } from '../../../services/search/ports';
import { contextFor } from '../../support/operators/operator-test-support';
import { startMilvus } from '../../support/servers/milvus-server';
import { startVectorSearch } from '../../support/servers/vector-search';

const { search, mark, folder, close } = startVectorSearch();
const { signal } = new AbortController();
let milvus: Awaited<ReturnType<typeof startMilvus>>;

beforeAll(async () => {
  milvus = await startMilvus();
}, 600_000);
afterAll(async () => {
  await close();
  await milvus?.stop();
});

describe('index types', () => {
  const target = (provider: string, provider_config: Record<string, unknown>) =>
    findSearchTarget({ index_name: 'x', provider, provider_config });
  const unit = (index: number) =>
    Array.from({ length: 8 }, (_, at) => (at === index % 8 ? 1 + index / 1_000 : 0.001 * at));
  const toRecord = (index: number, embedding: number[] | undefined): IndexRecord => ({
    id: `r${index}`,
    document_id: `r${index}`,
    job_id: 'job',
    run_id: 'run',
    content: `content ${index}`,
    title: 't',
    metadata: {},
    allowed_users: [index % 2 === 0 ? 'alice' : 'bob'],
    created_at: '2025-01-01T00:00:00Z',
    updated_at: '2025-01-01T00:00:00Z',
    ...(embedding ? { embedding } : {}),
  });

  test.each([
    ['HNSW', { M: 8, efConstruction: 64 }, { M: 8, efConstruction: 64 }],
    ['FLAT', {}, {}],
    ['IVF_FLAT', { nlist: 16 }, { nlist: 16 }],
    ['IVF_SQ8', {}, { nlist: 128 }],
    ['IVF_PQ', { nlist: 4, m: 2, nbits: 4 }, { nlist: 4, m: 2, nbits: 4 }],
    ['DISKANN', {}, {}],
    ['AUTOINDEX', {}, {}],
  ])('Milvus creates %s with %j and searches it', async (index_type, index_parameters, expected) => {
    const index_name = `t_kind_${index_type}_${mark}`;
    const provider_config = { host: milvus.host, port: milvus.port, index_type, index_parameters } as never;
    const rows = Array.from({ length: 300 }, (_, index): Row => ({
      id: `r${index}`,
      name: `r${index}`,
      path: 'x',
      content: `content ${index}`,
      allowed_users: [index % 2 === 0 ? 'alice' : 'bob'],
      embeddings: unit(index),
    }));
    const written = await run(rows, { provider: 'milvus', index_name, provider_config }, contextFor({ search }));
    expect(written).toMatchObject({ failed: [], metrics: { chunks_indexed_successfully: 300 } });
    const at = target('milvus', { host: milvus.host, port: milvus.port });
    await search.refresh(index_name, at);
    for (const nearest of [0, 2, 6]) {
      const hits = await search.findNearest(
        index_name,
        { vector: unit(nearest), reader: { username: 'alice' }, limit: 5 },
        at,
      );
      const ids = hits.map(({ id }) => Number(id.slice(1)));
      expect(ids).toHaveLength(5);
      expect(ids.filter((id) => id % 2 === 1)).toEqual([]);
      // Every eighth vector has the same direction; bob owns those with odd numbers.
      expect(new Set(ids.map((id) => id % 8))).toEqual(new Set([nearest]));
    }
    expect(await readMilvusIndex(index_name)).toEqual({ index_type, metric_type: 'L2', ...expected });
  });

  async function readMilvusIndex(collection: string): Promise<Record<string, unknown>> {
    const { MilvusClient } = await import('@zilliz/milvus2-sdk-node');
    const client = new MilvusClient({ address: `${milvus.host}:${milvus.port}`, logLevel: 'error' });
    const { index_descriptions: [description] } = await client.describeIndex({ collection_name: collection, field_name: 'embedding' }); // prettier-ignore
    await client.closeConnection();
    const described = Object.fromEntries((description?.params ?? []).map(({ key, value }) => [key, value]));
    const { params = '{}', ...rest } = described;
    return { ...rest, ...(JSON.parse(String(params)) as object) };
  }

  /** Reproducible pseudo-random numbers between -1 and 1. */
  const createVector = (index: number) =>
    Array.from({ length: 16 }, (_, at) => ((Math.imul(index + 1, 2_654_435_761) ^ Math.imul(at + 7, 40_503 * (index + 3))) % 1_000) / 1_000); // prettier-ignore

  test.each([
    ['HNSW', {}, 'IvfHnswSq'],
    ['IVF_FLAT', { lists: 32 }, 'IvfFlat'],
  ])(
    'LanceDB creates %s once it has 10,000 vectors, and finds earlier and later records with it',
    async (indexType, more, expected) => {
      const [name, at] = [`t_large_${indexType}_${mark}`, target('lancedb', {})];
      const spec = { name, engine: 'lucene' as const, spaceType: 'l2', m: 16, efConstruction: 100, vectorDimension: 16, indexType, ...more }; // prettier-ignore
      await search.ensureIndex(spec, at, signal);
      const write = (from: number, to: number) =>
      search.bulkIndex(
        name,
        Array.from({ length: to - from }, (_, index) => toRecord(from + index, (from + index) % 100 === 99 ? undefined : createVector(from + index))),
        at,
        signal,
      ); // prettier-ignore
      for (let from = 0; from < 9_000; from += 3_000) await write(from, from + 3_000);
      await search.refresh(name, at);
      expect(await listLanceIndexes(name)).toEqual([]);
      await write(9_000, 10_200);
      await search.refresh(name, at);
      expect(await listLanceIndexes(name)).toEqual([{ columns: ['embedding'], indexType: expected }]);
      // A later run adds rows and replaces one.
      await write(10_200, 10_300);
      await search.bulkIndex(name, [toRecord(4, createVector(10_400))], at, signal);
      await search.refresh(name, at);
      const near = async (index: number, username: string) =>
        (await search.findNearest(name, { vector: createVector(index), reader: { username }, limit: 3 }, at)).map(
          ({ id }) => id,
        );
      expect(await near(8_008, 'alice')).toContain('r8008');
      expect(await near(10_208, 'alice')).toContain('r10208');
      expect(await near(10_400, 'alice')).toContain('r4');
      expect((await near(8_008, 'bob')).filter((id) => Number(id.slice(1)) % 2 === 0)).toEqual([]);
      expect(await search.removeDocuments(name, { jobId: 'job', documentIds: ['r8008'] }, at)).toBe(1);
      expect(await near(8_008, 'alice')).not.toContain('r8008');
    },
    60_000,
  );

  async function listLanceIndexes(name: string): Promise<unknown[]> {
    const { connect } = await import('@lancedb/lancedb');
    const connection = await connect(path.join(folder, 'lancedb', 'default'));
    const table = await connection.openTable(name);
    const indexes = await table.listIndices();
    connection.close();
    return indexes.map(({ columns, indexType }) => ({ columns, indexType }));
  }
});

test('LanceDB stores rows without vectors; Milvus rejects each', async () => {
  const index = `t_bare_${mark}`;
  const bare = { id: 'x', document_id: 'x', job_id: 'j', run_id: 'r', content: 'c', title: 't', metadata: {}, allowed_users: ['alice'], created_at: '2025-01-01T00:00:00Z', updated_at: '2025-01-01T00:00:00Z' }; // prettier-ignore
  const spec = {
    name: index,
    engine: 'lucene' as const,
    spaceType: 'l2',
    m: 16,
    efConstruction: 100,
    vectorDimension: 4,
  };
  const at = (provider: string) =>
    findSearchTarget({
      provider,
      provider_config: provider === 'milvus' ? { host: milvus.host, port: milvus.port } : {},
    });
  for (const [provider, rejected] of [
    ['lancedb', 0],
    ['milvus', 1],
  ] as const) {
    await search.ensureIndex(spec, at(provider), signal);
    expect(await search.bulkIndex(index, [bare], at(provider), signal)).toHaveLength(rejected);
  }
});

test('a Milvus server that is unavailable or not allowed causes an error', async () => {
  const spec = {
    name: 'docs',
    engine: 'lucene' as const,
    spaceType: 'l2',
    m: 16,
    efConstruction: 100,
    vectorDimension: 4,
  };
  const away: SearchTarget = { provider: 'milvus', host: '127.0.0.1', port: 9 };
  await expect(search.ensureIndex(spec, away, signal)).rejects.toMatchObject({ code: 'SEARCH_CONNECTION_FAILED' });
  const inside: SearchTarget = { provider: 'milvus', host: '10.1.2.3', port: 19_530 };
  await expect(search.ensureIndex(spec, inside, signal)).rejects.toMatchObject({ code: 'ADDRESS_NOT_ALLOWED' });
});
