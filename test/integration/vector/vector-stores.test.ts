// Long because every promise of a vector store is tried on each of them.
import type { Reader } from '../../../model/access';
import { principalsOf } from '../../../model/access-list';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { readConfig } from '../../../model/config';
import type { Row } from '../../../model/flow/row';
import { contextFor } from '../../support/operators/operator-test-support';
import { run } from '../../../operators/vectordb/run';
import { getSearchTarget, type VectordbConfig } from '../../../operators/vectordb/schema';
import type { IndexRecord, Search, SearchTarget } from '../../../services/search/ports';
import { createSearch } from '../../../services/search/search';
import { startPgvector, type TestPgvector } from '../../support/servers/pgvector';
import { startMilvus } from '../../support/servers/milvus-server';

const mark = randomUUID().slice(0, 8);
const folder = mkdtempSync(path.join(os.tmpdir(), 'docloom-stores-'));
const config = readConfig({
  ...process.env,
  SEARCH_DEFAULT_INDEX: `stores-${mark}`,
  DOCLOOM_DATA: folder,
  DOCLOOM_ALLOWED_HOSTS: '127.0.0.1',
});
const { signal } = new AbortController();
let search: Search;
let milvus: Awaited<ReturnType<typeof startMilvus>>;
let pgvector: TestPgvector;

beforeAll(async () => {
  [milvus, pgvector] = await Promise.all([startMilvus(), startPgvector()]);
  search = createSearch(config);
}, 600_000);
afterAll(async () => {
  const server = `http://${config.SEARCH_HOST}:${config.SEARCH_PORT}`;
  const { [`stores-${mark}`]: _, ...indexes } = (await (await fetch(`${server}/t_*_${mark}`)).json()) as Record<
    string,
    unknown
  >;
  for (const name of Object.keys(indexes)) await fetch(`${server}/${name}`, { method: 'DELETE' });
  await search?.close();
  await milvus?.stop();
  await pgvector?.stop();
  rmSync(folder, { recursive: true, force: true });
});

interface Provider {
  name: 'opensearch' | 'milvus' | 'pgvector' | 'lancedb';
  settings: () => NonNullable<VectordbConfig['provider_config']>;
}
const providers: Provider[] = [
  { name: 'opensearch', settings: () => ({}) },
  { name: 'milvus', settings: () => ({ host: milvus.host, port: milvus.port }) },
  { name: 'pgvector', settings: () => ({ host: pgvector.host, port: pgvector.port }) },
  { name: 'lancedb', settings: () => ({}) },
];

