import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { IndexRecord } from '../../../services/search/ports';
import { createSearch } from '../../../services/search/search';
import { cleanUp, config, ids, library, never, raw, record, spec } from '../../support/system/search-fixture';

const search = createSearch(config);

afterAll(async () => {
  await search.close();
  await cleanUp();
});

describe('bulk writes', () => {
  test('records of many requests arrive, and writing twice is the same as once', async () => {
    const indexSpec = spec('bulk', 3);
    await search.ensureIndex(indexSpec, undefined, never);
    const records = Array.from({ length: 2_300 }, (_, index) =>
      record(`d${index}`, { embedding: [index, 1, 2], content: 'word '.repeat(index % 50) }),
    );
    expect(await search.bulkIndex(indexSpec.name, records, undefined, never)).toEqual([]);
    expect(await search.bulkIndex(indexSpec.name, records.slice(0, 10), undefined, never)).toEqual([]);
    await search.refresh(indexSpec.name);
    expect(await raw('GET', `/${indexSpec.name}/_count`)).toMatchObject({ count: 2_300 });
  });

  test('refused records are given back with the reason, the others are written', async () => {
    const given = { ...spec('refused', 3), spaceType: 'cosinesimil' };
    await search.ensureIndex(given, undefined, never);
    const refused = await search.bulkIndex(
      given.name,
      [
        record('good', { embedding: [1, 2, 3] }),
        record('short', { embedding: [1, 2] }),
        record('zero', { embedding: [0, 0, 0] }),
        record('date', { created_at: 'yesterday' }),
      ],
      undefined,
      never,
    );
    expect(refused.map(({ id }) => id)).toEqual(['short', 'zero', 'date']);
    expect(refused.find(({ id }) => id === 'short')?.reason).toMatch(/dimension/i);
    expect(refused.find(({ id }) => id === 'zero')?.reason).toMatch(/zero vector/i);
    // Reasons appear in messages and histories: they name the field, never its content.
    const reason = refused.find(({ id }) => id === 'date')?.reason;
    expect(reason).toMatch(/created_at/);
    expect(reason).not.toMatch(/yesterday/);
  });

  test('a field outside the mappings is rejected: the top is strict', async () => {
    const indexSpec = spec('strict');
    await search.ensureIndex(indexSpec, undefined, never);
    const [refusal] = await search.bulkIndex(
      indexSpec.name,
      [{ ...record('x'), owner: 'eve' } as IndexRecord],
      undefined,
      never,
    );
    expect(refusal).toMatchObject({ id: 'x', reason: expect.stringContaining('owner') });
  });

  test('metadata with one name may be texts, numbers, booleans and lists in different documents', async () => {
    const { search: own } = await library([
      record('number', { metadata: { value: 5 } }),
      record('text', { metadata: { value: 'five apples' } }),
      record('flag', { metadata: { value: true } }),
      record('list', { metadata: { value: [5, 'x'] } }),
      record('date', { metadata: { value: '2024-01-01', when: '2024-01-01' } }),
      record('words', { metadata: { when: 'yesterday', __proto__x: 1, constructor: { prototype: 1 } } }),
    ]);
    expect(await ids(own, { filters: { value: 5 }, sort: [{ id: 'asc' }] })).toEqual(['list', 'number']);
    expect(await ids(own, { filters: { value: 'five apples' } })).toEqual(['text']);
    expect(await ids(own, { filters: { value: true } })).toEqual(['flag']);
    expect(await ids(own, { filters: { when: 'yesterday' } })).toEqual(['words']);
    await own.close();
  });

  test('an unavailable server is SEARCH_CONNECTION_FAILED', async () => {
    const away = createSearch({ ...config, SEARCH_PORT: 1 });
    await expect(away.bulkIndex('x', [record('a')], undefined, never)).rejects.toMatchObject({
      code: 'SEARCH_CONNECTION_FAILED',
      message: expect.stringContaining(':1 cannot be reached'),
    });
    await expect(away.ensureIndex(spec('x'), undefined, never)).rejects.toMatchObject({
      code: 'SEARCH_CONNECTION_FAILED',
    });
    await expect(away.removeDocuments('x', { jobId: 'j', documentIds: ['a'] })).rejects.toMatchObject({
      code: 'SEARCH_CONNECTION_FAILED',
    });
    await expect(away.ping()).rejects.toMatchObject({ code: 'SEARCH_CONNECTION_FAILED' });
    await away.close();
  });
});

