import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { readConfig } from '../../model/config';
import type { Row } from '../../model/row';
import { contextFor } from '../../operators/operator-test-support';
import { run } from '../../operators/vectordb/run';
import { searchTargetOf, type VectordbConfig } from '../../operators/vectordb/schema';
import type { IndexRecord, Search, SearchTarget } from '../../services/ports';
import { createSearch } from '../../services/search';
import { startMilvus } from '../milvus-server';

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

beforeAll(async () => {
  milvus = await startMilvus();
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
  rmSync(folder, { recursive: true, force: true });
});

interface Provider {
  name: 'opensearch' | 'milvus' | 'lancedb';
  settings: () => NonNullable<VectordbConfig['provider_config']>;
}
const providers: Provider[] = [
  { name: 'opensearch', settings: () => ({}) },
  { name: 'milvus', settings: () => ({ host: milvus.host, port: milvus.port }) },
  { name: 'lancedb', settings: () => ({}) },
];

describe.each(providers)('$name', ({ name: provider, settings }) => {
  let count = 0;
  const configOf = (more: Partial<VectordbConfig> = {}): VectordbConfig => ({
    provider,
    index_name: `t_${(count += 1)}_${mark}`,
    provider_config: settings(),
    ...more,
  });
  const target = (): SearchTarget | undefined => searchTargetOf({ provider, provider_config: settings() });
  const specOf = (name: string, vectorDimension?: number, alias?: string) => ({
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
    return (await search.nearest(index, { vector, username, limit: 10 }, target())).map(({ id }) => id);
  };
  const write = async (index: string, records: IndexRecord[]) => search.bulkIndex(index, records, target(), signal);

  test('records are found by their vectors, the nearest first, by those who may read them only', async () => {
    const { index_name: index } = configOf();
    await search.ensureIndex(specOf(index, 4), target(), signal);
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
    expect(await search.nearest(index, { vector: [0, 0, 0, 1], username: 'alice', limit: 1 }, target())).toEqual([
      { id: 'c', document_id: 'c', content: 'content of c' },
    ]);
  });

  test('written twice is the same as once; a record is replaced under its id', async () => {
    const { index_name: index } = configOf();
    await search.ensureIndex(specOf(index, 4), target(), signal);
    await write(index, [record('a_0', [1, 0, 0, 0]), record('a_1', [0, 1, 0, 0])]);
    await write(index, [record('a_0', [1, 0, 0, 0]), record('a_1', [0, 1, 0, 0])]);
    expect((await near(index)).toSorted()).toEqual(['a_0', 'a_1']);
    await write(index, [record('a_0', [0, 0, 1, 0], { allowed_users: ['bob'] })]);
    expect(await near(index)).toEqual(['a_1']);
    expect(await near(index, 'bob')).toEqual(['a_0']);
  });

  test('what earlier runs wrote for a document goes, what this run and other jobs wrote stays', async () => {
    const { index_name: index } = configOf();
    await search.ensureIndex(specOf(index, 4), target(), signal);
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

  test('the dimension is taken from the first batch, and another one is refused', async () => {
    const given = configOf();
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

  test('an index is made once, by however many at once; its identity tells it from another', async () => {
    const { index_name: index } = configOf();
    const uuids = await Promise.all([0, 1, 2].map(() => search.ensureIndex(specOf(index, 4), target(), signal)));
    expect(new Set(uuids).size).toBe(1);
    expect(await search.indexUuids([index, `t_absent_${mark}`], target())).toEqual({ [index]: uuids[0] });
    await expect(search.ensureIndex(specOf('Not a name!', 4), target(), signal)).rejects.toMatchObject({
      code: 'SEARCH_INDEX_ERROR',
    });
  });

  test('an alias moves from one index to the next at once', async () => {
    const [first, second] = [configOf().index_name, configOf().index_name];
    const alias = `t_alias_${provider}_${mark}`;
    await search.ensureIndex(specOf(first, 4, alias), target(), signal);
    await write(first, [record('old', [1, 0, 0, 0])]);
    await search.refresh(first, target());
    await search.pointAlias(alias, first, target());
    expect(await near(alias)).toEqual(['old']);
    await search.ensureIndex(specOf(second, 4, alias), target(), signal);
    await write(second, [record('new', [1, 0, 0, 0])]);
    await search.refresh(second, target());
    expect(await near(alias)).toEqual(['old']);
    await search.pointAlias(alias, second, target());
    await search.pointAlias(alias, second, target());
    expect(await near(alias)).toEqual(['new']);
  });

  test('texts of all scripts and large ones come back as they went in', async () => {
    const { index_name: index } = configOf();
    await search.ensureIndex(specOf(index, 4), target(), signal);
    const content = `${'漢字 😀 é "quoted" \\ line\n'.repeat(500)}end`;
    await write(index, [record('ünï-1', [1, 0, 0, 0], { content })]);
    await search.refresh(index, target());
    const [found] = await search.nearest(index, { vector: [1, 0, 0, 0], username: 'alice', limit: 1 }, target());
    expect(found).toEqual({ id: 'ünï-1', document_id: 'ünï-1', content });
  });

  test('many writers at once lose nothing', async () => {
    const { index_name: index } = configOf();
    await search.ensureIndex(specOf(index, 4), target(), signal);
    await Promise.all(
      Array.from({ length: 8 }, async (_, writer) =>
        write(
          index,
          Array.from({ length: 25 }, (_, item) => record(`w${writer}_${item}`, [writer / 10, item / 100, 0, 0])),
        ),
      ),
    );
    await search.refresh(index, target());
    const found = await search.nearest(index, { vector: [0, 0, 0, 0.1], username: 'alice', limit: 200 }, target());
    expect(new Set(found.map(({ id }) => id)).size).toBe(200);
  });
});

test('only OpenSearch and LanceDB keep rows without vectors; Milvus refuses them, each', async () => {
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
    searchTargetOf({
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

test('the read alias, which all indexes share, is nobody’s own', async () => {
  await expect(search.pointAlias(`stores-${mark}`, 'any')).rejects.toMatchObject({ code: 'SEARCH_INDEX_ERROR' });
});

test('a Milvus server that is away, or that the operator does not allow, is told so', async () => {
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