describe.each(providers)('$name', ({ name: provider, settings }) => {
  let count = 0;
  const getConfig = (more: Partial<VectordbConfig> = {}): VectordbConfig => ({
    provider,
    index_name: `t_${(count += 1)}_${mark}`,
    provider_config: settings(),
    ...more,
  });
  const target = (): SearchTarget | undefined => getSearchTarget({ provider, provider_config: settings() });
  const getSpec = (name: string, vectorDimension?: number, alias?: string) => ({
    name,
    engine: 'lucene' as const,
    spaceType: 'l2',
    m: 16,
    efConstruction: 100,
    ...(vectorDimension === undefined ? {} : { vectorDimension }),
    ...(alias === undefined ? {} : { alias }),
  });
  const record = (id: string, embedding: number[], change: Partial<IndexRecord> = {}): IndexRecord => ({
    id,
    document_id: id.split('_')[0] ?? id,
    job_id: 'job',
    run_id: 'run-1',
    content: `content of ${id}`,
    title: id,
    metadata: { name: id, pages: [1, 2], deep: { k: 'v' } },
    allowed_users: ['alice'],
    created_at: '2025-01-01T00:00:00Z',
    updated_at: '2025-01-01T00:00:00Z',
    embedding,
    ...change,
  });
  const near = async (index: string, username = 'alice', vector = [1, 0, 0, 0]) => {
    await search.refresh(index, target());
    return (await search.nearest(index, { vector, reader: { username }, limit: 10 }, target())).map(({ id }) => id);
  };
  const write = async (index: string, records: IndexRecord[]) => search.bulkIndex(index, records, target(), signal);

  test('records are found by their vectors, nearest first, only by those who may read them', async () => {
    const { index_name: index } = getConfig();
    await search.ensureIndex(getSpec(index, 4), target(), signal);
    expect(
      await write(index, [
        record('a', [1, 0, 0, 0]),
        record('b', [0.9, 0.1, 0, 0], { allowed_users: ['bob', 'o\'hara "x"'] }),
        record('c', [0, 0, 0, 1]),
        record('d', [1, 0, 0, 0], { allowed_users: [] }),
      ]),
    ).toEqual([]);
    expect(await near(index)).toEqual(['a', 'c']);
    expect(await near(index, 'bob')).toEqual(['b']);
    expect(await near(index, 'o\'hara "x"')).toEqual(['b']);
    expect(await near(index, 'carol')).toEqual([]);
    expect(
      await search.nearest(index, { vector: [0, 0, 0, 1], reader: { username: 'alice' }, limit: 1 }, target()),
    ).toEqual([{ id: 'c', document_id: 'c', content: 'content of c' }]);
  });

  test('groups, everybody and denials decide as in the index', async () => {
    const { index_name: index } = getConfig();
    await search.ensureIndex(getSpec(index, 4), target(), signal);
    const at = [1, 0, 0, 0];
    const staff = 'g:login:staff';
    expect(
      await write(index, [
        record('named', at),
        record('staff', at, { allowed_users: [], allowed_principals: [staff] }),
        record('all', at, { allowed_users: [], allowed_principals: ['p:*'] }),
        record('denied', at, { allowed_principals: ['p:*'], denied_principals: [staff, 'u:eve'] }),
        record('both', at, { allowed_principals: [staff], required_lists: [{ principals: ['u:alice', staff] }] }),
        record('never', at, { required_lists: [{ principals: [staff] }] }),
      ]),
    ).toEqual([]);
    await search.refresh(index, target());
    const seenBy = async (reader: Reader) =>
      (await search.nearest(index, { vector: at, reader, limit: 20 }, target())).map(({ id }) => id).toSorted();
    const asks = (username: string, ...groups: string[]) => ({ username, principals: principalsOf(username, groups) });
    expect(await seenBy(asks('alice'))).toEqual(['all', 'both', 'denied', 'named']);
    expect(await seenBy(asks('bob', 'staff'))).toEqual(['all', 'both', 'staff']);
    expect(await seenBy(asks('eve'))).toEqual(['all']);
    expect(await seenBy(asks(staff))).toEqual(['all', 'denied']);
    expect(await seenBy({ username: 'alice' })).toEqual(['all', 'both', 'named']);
  });

  test('written twice is the same as once; a record is replaced under its id', async () => {
    const { index_name: index } = getConfig();
    await search.ensureIndex(getSpec(index, 4), target(), signal);
    await write(index, [record('a_0', [1, 0, 0, 0]), record('a_1', [0, 1, 0, 0])]);
    await write(index, [record('a_0', [1, 0, 0, 0]), record('a_1', [0, 1, 0, 0])]);
    expect((await near(index)).toSorted()).toEqual(['a_0', 'a_1']);
    await write(index, [record('a_0', [0, 0, 1, 0], { allowed_users: ['bob'] })]);
    expect(await near(index)).toEqual(['a_1']);
    expect(await near(index, 'bob')).toEqual(['a_0']);
  });

  test('records of earlier runs for a document are removed, those of this run and other jobs stay', async () => {
    const { index_name: index } = getConfig();
    await search.ensureIndex(getSpec(index, 4), target(), signal);
    await write(index, [
      record('a_0', [1, 0, 0, 0], { run_id: 'run-2' }),
      record('a_1', [1, 0, 0, 0]),
      record('b_0', [1, 0, 0, 0]),
      record('x_0', [1, 0, 0, 0], { job_id: 'other', document_id: 'a' }),
    ]);
    const removed = await search.removeDocuments(
      index,
      { jobId: 'job', documentIds: ['a', 'absent'], keepRunId: 'run-2' },
      target(),
    );
    expect(removed).toBe(1);
    expect((await near(index)).toSorted()).toEqual(['a_0', 'b_0', 'x_0']);
    expect(await search.removeDocuments(index, { jobId: 'job', documentIds: ['a', 'b'] }, target())).toBe(2);
    expect(await near(index)).toEqual(['x_0']);
    expect(await search.removeDocuments(index, { jobId: 'job', documentIds: [] }, target())).toBe(0);
    expect(await search.removeDocuments(`t_none_${mark}`, { jobId: 'job', documentIds: ['a'] }, target())).toBe(0);
  });

  test('the first batch sets the dimension, and another one is rejected', async () => {
    const given = getConfig();
    const row = (id: string, embeddings: number[] | undefined): Row => ({
      id,
      name: id,
      path: id,
      content: id,
      allowed_users: ['alice'],
      embeddings,
    });
    const context = () => contextFor({ search });
    expect((await run([row('a', [1, 0, 0])], given, context())).failed).toEqual([]);
    await expect(run([row('b', [1, 0])], given, context())).rejects.toMatchObject({
      code: 'EMBEDDING_DIMENSION_MISMATCH',
    });
    await expect(run([row('c', [1, 0, 0, 0])], { ...given, vector_dimension: 4 }, context())).rejects.toMatchObject({
      code: 'EMBEDDING_DIMENSION_MISMATCH',
    });
    expect(await near(given.index_name, 'alice', [1, 0, 0])).toEqual(['a']);
  });

  test('an index is created once by any number of concurrent callers; its identity distinguishes it from another', async () => {
    const { index_name: index } = getConfig();
    const uuids = await Promise.all([0, 1, 2].map(() => search.ensureIndex(getSpec(index, 4), target(), signal)));
    expect(new Set(uuids).size).toBe(1);
    expect(await search.indexUuids([index, `t_absent_${mark}`], target())).toEqual({ [index]: uuids[0] });
    await expect(search.ensureIndex(getSpec('Not a name!', 4), target(), signal)).rejects.toMatchObject({
      code: 'SEARCH_INDEX_ERROR',
    });
  });

  test('an alias moves from one index to the next at once', async () => {
    const [first, second] = [getConfig().index_name, getConfig().index_name];
    const alias = `t_alias_${provider}_${mark}`;
    await search.ensureIndex(getSpec(first, 4, alias), target(), signal);
    await write(first, [record('old', [1, 0, 0, 0])]);
    await search.refresh(first, target());
    await search.pointAlias(alias, first, target());
    expect(await near(alias)).toEqual(['old']);
    await search.ensureIndex(getSpec(second, 4, alias), target(), signal);
    await write(second, [record('new', [1, 0, 0, 0])]);
    await search.refresh(second, target());
    expect(await near(alias)).toEqual(['old']);
    await search.pointAlias(alias, second, target());
    await search.pointAlias(alias, second, target());
    expect(await near(alias)).toEqual(['new']);
  });

  test('texts in all scripts and large texts survive a round trip', async () => {
    const { index_name: index } = getConfig();
    await search.ensureIndex(getSpec(index, 4), target(), signal);
    const content = `${'漢字 😀 é "quoted" \\ line\n'.repeat(500)}end`;
    await write(index, [record('ünï-1', [1, 0, 0, 0], { content })]);
    await search.refresh(index, target());
    const [found] = await search.nearest(
      index,
      { vector: [1, 0, 0, 0], reader: { username: 'alice' }, limit: 1 },
      target(),
    );
    expect(found).toEqual({ id: 'ünï-1', document_id: 'ünï-1', content });
  });

  test('many concurrent writers lose nothing', async () => {
    const { index_name: index } = getConfig();
    await search.ensureIndex(getSpec(index, 4), target(), signal);
    await Promise.all(
      Array.from({ length: 8 }, async (_, writer) =>
        write(
          index,
          Array.from({ length: 25 }, (_, item) => record(`w${writer}_${item}`, [writer / 10, item / 100, 0, 0])),
        ),
      ),
    );
    await search.refresh(index, target());
    const found = await search.nearest(
      index,
      { vector: [0, 0, 0, 0.1], reader: { username: 'alice' }, limit: 200 },
      target(),
    );
    expect(new Set(found.map(({ id }) => id)).size).toBe(200);
  });
});

