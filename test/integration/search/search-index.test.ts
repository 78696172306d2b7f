import type { AppError } from '../../../model/errors';
import { createSearch } from '../../../services/search/search';
import {
  cleanUp,
  alias,
  config,
  ids,
  mark,
  never,
  raw,
  record,
  remember,
  spec,
} from '../../support/system/search-fixture';
import { createDoor } from '../../support/system/system';

const search = createSearch(config);

afterAll(async () => {
  await search.close();
  await cleanUp();
});

describe('making an index', () => {
  test('it has explicit mappings, joins the read alias and gives its UUID, however often it is made', async () => {
    const indexSpec = spec('made', 8);
    const uuid = await search.ensureIndex(indexSpec, undefined, never);
    expect(await search.ensureIndex(indexSpec, undefined, never)).toBe(uuid);
    expect(await search.findIndexUuids([indexSpec.name, `absent-${mark}`])).toEqual({ [indexSpec.name]: uuid });
    const state = (
      await raw<Record<string, { aliases: object; mappings: { dynamic: string; properties: Record<string, object> } }>>(
        'GET',
        `/${indexSpec.name}`,
      )
    )[indexSpec.name];
    expect(state?.aliases).toEqual({ [alias]: {} });
    expect(state?.mappings.dynamic).toBe('strict');
    expect(state?.mappings.properties).toMatchObject({
      allowed_users: { type: 'keyword' },
      content: { type: 'text' },
      created_at: { type: 'date' },
      embedding: {
        type: 'knn_vector',
        dimension: 8,
        method: { name: 'hnsw', engine: 'lucene', space_type: 'l2', parameters: { m: 16, ef_construction: 100 } },
      },
    });
  });

  test('each vector is stored once, so a record takes little more than its vector', async () => {
    const indexSpec = spec('bytes', 384);
    await search.ensureIndex(indexSpec, undefined, never);
    const count = 200;
    const records = Array.from({ length: count }, (_, at) => {
      const embedding = Array.from({ length: 384 }, (_none, place) => Math.fround(Math.sin(at * 384 + place) / 10));
      return record(`bytes-${at}`, { embedding });
    });
    expect(await search.bulkIndex(indexSpec.name, records, undefined, never)).toEqual([]);
    await raw('POST', `/${indexSpec.name}/_flush`);
    const [size] = await search.readIndexSizes([indexSpec.name]);
    expect(size?.records).toBe(count);
    const bytesOfVector = 384 * 4;
    expect((size?.bytes ?? 0) / count).toBeLessThan(2 * bytesOfVector);
  });

  test('ten concurrent workers create one index', async () => {
    const indexSpec = spec('race', 4);
    const uuids = await Promise.all(Array.from({ length: 10 }, () => search.ensureIndex(indexSpec, undefined, never)));
    expect(new Set(uuids).size).toBe(1);
  });

  test('a different dimension is EMBEDDING_DIMENSION_MISMATCH with both numbers and instructions', async () => {
    const indexSpec = spec('dimension', 8);
    await search.ensureIndex(indexSpec, undefined, never);
    await expect(search.ensureIndex({ ...indexSpec, vectorDimension: 16 }, undefined, never)).rejects.toMatchObject({
      code: 'EMBEDDING_DIMENSION_MISMATCH',
      message: expect.stringMatching(/8 dimensions.*16 dimensions.*another index_name/),
    });
  });

  test('vectors for an index without vectors are rejected with the reason', async () => {
    const indexSpec = spec('plain');
    await search.ensureIndex(indexSpec, undefined, never);
    await expect(search.ensureIndex({ ...indexSpec, vectorDimension: 3 }, undefined, never)).rejects.toMatchObject({
      code: 'SEARCH_INDEX_ERROR',
      message: expect.stringContaining('created without vectors'),
    });
  });

  test('an index that is not ours is rejected and stays out of the alias', async () => {
    const indexSpec = spec('foreign');
    await raw('PUT', `/${indexSpec.name}`, { mappings: { properties: { text: { type: 'text' } } } });
    await expect(search.ensureIndex(indexSpec, undefined, never)).rejects.toMatchObject({
      code: 'SEARCH_INDEX_ERROR',
      message: expect.stringMatching(/not created by Docloom.*allowed_users \(keyword\)/),
    });
    expect(await raw('GET', `/${indexSpec.name}/_alias`)).toEqual({ [indexSpec.name]: { aliases: {} } });
  });

  test('an index of ours that has left the alias joins again', async () => {
    const indexSpec = spec('left');
    await search.ensureIndex(indexSpec, undefined, never);
    await raw('POST', '/_aliases', { actions: [{ remove: { index: indexSpec.name, alias } }] });
    await search.ensureIndex(indexSpec, undefined, never);
    expect(await raw('GET', `/${indexSpec.name}/_alias`)).toEqual({ [indexSpec.name]: { aliases: { [alias]: {} } } });
  });

  test('an index named like the alias gets a number and is written, refreshed and removed under its own name', async () => {
    const name = `same-${mark}`;
    remember(`${name}-000001`);
    const own = createSearch({ ...config, SEARCH_DEFAULT_INDEX: name });
    const uuid = await own.ensureIndex({ ...spec('unused'), name }, undefined, never);
    await own.bulkIndex(name, [record('a')], undefined, never);
    await own.refresh(name);
    expect(await ids(own, {})).toEqual(['a']);
    expect(await own.findIndexUuids([name])).toEqual({ [name]: uuid });
    expect(await own.removeDocuments(name, { jobId: 'job', documentIds: ['a'] })).toBe(1);
    await own.close();
  });

  test('an index in the place of the alias is reported', async () => {
    const name = `taken-${mark}`;
    remember(name);
    await raw('PUT', `/${name}`, {});
    const own = createSearch({ ...config, SEARCH_DEFAULT_INDEX: name });
    await expect(own.ensureIndex(spec('blocked'), undefined, never)).rejects.toMatchObject({
      code: 'SEARCH_INDEX_ERROR',
      message: expect.stringMatching(`cannot join the read alias '${name}'.*an index has that name`),
    });
    await own.close();
  });

  test.each([
    ['Capital', 'capital letters'],
    ['a b', 'blanks'],
    ['_all', "begins with '_'"],
    ['a*', '"*"'],
  ])('the name %s is rejected before the server is contacted', async (name, reason) => {
    await expect(search.ensureIndex({ ...spec('x'), name }, undefined, never)).rejects.toMatchObject({
      code: 'SEARCH_INDEX_ERROR',
      message: expect.stringContaining(reason),
    });
  });

  test('an unsupported distance is an error with engine and distance', async () => {
    await expect(
      search.ensureIndex({ ...spec('space', 3), spaceType: 'linf' }, undefined, never),
    ).rejects.toMatchObject({
      code: 'SEARCH_INDEX_ERROR',
      message: expect.stringMatching(/engine 'lucene'.*space_type 'linf'/),
    });
  });

  test.each(['faiss', 'nmslib'] as const)(
    'the engine %s is rejected where the server lacks its libraries, and the server lives on',
    async (engine) => {
      const given = { ...spec(`engine-${engine}`, 3), engine };
      const { nodes } = await raw<{ nodes: Record<string, { modules: { name: string }[] }> }>('GET', '/_nodes/plugins');
      const isFull = Object.values(nodes).every(({ modules }) => modules.some(({ name }) => name === 'reindex'));
      const outcome = await search.ensureIndex(given, undefined, never).then(
        () => 'made',
        (error: AppError) => `${error.code}: ${error.message}`,
      );
      expect(outcome).toMatch(
        isFull ? /^made$/ : new RegExp(`^SEARCH_INDEX_ERROR: The engine '${engine}' is not available.*'lucene'`),
      );
      expect(Object.keys(await search.findIndexUuids([given.name]))).toEqual(isFull ? [given.name] : []);
      await search.ping();
    },
  );

  test('an index that was created with such an engine is not written either', async () => {
    const indexSpec = spec('made-with-faiss', 3);
    await search.ensureIndex(indexSpec, undefined, never);
    const { [indexSpec.name]: state } = await raw<
      Record<string, { mappings: { properties: { embedding: { method: { engine: string } } } } }>
    >('GET', `/${indexSpec.name}`);
    const other = `${indexSpec.name}-2`;
    if (state) state.mappings.properties.embedding.method.engine = 'faiss';
    await raw('PUT', `/${remember(other)}`, { settings: { index: { knn: true } }, mappings: state?.mappings });
    const outcome = await search
      .ensureIndex({ ...indexSpec, name: other }, undefined, never)
      .catch((error: AppError) => error.message);
    expect(outcome).toMatch(/The engine 'faiss' is not available|^[\w-]{22}$/);
  });

  test('an abort ends it with the reason of the signal', async () => {
    await expect(
      search.ensureIndex(spec('aborted'), undefined, AbortSignal.abort(new Error('cancelled'))),
    ).rejects.toThrow('cancelled');
  });
});

