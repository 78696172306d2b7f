import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readConfig } from '../../model/config';
import type { IndexRecord, IndexSpec, Search, SearchRequest } from '../../services/ports';
import { createSearch } from '../../services/search';

const mark = randomUUID().slice(0, 8);
const alias = `read-${mark}`;
const config = readConfig({
  ...process.env,
  SEARCH_DEFAULT_INDEX: alias,
  SEARCH_TIMEOUT: '20',
  SEARCH_MAX_RETRIES: '2',
  DOCLOOM_ALLOWED_HOSTS: '',
});
const server = `http://${config.SEARCH_HOST}:${config.SEARCH_PORT}`;
const never = new AbortController().signal;
const made = new Set<string>();
const search = createSearch(config);
const person = (username: string) => ({ username, email: '', full_name: '', groups: [] });
const anna = person('anna');

async function raw<T>(method: string, path: string, body?: unknown): Promise<T> {
  const init =
    body === undefined
      ? { method }
      : { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  return (await (await fetch(`${server}${path}`, init)).json()) as T;
}

function spec(name: string, vectorDimension?: number): IndexSpec {
  const full = `${name}-${mark}`;
  made.add(full);
  return {
    name: full,
    engine: 'lucene',
    spaceType: 'l2',
    m: 16,
    efConstruction: 100,
    ...(vectorDimension === undefined ? {} : { vectorDimension }),
  };
}

function record(id: string, given: Partial<IndexRecord> = {}): IndexRecord {
  return {
    id,
    document_id: id,
    job_id: 'job',
    run_id: 'run',
    content: `content of ${id}`,
    title: `Title ${id}`,
    metadata: {},
    allowed_users: ['anna'],
    created_at: '2024-05-01T10:00:00Z',
    updated_at: '2024-05-02T10:00:00Z',
    ...given,
  };
}

/** A service of its own read alias, so that tests do not see each other's documents. */
async function library(
  records: IndexRecord[],
  given: Record<string, string> = {},
): Promise<{ search: Search; index: string }> {
  const name = `lib-${randomUUID().slice(0, 8)}`;
  const own = createSearch(readConfig({ ...process.env, SEARCH_DEFAULT_INDEX: name, ...given }));
  const { name: index } = { ...spec(`docs-${name}`) };
  await own.ensureIndex({ ...spec(`docs-${name}`) }, undefined, never);
  expect(await own.bulkIndex(index, records, undefined, never)).toEqual([]);
  await own.refresh(index);
  return { search: own, index };
}

const ids = async (service: Search, request: SearchRequest, user = anna) =>
  (await service.search(user, request)).documents.map(({ id }) => id);

afterAll(async () => {
  await search.close();
  await fetch(`${server}/${[...made].join(',')}?ignore_unavailable=true`, { method: 'DELETE' });
});

describe('making an index', () => {
  test('it has explicit mappings, joins the read alias and gives its UUID, however often it is made', async () => {
    const given = spec('made', 8);
    const uuid = await search.ensureIndex(given, undefined, never);
    expect(await search.ensureIndex(given, undefined, never)).toBe(uuid);
    expect(await search.indexUuids([given.name, `absent-${mark}`])).toEqual({ [given.name]: uuid });
    const state = (
      await raw<Record<string, { aliases: object; mappings: { dynamic: string; properties: Record<string, object> } }>>(
        'GET',
        `/${given.name}`,
      )
    )[given.name];
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

  test('ten workers at once make one index', async () => {
    const given = spec('race', 4);
    const uuids = await Promise.all(Array.from({ length: 10 }, () => search.ensureIndex(given, undefined, never)));
    expect(new Set(uuids).size).toBe(1);
  });

  test('another dimension is EMBEDDING_DIMENSION_MISMATCH with both numbers and what to do', async () => {
    const given = spec('dimension', 8);
    await search.ensureIndex(given, undefined, never);
    await expect(search.ensureIndex({ ...given, vectorDimension: 16 }, undefined, never)).rejects.toMatchObject({
      code: 'EMBEDDING_DIMENSION_MISMATCH',
      message: expect.stringMatching(/8 dimensions.*16 dimensions.*another index_name/),
    });
  });

  test('vectors for an index without vectors are refused with the reason', async () => {
    const given = spec('plain');
    await search.ensureIndex(given, undefined, never);
    await expect(search.ensureIndex({ ...given, vectorDimension: 3 }, undefined, never)).rejects.toMatchObject({
      code: 'SEARCH_INDEX_ERROR',
      message: expect.stringContaining('made without vectors'),
    });
  });

  test('an index that is not ours is refused and stays out of the alias', async () => {
    const given = spec('foreign');
    await raw('PUT', `/${given.name}`, { mappings: { properties: { text: { type: 'text' } } } });
    await expect(search.ensureIndex(given, undefined, never)).rejects.toMatchObject({
      code: 'SEARCH_INDEX_ERROR',
      message: expect.stringMatching(/not made by Docloom.*allowed_users \(keyword\)/),
    });
    expect(await raw('GET', `/${given.name}/_alias`)).toEqual({ [given.name]: { aliases: {} } });
  });

  test('an index of ours that has left the alias joins again', async () => {
    const given = spec('left');
    await search.ensureIndex(given, undefined, never);
    await raw('POST', '/_aliases', { actions: [{ remove: { index: given.name, alias } }] });
    await search.ensureIndex(given, undefined, never);
    expect(await raw('GET', `/${given.name}/_alias`)).toEqual({ [given.name]: { aliases: { [alias]: {} } } });
  });

  test('an index named like the alias gets a number and is written, refreshed and removed under its own name', async () => {
    const name = `same-${mark}`;
    made.add(`${name}-000001`);
    const own = createSearch({ ...config, SEARCH_DEFAULT_INDEX: name });
    const uuid = await own.ensureIndex({ ...spec('unused'), name }, undefined, never);
    await own.bulkIndex(name, [record('a')], undefined, never);
    await own.refresh(name);
    expect(await ids(own, {})).toEqual(['a']);
    expect(await own.indexUuids([name])).toEqual({ [name]: uuid });
    expect(await own.removeDocuments(name, { jobId: 'job', documentIds: ['a'] })).toBe(1);
    await own.close();
  });

  test('an index in the place of the alias is named as the obstacle', async () => {
    const name = `taken-${mark}`;
    made.add(name);
    await raw('PUT', `/${name}`, {});
    const own = createSearch({ ...config, SEARCH_DEFAULT_INDEX: name });
    await expect(own.ensureIndex(spec('blocked'), undefined, never)).rejects.toMatchObject({
      code: 'SEARCH_INDEX_ERROR',
      message: expect.stringContaining(`an index is named '${name}'`),
    });
    await own.close();
  });

  test.each([
    ['Capital', 'capital letters'],
    ['a b', 'blanks'],
    ['_all', "begins with '_'"],
    ['a*', '"*"'],
  ])('the name %s is refused before the server is asked', async (name, reason) => {
    await expect(search.ensureIndex({ ...spec('x'), name }, undefined, never)).rejects.toMatchObject({
      code: 'SEARCH_INDEX_ERROR',
      message: expect.stringContaining(reason),
    });
  });

  test('a distance that the engine does not know is an error that names engine and distance', async () => {
    await expect(
      search.ensureIndex({ ...spec('space', 3), spaceType: 'linf' }, undefined, never),
    ).rejects.toMatchObject({
      code: 'SEARCH_INDEX_ERROR',
      message: expect.stringMatching(/engine 'lucene'.*space_type 'linf'/),
    });
  });

  test('an abort ends it with the reason of the signal', async () => {
    await expect(
      search.ensureIndex(spec('aborted'), undefined, AbortSignal.abort(new Error('cancelled'))),
    ).rejects.toThrow('cancelled');
  });
});

describe('bulk writes', () => {
  test('records of many requests arrive, and writing twice is the same as once', async () => {
    const given = spec('bulk', 3);
    await search.ensureIndex(given, undefined, never);
    const records = Array.from({ length: 2_300 }, (_, index) =>
      record(`d${index}`, { embedding: [index, 1, 2], content: 'word '.repeat(index % 50) }),
    );
    expect(await search.bulkIndex(given.name, records, undefined, never)).toEqual([]);
    expect(await search.bulkIndex(given.name, records.slice(0, 10), undefined, never)).toEqual([]);
    await search.refresh(given.name);
    expect(await raw('GET', `/${given.name}/_count`)).toMatchObject({ count: 2_300 });
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
    expect(refused.find(({ id }) => id === 'date')?.reason).toMatch(/yesterday/);
  });

  test('a field outside the mappings is refused: the top is strict', async () => {
    const given = spec('strict');
    await search.ensureIndex(given, undefined, never);
    const [refusal] = await search.bulkIndex(
      given.name,
      [{ ...record('x'), owner: 'eve' } as IndexRecord],
      undefined,
      never,
    );
    expect(refusal).toMatchObject({ id: 'x', reason: expect.stringContaining('owner') });
  });

  test('metadata of one name may hold texts, numbers, booleans and lists in different documents', async () => {
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

  test('a server that is away is SEARCH_CONNECTION_FAILED', async () => {
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

  test('a whole request that is refused by 503 is sent again', async () => {
    script = [503, [201, 201]];
    expect(await write(['a', 'b'])).toEqual([]);
    expect(asked).toHaveLength(2);
  });

  test('a request that is too large is halved, and a record that is too large alone is refused', async () => {
    script = [413, 413, [201], 413, 413];
    expect(await write(['a', 'b', 'c'])).toEqual(
      [
        { id: 'b', reason: expect.stringContaining('larger') },
        { id: 'c', reason: expect.stringContaining('larger') },
      ].slice(0, 2),
    );
  });
});

describe('the access rule', () => {
  let own: Search;
  const users = { absent: undefined, empty: [], listed: ['bert', 'anna'], others: ['bert'] };

  beforeAll(async () => {
    const records = Object.entries(users).map(([id, allowed]) => {
      const { allowed_users: _, ...rest } = record(id, {
        title: 'secret plans',
        metadata: { allowed_users_hint: 'x', n: 1 },
      });
      return (allowed === undefined ? rest : { ...rest, allowed_users: allowed }) as IndexRecord;
    });
    ({ search: own } = await library([
      ...records,
      record('capital', { allowed_users: ['Anna'] }),
      record('part', { allowed_users: ['anna smith', 'anna2'] }),
    ]));
  });
  afterAll(() => own.close());

  test.each([
    ['absent', false],
    ['empty', false],
    ['listed', true],
    ['others', false],
    ['capital', false],
    ['part', false],
  ])('a document whose list is %s: anna finds it: %s', async (id, expected) => {
    expect((await own.get(anna, id)) !== undefined).toBe(expected);
    expect(await ids(own, { filters: { id } })).toEqual(expected ? [id] : []);
  });

  test('search finds the listed document only, and says so in total', async () => {
    expect(await own.search(anna, {})).toMatchObject({ total: 1, has_more: false, documents: [{ id: 'listed' }] });
    expect(await own.search(anna, { query: 'secret plans' })).toMatchObject({
      total: 1,
      documents: [{ id: 'listed' }],
    });
    expect(await own.search(person('eve'), {})).toEqual({
      documents: [],
      total: 0,
      limit: 10,
      offset: 0,
      has_more: false,
    });
  });

  test('a missing and a forbidden document are alike', async () => {
    expect(await own.get(anna, 'others')).toBeUndefined();
    expect(await own.get(anna, 'no such document')).toBeUndefined();
  });

  test('responses have the members of the specification and no access list', async () => {
    const document = await own.get(anna, 'listed');
    expect(Object.keys(document ?? {}).toSorted()).toEqual([
      'content',
      'created_at',
      'id',
      'metadata',
      'title',
      'updated_at',
    ]);
    expect(JSON.stringify(await own.search(anna, {}))).not.toMatch(/allowed_users"/);
  });

  test.each([
    { filters: { allowed_users: 'bert' } },
    { filters: { allowed_users: ['bert', 'anna'] } },
    { filters: { 'allowed_users.keyword': 'bert' } },
    { filters: { 'metadata.allowed_users': 'bert' } },
    { filters: { ' allowed_users ': 'bert' } },
    { filters: { ALLOWED_USERS: 'bert' } },
    { sort: [{ allowed_users: 'asc' as const }] },
    { sort: [{ 'metadata.allowed_users': 'desc' as const }] },
  ])('%j is refused', async (request) => {
    await expect(own.search(anna, request)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      message: expect.stringContaining('access lists'),
    });
  });

  test.each<SearchRequest>([
    { filters: { _index: '*' } },
    { filters: { _id: 'others' } },
    { filters: { 'allowed*': 'bert' } },
    { filters: { '*': 'bert' } },
    { filters: { 'id,allowed_users': 'others' } },
    { filters: { bool: 'x' } },
    { filters: { id: ['others', 'empty', 'absent'] } },
    { query: 'allowed_users:bert' },
    { query: '* OR allowed_users:*' },
    { query: 'secret" } }, "should": { "match_all": {} }' },
    { filters: { constructor: 'x' } },
  ])('%j finds nothing that the user may not read', async (request) => {
    const { documents } = await own.search(anna, request);
    expect(documents.filter(({ id }) => id !== 'listed')).toEqual([]);
  });

  test.each<SearchRequest>([
    { filters: { id: { terms: ['others'] } } },
    { filters: { id: null } },
    { filters: { id: [null] } },
    { filters: { id: [['others']] } },
    { sort: [{ id: { order: 'asc' } as unknown as 'asc' }] },
    { sort: [{ _script: 'asc' as const }] },
    { sort: [{ '*': 'asc' as const }] },
    { sort: [{ 'n,allowed_users': 'asc' as const }] },
    { sort: [{}] },
    { sort: [{ id: 'asc' as const, title: 'asc' as const }] },
  ])('%j is a VALIDATION_ERROR', async (request) => {
    await expect(own.search(anna, request)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });
});

describe('searching', () => {
  let own: Search;
  const many = Array.from({ length: 25 }, (_, index) =>
    record(`p${String(index).padStart(2, '0')}`, {
      metadata: { size: index % 5, Author: index % 2 ? 'Ada Lovelace' : 'Grace Hopper', name: `File ${index}.pdf` },
      created_at: `2024-01-${String(index + 1).padStart(2, '0')}T00:00:00Z`,
    }),
  );
  const special = [
    record('content', { content: 'The quick brown fox' }),
    record('title', { title: 'Brown bears' }),
    record('meta', {
      metadata: {
        subject: 'about brown things',
        nested: { deep: 'Tiefe Sache' },
        tags: ['Red', 'dark green'],
        year: 1999,
        ratio: 0.5,
        flag: true,
        page_numbers: [3, 4],
        bbox: [[1, 2, 3, 4, 5]],
      },
    }),
    record('long', { metadata: { note: 'n'.repeat(40_000) }, title: 'T'.repeat(40_000) }),
  ];

  beforeAll(async () => {
    ({ search: own } = await library([...many, ...special]));
  });
  afterAll(() => own.close());

  test('full text looks into content, title and metadata', async () => {
    expect((await ids(own, { query: 'BROWN' })).toSorted()).toEqual(['content', 'meta', 'title']);
    expect(await ids(own, { query: 'Tiefe' })).toEqual(['meta']);
    expect(await ids(own, { query: '1999' })).toEqual(['meta']);
    expect(await ids(own, { query: '!!!' })).toEqual([]);
    expect(await ids(own, { query: 'xylophone' })).toEqual([]);
  });

  test('a blank query is none', async () => {
    expect(await own.search(anna, { query: '  ' })).toMatchObject({ total: 29 });
  });

  test('query, filters and access all count', async () => {
    expect(await ids(own, { query: 'brown', filters: { year: 1999 } })).toEqual(['meta']);
    expect(await ids(own, { query: 'brown', filters: { year: 2000 } })).toEqual([]);
  });

  test.each<[Record<string, unknown>, number]>([
    [{ Author: 'Ada Lovelace' }, 12],
    [{ 'metadata.Author': 'Ada Lovelace' }, 12],
    [{ Author: 'ada lovelace' }, 0],
    [{ Author: 'Ada' }, 0],
    [{ Author: ['Ada Lovelace', 'Grace Hopper'] }, 25],
    [{ Author: [] }, 0],
    [{ Author: 'Ada Lovelace', size: 1 }, 3],
    [{ size: [1, 2] }, 10],
    [{ size: '1' }, 5],
    [{ name: 'File 7.pdf' }, 1],
    [{ tags: 'dark green' }, 1],
    [{ tags: 'green' }, 0],
    [{ 'nested.deep': 'Tiefe Sache' }, 1],
    [{ flag: true }, 1],
    [{ flag: false }, 0],
    [{ ratio: 0.5 }, 1],
    [{ page_numbers: 4 }, 1],
    [{ id: 'p03' }, 1],
    [{ document_id: ['p03', 'p04'] }, 2],
    [{ title: 'Title p03' }, 1],
    [{ title: 'Title' }, 0],
    [{ created_at: '2024-01-05T00:00:00Z' }, 1],
    [{ created_at: '2024-01-05' }, 1],
    [{ created_at: ['2024-01-05', '2024-01-06T00:00:00.000+00:00'] }, 2],
    [{ nowhere: 'x' }, 0],
  ])('the filter %j matches %i documents exactly', async (filters, expected) => {
    expect((await own.search(anna, { filters })).total).toBe(expected);
  });

  test.each([
    { created_at: 'yesterday' },
    { created_at: 'now' },
    { created_at: '2024-13-01' },
    { created_at: 5 },
    { content: 'x' },
    { '': 'x' },
    { 'metadata.': 'x' },
  ])('the filter %j is a VALIDATION_ERROR', async (filters) => {
    await expect(own.search(anna, { filters })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { target: { type: 'field' } },
    });
  });

  test('sorting goes by any field, numbers as numbers, and documents without it come last', async () => {
    const sorted = async (
      sort: SearchRequest['sort'],
      filters: Record<string, unknown> = { id: ['p00', 'p09', 'p10', 'p24'] },
    ) => await ids(own, { sort, filters });
    expect(await sorted([{ created_at: 'desc' }])).toEqual(['p24', 'p10', 'p09', 'p00']);
    expect(await sorted([{ title: 'asc' }])).toEqual(['p00', 'p09', 'p10', 'p24']);
    expect(await sorted([{ size: 'desc' }, { id: 'desc' }])).toEqual(['p24', 'p09', 'p10', 'p00']);
    expect(await sorted([{ 'metadata.Author': 'asc' }])).toEqual(['p09', 'p00', 'p10', 'p24']);
    expect(await sorted([{ year: 'asc' }], { id: ['meta', 'p00'] })).toEqual(['meta', 'p00']);
    expect(await sorted([{ year: 'desc' }], { id: ['meta', 'p00'] })).toEqual(['meta', 'p00']);
    expect(await sorted([{ _score: 'desc' }, { id: 'desc' }])).toEqual(['p24', 'p10', 'p09', 'p00']);
    expect(await sorted([{ document_id: 'desc' }])).toEqual(['p24', 'p10', 'p09', 'p00']);
  });

  test.each([
    [{ nowhere: 'asc' as const }, 'no document has a value there'],
    [{ nested: 'asc' as const }, 'no document has a value there'],
    [{ id: 'up' as 'asc' }, "'asc' or 'desc'"],
  ])('the sort %j is a VALIDATION_ERROR with the reason', async (sort, reason) => {
    await expect(own.search(anna, { sort: [sort] })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      message: expect.stringContaining(reason),
    });
  });

  test('pages follow each other without gap or repetition, equal sort values included', async () => {
    const seen: string[] = [];
    for (let offset = 0; ; offset += 7) {
      const page = await own.search(anna, {
        sort: [{ size: 'asc' }],
        filters: { Author: ['Ada Lovelace', 'Grace Hopper'] },
        limit: 7,
        offset,
      });
      seen.push(...page.documents.map(({ id }) => id));
      expect(page).toMatchObject({ total: 25, limit: 7, offset, has_more: offset + 7 < 25 });
      if (!page.has_more) break;
    }
    expect(seen).toHaveLength(25);
    expect(new Set(seen).size).toBe(25);
  });

  test('a page beyond the end is empty', async () => {
    expect(await own.search(anna, { offset: 5_000 })).toMatchObject({ documents: [], total: 29, has_more: false });
    expect(await own.search(anna, { offset: 50_000 })).toMatchObject({ documents: [], total: 29, has_more: false });
  });

  test.each([
    { limit: 0 },
    { limit: 101 },
    { limit: 1.5 },
    { limit: '10' as never },
    { offset: -1 },
    { offset: 99_995, limit: 10 },
    { offset: 1e9 },
    { offset: Number.NaN },
  ])('%j is a VALIDATION_ERROR', async (request) => {
    await expect(own.search(anna, request)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  test('a query with more words than the engine takes is a VALIDATION_ERROR', async () => {
    await expect(
      own.search(anna, { query: Array.from({ length: 5_000 }, (_, index) => `w${index}`).join(' ') }),
    ).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  test('the stored document comes back as it was', async () => {
    expect(await own.get(anna, 'meta')).toEqual({
      id: 'meta',
      content: 'content of meta',
      title: 'Title meta',
      metadata: special[2]?.metadata,
      created_at: '2024-05-01T10:00:00Z',
      updated_at: '2024-05-02T10:00:00Z',
    });
  });

  test('an alias that does not exist is empty', async () => {
    const none = createSearch({ ...config, SEARCH_DEFAULT_INDEX: `none-${mark}` });
    expect(await none.search(anna, { query: 'x', sort: [{ title: 'asc' }] })).toEqual({
      documents: [],
      total: 0,
      limit: 10,
      offset: 0,
      has_more: false,
    });
    expect(await none.search(anna, { offset: 20_000 })).toMatchObject({ documents: [], total: 0 });
    expect(await none.get(anna, 'x')).toBeUndefined();
    await none.refresh(`none-${mark}`);
    expect(await none.removeDocuments(`none-${mark}`, { jobId: 'j', documentIds: ['x'] })).toBe(0);
    await none.close();
  });
});

test('pages beyond 10,000 are reached in the same order', async () => {
  const count = 10_250;
  const all = Array.from({ length: count }, (_, index) =>
    record(`n${index}`, { content: 'same', metadata: { rank: (index * 7_919) % count } }),
  );
  const { search: own } = await library(all);
  const expected = (rank: number) => all.find(({ metadata }) => metadata['rank'] === rank)?.id;
  const page = await own.search(anna, { query: 'same', sort: [{ rank: 'asc' }], offset: 10_100, limit: 100 });
  expect(page).toMatchObject({ total: count, has_more: true });
  expect(page.documents.map(({ id }) => id)).toEqual(
    Array.from({ length: 100 }, (_, index) => expected(10_100 + index)),
  );
  expect(await own.search(anna, { query: 'same', offset: 10_200, limit: 100 })).toMatchObject({
    total: count,
    has_more: false,
    documents: { length: 50 },
  });
  const straddling = await own.search(anna, { sort: [{ rank: 'asc' }], offset: 9_950, limit: 100 });
  expect(straddling.documents[0]?.id).toBe(expected(9_950));
  expect(straddling.documents).toHaveLength(100);
  await own.close();
}, 60_000);

describe('removing documents', () => {
  test('records of the documents go, except those of the run that is kept, of other jobs and of other documents', async () => {
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

  test('records that were written a moment ago are seen', async () => {
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

describe('a server that a flow names', () => {
  const target = { host: config.SEARCH_HOST, port: config.SEARCH_PORT, username: 'flow', password: 'x' };

  test('a private address is refused unless it is on the allow-list', async () => {
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
    const open = createSearch({ ...config, DOCLOOM_ALLOWED_HOSTS: ['localhost', config.SEARCH_HOST] });
    const given = spec('elsewhere');
    const uuid = await open.ensureIndex(given, target, never);
    expect(await open.bulkIndex(given.name, [record('a')], target, never)).toEqual([]);
    expect(await open.indexUuids([given.name], target)).toEqual({ [given.name]: uuid });
    expect(await raw('GET', `/${given.name}/_alias`)).toEqual({ [given.name]: { aliases: {} } });
    await open.close();
  });
});

describe('a server that does not answer', () => {
  test('queries fail with SEARCH_CONNECTION_FAILED within 10 s', async () => {
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const own = createSearch({
      ...config,
      SEARCH_HOST: '127.0.0.1',
      SEARCH_PORT: (silent.address() as AddressInfo).port,
    });
    const started = Date.now();
    const outcomes = await Promise.allSettled([own.search(anna, { query: 'x' }), own.get(anna, 'x'), own.ping()]);
    expect(Date.now() - started).toBeLessThan(10_000);
    for (const outcome of outcomes)
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'SEARCH_CONNECTION_FAILED' } });
    await own.close();
    silent.closeAllConnections();
    await new Promise((resolve) => silent.close(resolve));
  }, 20_000);

  test('once it is back the same service works again', async () => {
    const away = createServer();
    await new Promise<void>((resolve) => away.listen(0, '127.0.0.1', resolve));
    const { port } = away.address() as AddressInfo;
    await new Promise((resolve) => away.close(resolve));
    const own = createSearch({ ...config, SEARCH_HOST: '127.0.0.1', SEARCH_PORT: port });
    await expect(own.ping()).rejects.toMatchObject({ code: 'SEARCH_CONNECTION_FAILED' });
    await expect(own.search(anna, {})).rejects.toMatchObject({ code: 'SEARCH_CONNECTION_FAILED' });
    const back = createServer((_, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"hits":{"total":{"value":0},"hits":[]}}'),
    );
    await new Promise<void>((resolve) => back.listen(port, '127.0.0.1', resolve));
    await own.ping();
    expect(await own.search(anna, {})).toMatchObject({ total: 0 });
    await own.close();
    back.closeAllConnections();
    await new Promise((resolve) => back.close(resolve));
  });
});