describe('kinds of indexes', () => {
  const target = (provider: string, provider_config: Record<string, unknown>) =>
    getSearchTarget({ index_name: 'x', provider, provider_config });
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
  ])('Milvus makes %s with %j and finds by it', async (index_type, index_parameters, made) => {
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
      const found = await search.nearest(
        index_name,
        { vector: unit(nearest), reader: { username: 'alice' }, limit: 5 },
        at,
      );
      const ids = found.map(({ id }) => Number(id.slice(1)));
      expect(ids).toHaveLength(5);
      expect(ids.filter((id) => id % 2 === 1)).toEqual([]);
      // Vectors with the same direction are eight apart; those of odd numbers belong to bob.
      expect(new Set(ids.map((id) => id % 8))).toEqual(new Set([nearest]));
    }
    expect(await milvusIndex(index_name)).toEqual({ index_type, metric_type: 'L2', ...made });
  });

  async function milvusIndex(collection: string): Promise<Record<string, unknown>> {
    const { MilvusClient } = await import('@zilliz/milvus2-sdk-node');
    const client = new MilvusClient({ address: `${milvus.host}:${milvus.port}`, logLevel: 'error' });
    const { index_descriptions: [found] } = await client.describeIndex({ collection_name: collection, field_name: 'embedding' }); // prettier-ignore
    await client.closeConnection();
    const told = Object.fromEntries((found?.params ?? []).map(({ key, value }) => [key, value]));
    const { params = '{}', ...rest } = told;
    return { ...rest, ...(JSON.parse(String(params)) as object) };
  }

  /** Numbers between -1 and 1 that are another for each index, and the same each time. */
  const scattered = (index: number) =>
    Array.from({ length: 16 }, (_, at) => ((Math.imul(index + 1, 2_654_435_761) ^ Math.imul(at + 7, 40_503 * (index + 3))) % 1_000) / 1_000); // prettier-ignore

  test.each([
    ['HNSW', {}, 'IvfHnswSq'],
    ['IVF_FLAT', { lists: 32 }, 'IvfFlat'],
  ])(
    'LanceDB makes %s once it holds 10,000 vectors, and finds by it what came before and after',
    async (indexType, more, made) => {
      const [name, at] = [`t_large_${indexType}_${mark}`, target('lancedb', {})];
      const spec = { name, engine: 'lucene' as const, spaceType: 'l2', m: 16, efConstruction: 100, vectorDimension: 16, indexType, ...more }; // prettier-ignore
      await search.ensureIndex(spec, at, signal);
      const write = (from: number, to: number) =>
      search.bulkIndex(
        name,
        Array.from({ length: to - from }, (_, index) => toRecord(from + index, (from + index) % 100 === 99 ? undefined : scattered(from + index))),
        at,
        signal,
      ); // prettier-ignore
      for (let from = 0; from < 9_000; from += 3_000) await write(from, from + 3_000);
      await search.refresh(name, at);
      expect(await lanceIndexes(name)).toEqual([]);
      await write(9_000, 10_200);
      await search.refresh(name, at);
      expect(await lanceIndexes(name)).toEqual([{ columns: ['embedding'], indexType: made }]);
      // A later run adds rows and replaces one.
      await write(10_200, 10_300);
      await search.bulkIndex(name, [toRecord(4, scattered(10_400))], at, signal);
      await search.refresh(name, at);
      const near = async (index: number, username: string) =>
        (await search.nearest(name, { vector: scattered(index), reader: { username }, limit: 3 }, at)).map(
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

  async function lanceIndexes(name: string): Promise<unknown[]> {
    const { connect } = await import('@lancedb/lancedb');
    const connection = await connect(path.join(folder, 'lancedb', 'default'));
    const table = await connection.openTable(name);
    const indexes = await table.listIndices();
    connection.close();
    return indexes.map(({ columns, indexType }) => ({ columns, indexType }));
  }
});

test('only OpenSearch and LanceDB store rows without vectors; Milvus rejects each', async () => {
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
    getSearchTarget({
      provider,
      provider_config: provider === 'milvus' ? { host: milvus.host, port: milvus.port } : {},
    });
  for (const [provider, refusals] of [
    ['lancedb', 0],
    ['milvus', 1],
  ] as const) {
    await search.ensureIndex(spec, at(provider), signal);
    expect(await search.bulkIndex(index, [bare], at(provider), signal)).toHaveLength(refusals);
  }
});

test('the shared read alias cannot be used as an own alias', async () => {
  await expect(search.pointAlias(`stores-${mark}`, 'any')).rejects.toMatchObject({ code: 'SEARCH_INDEX_ERROR' });
});

test('a Milvus server that is unavailable or not allowed is reported', async () => {
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