describe('a server that a flow names', () => {
  test('a private address is rejected unless it is on the allow-list', async () => {
    await expect(search.ensureIndex(spec('guarded'), { host: '127.0.0.1', port: 2 }, never)).rejects.toMatchObject({
      code: 'ADDRESS_NOT_ALLOWED',
    });
    await expect(search.ensureIndex(spec('guarded'), { host: 'localhost', port: 2 }, never)).rejects.toMatchObject({
      code: 'ADDRESS_NOT_ALLOWED',
    });
    await expect(
      search.bulkIndex('x', [record('a')], { host: '169.254.169.254', port: 80 }, never),
    ).rejects.toMatchObject({ code: 'ADDRESS_NOT_ALLOWED' });
  });

  test('an allowed one is written without joining the read alias', async () => {
    const door = await createDoor(config.SEARCH_HOST, config.SEARCH_PORT);
    const target = { host: 'localhost', port: door.port, username: 'flow', password: 'x' };
    const open = createSearch({ ...config, DOCLOOM_ALLOWED_HOSTS: [`localhost:${door.port}`] });
    const indexSpec = spec('elsewhere');
    const uuid = await open.ensureIndex(indexSpec, target, never);
    expect(await open.bulkIndex(indexSpec.name, [record('a')], target, never)).toEqual([]);
    expect(await open.findIndexUuids([indexSpec.name], target)).toEqual({ [indexSpec.name]: uuid });
    expect(await raw('GET', `/${indexSpec.name}/_alias`)).toEqual({ [indexSpec.name]: { aliases: {} } });
    await open.close();
    door.close();
  });

  test.each(['localhost', '127.1', '[::ffff:127.0.0.1]'])(
    '%s with the port of the configured one means that one',
    async (host) => {
      const indexSpec = spec(`own-${host.replaceAll(/\W/g, '')}`);
      const target = { host, port: config.SEARCH_PORT, username: 'flow', password: 'x' };
      const uuid = await search.ensureIndex(indexSpec, target, never);
      expect(await search.findIndexUuids([indexSpec.name])).toEqual({ [indexSpec.name]: uuid });
      expect(await raw('GET', `/${indexSpec.name}/_alias`)).toEqual({ [indexSpec.name]: { aliases: { [alias]: {} } } });
    },
  );

  test.each(['x@127.0.0.1', '127.0.0.1/x', '127.0.0.1?x', '127.0.0.1#', 'a b'])('%s is not a host', async (host) => {
    await expect(search.ensureIndex(spec('guarded'), { host, port: 9201 }, never)).rejects.toMatchObject({
      code: 'OPERATOR_CONFIGURATION_INVALID',
    });
  });
});
