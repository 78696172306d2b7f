import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Search, SearchRequest } from '../../../services/search/ports';
import { createSearch } from '../../../services/search/search';
import { anna, cleanUp, config, ids, library, mark, record } from '../../support/system/search-fixture';

afterAll(cleanUp);

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

  test('a blank query means no query', async () => {
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

  test('sorting works by any field, numbers as numbers, and documents without it come last', async () => {
    const sorted = async (
      sort: SearchRequest['sort'],
      filters: Record<string, unknown> = { id: ['p00', 'p09', 'p10', 'p24'] },
    ) => await ids(own, { sort, filters });
    expect(await sorted([{ created_at: 'desc' }])).toEqual(['p24', 'p10', 'p09', 'p00']);
    expect(await sorted([{ title: 'asc' }])).toEqual(['p00', 'p09', 'p10', 'p24']);
    expect(await sorted([{ content: 'desc' }])).toEqual(['p24', 'p10', 'p09', 'p00']);
    expect(await sorted([{ size: 'desc' }, { id: 'desc' }])).toEqual(['p24', 'p09', 'p10', 'p00']);
    expect(await sorted([{ 'metadata.Author': 'asc' }])).toEqual(['p09', 'p00', 'p10', 'p24']);
    expect(await sorted([{ year: 'asc' }], { id: ['meta', 'p00'] })).toEqual(['meta', 'p00']);
    expect(await sorted([{ year: 'desc' }], { id: ['meta', 'p00'] })).toEqual(['meta', 'p00']);
    expect(await sorted([{ _score: 'desc' }, { id: 'desc' }])).toEqual(['p24', 'p10', 'p09', 'p00']);
    expect(await sorted([{ document_id: 'desc' }])).toEqual(['p24', 'p10', 'p09', 'p00']);
  });

  test.each([
    [{ nowhere: 'asc' as const }, 'no document that you may read has a value there'],
    [{ nested: 'asc' as const }, 'no document that you may read has a value there'],
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

  test('a query of 5,000 words finds the record with the only one that occurs', async () => {
    const words = Array.from({ length: 5_000 }, (_, index) => `w${index}`);
    expect(await own.search(anna, { query: words.join(' ') })).toMatchObject({ documents: [], total: 0 });
    const { documents } = await own.search(anna, { query: ['brown', ...words].join(' ') });
    expect(documents.map(({ id }) => id).toSorted()).toEqual(['content', 'meta', 'title']);
  });

  test('the stored document survives a round trip', async () => {
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