describe('a server that is busy', () => {
  let proxy: Server;
  let port: number;
  let asked: string[][];
  /** Statuses for the items of each request in turn; a number is the status of the whole request. */
  let script: (number[] | number)[];

  beforeAll(async () => {
    proxy = createServer((request, response) => {
      let text = '';
      request.on('data', (part: Buffer) => (text += part.toString()));
      request.on('end', () => {
        const lines = text.trimEnd().split('\n');
        const written = lines
          .filter((_, index) => index % 2 === 0)
          .map((line) => (JSON.parse(line) as { index: { _id: string } }).index._id);
        asked.push(written);
        const next = script.shift() ?? written.map(() => 201);
        const status = typeof next === 'number' ? next : 200;
        const items =
          typeof next === 'number'
            ? []
            : next.map((item, index) => ({
                index: {
                  _id: written[index],
                  status: item,
                  ...(item < 300
                    ? {}
                    : {
                        error: {
                          type: item === 429 ? 'rejected_execution_exception' : 'mapper_parsing_exception',
                          reason: 'because',
                        },
                      }),
                },
              }));
        response
          .writeHead(status, { 'content-type': 'application/json' })
          .end(
            JSON.stringify(
              status === 200
                ? { errors: items.some(({ index }) => index.status > 299), items }
                : { error: { type: 'busy', reason: 'busy' }, status },
            ),
          );
      });
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    port = (proxy.address() as AddressInfo).port;
  });
  beforeEach(() => {
    asked = [];
  });
  afterAll(async () => {
    proxy.closeAllConnections();
    await new Promise((resolve) => proxy.close(resolve));
  });
  const write = async (names: string[]) => {
    const own = createSearch({
      ...config,
      SEARCH_HOST: '127.0.0.1',
      SEARCH_PORT: port,
      SEARCH_USERNAME: undefined,
      SEARCH_USE_SSL: false,
    });
    try {
      return await own.bulkIndex(
        'any',
        names.map((name) => record(name)),
        undefined,
        never,
      );
    } finally {
      await own.close();
    }
  };

  test('only the items that it was too busy for are sent again', async () => {
    script = [[201, 429, 400, 503], [201, 429], [201]];
    expect(await write(['a', 'b', 'c', 'd'])).toEqual([{ id: 'c', reason: 'mapper_parsing_exception: because' }]);
    expect(asked).toEqual([['a', 'b', 'c', 'd'], ['b', 'd'], ['d']]);
  });

  test('after SEARCH_MAX_RETRIES further attempts it is SEARCH_CONNECTION_FAILED', async () => {
    script = [[429], [429], [429], [201]];
    await expect(write(['a'])).rejects.toMatchObject({
      code: 'SEARCH_CONNECTION_FAILED',
      message: expect.stringContaining('too busy for 1 of 1'),
    });
    expect(asked).toHaveLength(3);
  });

  test('a whole request that is rejected by 503 is sent again', async () => {
    script = [503, [201, 201]];
    expect(await write(['a', 'b'])).toEqual([]);
    expect(asked).toHaveLength(2);
  });

  test('a request that is too large is halved, and a single record that is too large is rejected', async () => {
    script = [413, 413, [201], 413, 413];
    expect(await write(['a', 'b', 'c'])).toEqual(
      [
        { id: 'b', reason: expect.stringContaining('larger') },
        { id: 'c', reason: expect.stringContaining('larger') },
      ].slice(0, 2),
    );
  });
});

describe('removing documents', () => {
  test('records of the documents are removed, except those of the current run, of other jobs and of other documents', async () => {
    const { search: own, index } = await library([
      record('a_0', { document_id: 'a', run_id: 'new' }),
      record('a_1', { document_id: 'a', run_id: 'old' }),
      record('a_2', { document_id: 'a', run_id: 'older' }),
      record('b_0', { document_id: 'b', run_id: 'old' }),
      record('c_0', { document_id: 'a', job_id: 'other job', run_id: 'old' }),
    ]);
    expect(await own.removeDocuments(index, { jobId: 'job', documentIds: ['a', 'absent'], keepRunId: 'new' })).toBe(2);
    await own.refresh(index);
    expect((await ids(own, {})).toSorted()).toEqual(['a_0', 'b_0', 'c_0']);
    expect(await own.removeDocuments(index, { jobId: 'job', documentIds: ['a', 'b'] })).toBe(2);
    expect(await own.removeDocuments(index, { jobId: 'job', documentIds: [] })).toBe(0);
    await own.close();
  });

  test('records that were just written are visible', async () => {
    const { search: own, index } = await library([]);
    await own.bulkIndex(index, [record('x', { run_id: 'old' })], undefined, never);
    expect(await own.removeDocuments(index, { jobId: 'job', documentIds: ['x'], keepRunId: 'new' })).toBe(1);
    await own.close();
  });

  test('more than a page of records and of documents is removed', async () => {
    const { search: own, index } = await library(
      Array.from({ length: 2_100 }, (_, number) => record(`r${number}`, { document_id: `d${number % 1_500}` })),
    );
    const documentIds = Array.from({ length: 1_500 }, (_, number) => `d${number}`);
    expect(await own.removeDocuments(index, { jobId: 'job', documentIds })).toBe(2_100);
    await own.close();
  }, 30_000);
});
