import type { Reader } from '../../../model/access';
import { listPrincipals } from '../../../model/access-list';
import type { Row } from '../../../model/flow/row';
import { findSearchTarget } from '../../../operators/vectordb/provider-config';
import { run } from '../../../operators/vectordb/run';
import type { VectordbConfig } from '../../../operators/vectordb/schema';
import type { IndexRecord, SearchTarget } from '../../../services/search/ports';
import { contextFor } from '../../support/operators/operator-test-support';
import { startMilvus } from '../../support/servers/milvus-server';
import { startPgvector, type TestPgvector } from '../../support/servers/pgvector';
import { startVectorSearch } from '../../support/servers/vector-search';

const { search, mark, defaultIndex, close } = startVectorSearch();
const { signal } = new AbortController();
let milvus: Awaited<ReturnType<typeof startMilvus>>;
let pgvector: TestPgvector;

beforeAll(async () => {
  [milvus, pgvector] = await Promise.all([startMilvus(), startPgvector()]);
}, 600_000);
afterAll(async () => {
  await close();
  await milvus?.stop();
  await pgvector?.stop();
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
  const target = (): SearchTarget | undefined => findSearchTarget({ provider, provider_config: settings() });
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
    return (await search.findNearest(index, { vector, reader: { username }, limit: 10 }, target())).map(({ id }) => id);
  };
  const write = async (index: string, records: IndexRecord[]) => search.bulkIndex(index, records, target(), signal);

  test('finds records by their vectors, nearest first, and only those that the reader may read', async () => {
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
      await search.findNearest(index, { vector: [0, 0, 0, 1], reader: { username: 'alice' }, limit: 1 }, target()),
    ).toEqual([{ id: 'c', document_id: 'c', content: 'content of c' }]);
  });

  test('groups, everybody and denials apply as in the index', async () => {
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
      (await search.findNearest(index, { vector: at, reader, limit: 20 }, target())).map(({ id }) => id).toSorted();
    const withGroups = (username: string, ...groups: string[]) => ({
      username,
      principals: listPrincipals(username, groups),
    });
    expect(await seenBy(withGroups('alice'))).toEqual(['all', 'both', 'denied', 'named']);
    expect(await seenBy(withGroups('bob', 'staff'))).toEqual(['all', 'both', 'staff']);
    expect(await seenBy(withGroups('eve'))).toEqual(['all']);
    expect(await seenBy(withGroups(staff))).toEqual(['all', 'denied']);
    expect(await seenBy({ username: 'alice' })).toEqual(['all', 'both', 'named']);
  });

  test('a second write of the same records changes nothing; a record is replaced by id', async () => {
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

  test('the first batch sets the dimension, and other dimensions are rejected', async () => {
    const operatorConfig = getConfig();
    const row = (id: string, embeddings: number[] | undefined): Row => ({
      id,
      name: id,
      path: id,
      content: id,
      allowed_users: ['alice'],
      embeddings,
    });
    const context = () => contextFor({ search });
    expect((await run([row('a', [1, 0, 0])], operatorConfig, context())).failed).toEqual([]);
    await expect(run([row('b', [1, 0])], operatorConfig, context())).rejects.toMatchObject({
      code: 'EMBEDDING_DIMENSION_MISMATCH',
    });
    await expect(
      run([row('c', [1, 0, 0, 0])], { ...operatorConfig, vector_dimension: 4 }, context()),
    ).rejects.toMatchObject({
      code: 'EMBEDDING_DIMENSION_MISMATCH',
    });
    expect(await near(operatorConfig.index_name, 'alice', [1, 0, 0])).toEqual(['a']);
  });

  test('an index is created once by any number of concurrent callers; its UUID identifies it', async () => {
    const { index_name: index } = getConfig();
    const uuids = await Promise.all([0, 1, 2].map(() => search.ensureIndex(getSpec(index, 4), target(), signal)));
    expect(new Set(uuids).size).toBe(1);
    expect(await search.findIndexUuids([index, `t_absent_${mark}`], target())).toEqual({ [index]: uuids[0] });
    await expect(search.ensureIndex(getSpec('Not a name!', 4), target(), signal)).rejects.toMatchObject({
      code: 'SEARCH_INDEX_ERROR',
    });
  });

  test('an alias moves from one index to the next atomically', async () => {
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
    const [hit] = await search.findNearest(
      index,
      { vector: [1, 0, 0, 0], reader: { username: 'alice' }, limit: 1 },
      target(),
    );
    expect(hit).toEqual({ id: 'ünï-1', document_id: 'ünï-1', content });
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
    const hits = await search.findNearest(
      index,
      { vector: [0, 0, 0, 0.1], reader: { username: 'alice' }, limit: 200 },
      target(),
    );
    expect(new Set(hits.map(({ id }) => id)).size).toBe(200);
  });
});

test('the shared read alias cannot be used as the alias of another index', async () => {
  await expect(search.pointAlias(defaultIndex, 'any')).rejects.toMatchObject({ code: 'SEARCH_INDEX_ERROR' });
});
