import { randomUUID } from 'node:crypto';
import { createRandom } from '../../../bench/support/random';
import type { User } from '../../../model/access';
import { type AccessList, mayRead, toStoredAccess } from '../../../model/access-list';
import { readConfig } from '../../../model/config';
import { hashText } from '../../../services/embedding/hashing';
import type { IndexRecord, Search, SearchRequest, SearchTarget } from '../../../services/search/ports';
import type { DocumentQueries } from '../../../services/search/query';
import { createSearch } from '../../../services/search/search';
import { startPgvector, type TestPgvector } from '../../support/servers/pgvector';
import { anna, cleanUp, ids as idsOf, never, person, record, remember } from '../../support/system/search-fixture';

const mark = randomUUID().slice(0, 8);
const dimension = 64;
let pgvector: TestPgvector;
beforeAll(async () => {
  pgvector = await startPgvector();
});
afterAll(async () => {
  await cleanUp();
  await pgvector?.stop();
});

const stores = ['opensearch', 'pgvector'] as const;
const modes = ['text', 'vector', 'hybrid'] as const;

describe.each(stores)('the search API over %s', (store) => {
  const open: Search[] = [];
  afterAll(() => Promise.all(open.map((search) => search.close())));
  const target = (): SearchTarget | undefined =>
    store === 'pgvector'
      ? { provider: 'pgvector', host: pgvector.host, port: pgvector.port, database: 'postgres' }
      : undefined;
  const createOwn = () => {
    const search = createSearch(
      readConfig({
        ...process.env,
        SEARCH_DEFAULT_INDEX: `stores-${randomUUID().slice(0, 8)}`,
        DOCLOOM_ALLOWED_HOSTS: '127.0.0.1',
        DOCLOOM_SEARCH_POSTGRES: `postgres://postgres@${pgvector.host}:${pgvector.port}/postgres`,
      }),
    );
    open.push(search);
    return search;
  };
  let count = 0;
  /** A collection, and a search that finds nothing else. */
  const fill = async (records: readonly IndexRecord[], search: Search & DocumentQueries = createOwn()) => {
    const name = `stores_${store}_${(count += 1)}_${mark}`;
    remember(name);
    const embedding = { type: 'hashing', dimensions: dimension };
    const index = { name, engine: 'lucene' as const, spaceType: 'cosinesimil', m: 16, efConstruction: 100, embedding };
    await search.ensureIndex({ ...index, vectorDimension: dimension }, target(), never);
    const embedded = records.map((item) => ({ ...item, embedding: hashText(item.content, dimension) }));
    expect(await search.bulkIndex(name, embedded, target(), never)).toEqual([]);
    await search.refresh(name, target());
    const scoped = (request: SearchRequest): SearchRequest => ({ scope: { indexes: [name] }, store, ...request });
    const ids = (request: SearchRequest, user: User = anna) => idsOf(search, scoped(request), user);
    const ask = (request: SearchRequest, user: User = anna) => search.search(user, scoped(request));
    return { name, ids, ask, search };
  };
  const english = (id: string, content: string, more: Partial<IndexRecord> = {}) =>
    record(id, { content, title: id, ...more, metadata: { language: 'en', name: id, ...more.metadata } });

  test('German compounds are found by their parts, and parts by compounds, only by readers', async () => {
    const german = (id: string, content: string, more: Partial<IndexRecord> = {}) =>
      record(id, { content, title: id, ...more, metadata: { language: 'de', name: id } });
    const { ids } = await fill([
      german('insurance', 'Zur Krankenversicherung gibt es einen Zuschuss. Den Beitrag zahlt die Firma.'),
      german('rain', 'Regenwasser wird getrennt berechnet.'),
      german('hidden', 'Den Beitrag zur Haftpflichtversicherung kennt nur Bert.', { allowed_users: ['bert'] }),
      english('other', 'The word Krankenversicherung is German.'),
    ]);
    expect(await ids({ query: 'Versicherung' })).toEqual(['insurance']);
    expect((await ids({ query: 'Wasser vom Regen' }))[0]).toBe('rain');
    expect((await ids({ query: 'krankenversicherungsbeitrag' }))[0]).toBe('insurance');
    expect(await ids({ query: 'Haftpflicht' })).toEqual([]);
    expect(await ids({ query: 'Haftpflicht' }, person('bert'))).toEqual(['hidden']);
  });

  test('every reader finds exactly what the rule allows, in each mode, in totals and in facets', async () => {
    const random = createRandom(23);
    const groups = ['staff', 'board', 'o\'hara "x"'];
    const principals = ['p:*', 'u:anna', 'u:bert', ...groups.map((group) => `g:login:${group}`)];
    const some = (most: number) => principals.filter(() => random.next() < most);
    const lists: AccessList[] = Array.from({ length: 120 }, () => ({
      allowed_users: ['anna', 'bert', 'carol'].filter(() => random.chance(0.2)),
      allowed_principals: some(0.2),
      denied_principals: random.chance(0.3) ? some(0.2) : [],
      required_lists: random.chance(0.3) ? [JSON.stringify(some(0.4))] : [],
    }));
    const { ask } = await fill(
      lists.map((list, at) => english(`r${String(at).padStart(3, '0')}`, 'penguins on the ice', toStoredAccess(list))),
    );
    const withGroups = (username: string, ...of: string[]): User => ({
      ...person(username),
      principals: ['p:*', `u:${username}`, ...of.map((group) => `g:login:${group}`)],
    });
    const readers = [
      withGroups('anna', 'staff'),
      withGroups('bert', ...groups),
      withGroups('carol'),
      withGroups('g:login:staff'),
      person('anna'),
      person('Anna'),
    ];
    for (const reader of readers) {
      const expected = lists.flatMap((list, at) => (mayRead(reader, list) ? [`r${String(at).padStart(3, '0')}`] : []));
      for (const mode of modes) {
        const request = { query: 'penguins', mode, limit: 100, facets: [{ field: 'name', limit: 100 }] };
        const { documents, total, facets } = await ask(request, reader);
        expect(documents.map(({ id }) => id).toSorted()).toEqual(expected);
        expect(total).toBe(expected.length);
        expect(facets?.[0]?.values.map(({ value }) => value).toSorted()).toEqual(expected);
      }
      const listed = await ask({ limit: 100 }, reader);
      expect(listed.documents.map(({ id }) => id).toSorted()).toEqual(expected);
    }
  });

  test('names and values of a request are never read as a query', async () => {
    const { ids, ask, name } = await fill([
      english('mine', 'penguins', { metadata: { author: 'Ada' } }),
      english('hidden', 'penguins of bert', { allowed_users: ['bert'], metadata: { author: 'Bert' } }),
    ]);
    const evil = [
      "' OR '1'='1",
      "Ada' OR true --",
      'x"); DROP TABLE y; --',
      '$.** ? (@ != null)',
      '"] || true',
      'penguins:* | !mine',
      '\\',
      '%',
      '_da',
      '*',
      '$1',
    ];
    for (const text of evil) {
      expect(await ids({ filters: { author: text } })).toEqual([]);
      expect(await ids({ filters: { [text]: 'Ada' } })).toEqual([]);
      // A name with an asterisk is refused.
      const there = await ids({ filters: { [text]: { exists: true } } }).catch(({ code }: { code: string }) => code);
      expect(there).toEqual(text.includes('*') ? 'VALIDATION_ERROR' : []);
      expect(await ids({ filters: { author: { prefix: text } } })).toEqual([]);
      expect(await ids({ filters: { job_id: text } })).toEqual([]);
      expect(await ids({ scope: { indexes: [name], jobs: [[text]] } })).toEqual([]);
      expect(await ids({ filters: { author: { gte: text, lte: text } } })).toEqual([]);
      expect(await ids({ unlike: text, query: 'penguins' })).toEqual(['mine']);
      const counted = await ask({ facets: [{ field: text }] });
      expect(counted.facets).toEqual([{ field: text, values: [], other: 0 }]);
      expect(await ids({ query: `${text} penguins` })).toEqual(['mine']);
    }
    for (const field of ['allowed_users', 'denied_principals', 'metadata.allowed_principals', 'required_lists'])
      for (const request of [
        { filters: { [field]: 'bert' } },
        { sort: [{ [field]: 'asc' as const }] },
        { facets: [{ field }] },
      ])
        await expect(ask(request)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  test('names of tables, aliases and system catalogues give nothing that the reader may not read', async () => {
    const { search, name } = await fill([english('hidden', 'penguins', { allowed_users: ['bert'] })]);
    for (const index of [name, 'pg_class', 'pg_catalog.pg_class', `${name}" WHERE true --`, '*', '_all', ''])
      for (const mode of modes)
        expect(
          await search.search(anna, { store, query: 'penguins', mode, scope: { indexes: [index] } }),
        ).toMatchObject({ total: 0, documents: [] });
  });

  test('hidden records change neither the order nor the corrections of what a reader finds', async () => {
    const own = [
      english('one', 'tide gauge tide'),
      english('two', 'gauge and harbour dues'),
      english('three', 'the tide'),
    ];
    const hidden = Array.from({ length: 40 }, (_, at) =>
      english(`hidden${at}`, at % 2 === 0 ? 'tide tode' : 'gauge', { allowed_users: ['bert'] }),
    );
    const [alone, among] = [await fill(own), await fill([...own, ...hidden])];
    for (const query of ['tode', 'gaugee']) expect(await among.ids({ query })).toEqual(await alone.ids({ query }));
  });

  test('words by language, accents, names, codes, phrases and typing errors', async () => {
    const { ids } = await fill([
      english('tides', 'The boundary layer: two studies of tides, SL-40 and ERR_42.', { title: 'Tide gauge' }),
      english('ice', 'Penguins on the ice'),
      english('harbour', 'Die Hafengebühren der Schiffe in München', { metadata: { language: 'de' } }),
      english('japan', '気象庁の潮位観測', { metadata: { language: 'ja' } }),
      english('plain', 'Dwa pingwiny', { metadata: { language: 'xx', author: 'Ada Lovelace' } }),
    ]);
    for (const [query, expected] of Object.entries({
      study: ['tides'],
      'SL-40': ['tides'],
      sl40: ['tides'],
      ERR_42: ['tides'],
      penguisn: ['ice'],
      Munchen: ['harbour'],
      Hafengebühr: ['harbour'],
      潮位: ['japan'],
      pingwiny: ['plain'],
      Lovelace: ['plain'],
      'Tide gauge': ['tides'],
      '"...!"': [],
    }))
      expect({ query, found: await ids({ query }) }).toEqual({ query, found: expected });
    expect(await ids({ filters: { content: { phrase: 'boundary layer' } } })).toEqual(['tides']);
    expect(await ids({ filters: { content: { phrase: 'layer boundary' } } })).toEqual([]);
    expect(await ids({ filters: { title: { prefix: 'tide ga' } } })).toEqual(['tides']);
  });

  test('a hybrid search reads words as a search by words does when nothing is found at first', async () => {
    const { ids } = await fill([
      english('pump', 'Spare parts of the pump SL-40'),
      english('ice', 'Penguins on the ice', { metadata: { language: 'en' } }),
    ]);
    for (const query of ['sl40', 'the'])
      expect({ query, found: await ids({ query, mode: 'hybrid' }) }).toEqual({ query, found: await ids({ query }) });
  });

  test('a typing error is corrected if no record that rights and filters leave contains the word', async () => {
    const of = (year: number) => ({ metadata: { year, language: 'en' } });
    const { ids } = await fill([
      english('yacht', 'A yacht', of(2020)),
      english('dock', 'A dock', of(2020)),
      english('written', 'A yahct', of(2021)),
      english('hidden', 'A yachd', { ...of(2020), allowed_users: ['bert'] }),
    ]);
    for (const mode of ['text', 'hybrid'] as const) {
      const find = async (query: string, filters = {}) => (await ids({ query, mode, filters })).toSorted();
      expect(await find('yahct dock')).toEqual(['dock', 'written']);
      expect(await find('yahct dock', { year: 2020 })).toEqual(['dock', 'yacht']);
      expect(await find('yachd dock', { year: 2020 })).toEqual(['dock', 'yacht']);
    }
  });

  test('a record is read by its id by those who may read it', async () => {
    const random = createRandom(29);
    const some = (most: number) => ['p:*', 'u:anna', 'g:login:staff'].filter(() => random.next() < most);
    const lists: AccessList[] = Array.from({ length: 40 }, () => ({
      allowed_users: ['anna', 'bert'].filter(() => random.chance(0.3)),
      allowed_principals: some(0.3),
      denied_principals: random.chance(0.3) ? some(0.3) : [],
      required_lists: random.chance(0.3) ? [JSON.stringify(some(0.5))] : [],
    }));
    const own = (at: number) => `${store}-${mark}-get${at}`;
    const { search } = await fill(lists.map((list, at) => english(own(at), 'x', toStoredAccess(list))));
    const readers = [
      { ...person('anna'), principals: ['p:*', 'u:anna', 'g:login:staff'] },
      { ...person('bert'), principals: ['p:*', 'u:bert'] },
      person('anna'),
    ];
    for (const reader of readers) {
      const found: (string | undefined)[] = [];
      for (const at of lists.keys()) found.push((await search.get(reader, own(at), store))?.id);
      expect(found).toEqual(lists.map((list, at) => (mayRead(reader, list) ? own(at) : undefined)));
    }
    const shown = await search.get(readers[0] ?? anna, own(lists.findIndex((list) => mayRead(anna, list))), store);
    expect(JSON.stringify(shown)).not.toContain('allowed');
    for (const id of ["' OR true --", '%', '*', '\0']) expect(await search.get(anna, id, store)).toBeUndefined();
  });

  test('completions come from readable records only, titles first, with accents as they are written', async () => {
    const { name, search } = await fill([
      english('one', 'The tide gauge of Oslo', { title: 'Tide gauges' }),
      english('two', 'A tidal wave, ten tides and some harbour dues'),
      english('three', 'Hafengebühren der Schiffe', { metadata: { language: 'de' } }),
      english('hidden', 'tidings about tideless seas', { title: 'Tide of bert', allowed_users: ['bert'] }),
    ]);
    const complete = async (text: string, user: User = anna) =>
      (await search.suggest(user, { text, store, scope: { indexes: [name] } })).map((item) => item.text);
    expect((await complete('tid'))[0]).toBe('Tide gauges');
    expect((await complete('tid')).slice(1).toSorted()).toEqual(['tidal', 'tide', 'tides']);
    expect(await complete('tide ga')).toEqual(['Tide gauges', 'tide gauge', 'tide gauges']);
    expect(await complete('hafengebu')).toEqual(['hafengebühren']);
    expect((await complete('tide', person('bert')))[0]).toBe('Tide of bert');
    for (const text of ['bert', '*', '"', "' --", 'tid:* |', 'nothing'])
      expect((await complete(text)).filter((item) => /bert|tiding|tideless/i.test(item))).toEqual([]);
    await expect(complete(Array.from({ length: 21 }, (_, at) => `word${at}`).join(' '))).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
  });

  test('filters, order, pages, groups, neighbours, facets, highlights and explanations', async () => {
    const { ids, ask } = await fill([
      english('a_0', 'The tide gauge of <Oslo>', {
        document_id: 'a',
        metadata: { year: 2020, tags: ['x', 'y'], chunk_index: 0, document_id: 'a' },
      }),
      english('a_1', 'A second part about the tide', {
        document_id: 'a',
        metadata: { year: 2021, chunk_index: 1, document_id: 'a' },
      }),
      english('a_2', 'hidden part', {
        document_id: 'a',
        allowed_users: ['bert'],
        metadata: { chunk_index: 2, document_id: 'a' },
      }),
      english('b_0', 'No water here', {
        document_id: 'b',
        created_at: '2023-02-03T04:05:06Z',
        metadata: { year: 2022, document_id: 'b', chunk_index: 0 },
      }),
    ]);
    for (const [filters, expected] of [
      [{ year: 2020 }, ['a_0']],
      [{ year: [2020, 2022] }, ['a_0', 'b_0']],
      [{ year: { gt: 2020, lte: 2022 } }, ['a_1', 'b_0']],
      [{ tags: 'y' }, ['a_0']],
      [{ tags: { exists: false } }, ['a_1', 'b_0']],
      [{ year: { not: [2020, 2021] } }, ['b_0']],
      [{ created_at: '2023' }, []],
      [{ created_at: '2023-02-03T04:05:06Z' }, ['b_0']],
      [{ created_at: { lte: '2023-02-03' } }, ['b_0']],
      [{ created_at: { gte: '2024' } }, ['a_0', 'a_1']],
      [{ created_at: { lt: '2023-03' } }, ['b_0']],
      [{ document_id: 'a', year: { lt: 2021 } }, ['a_0']],
      [{ title: 'a_1' }, ['a_1']],
    ] as const)
      expect({ filters, found: (await ids({ filters: { ...filters } })).toSorted() }).toEqual({
        filters,
        found: expected,
      });
    expect(await ids({ sort: [{ year: 'desc' }] })).toEqual(['b_0', 'a_1', 'a_0']);
    expect(await ids({ sort: [{ created_at: 'asc' }, { title: 'desc' }] })).toEqual(['b_0', 'a_1', 'a_0']);
    expect(await ask({ sort: [{ year: 'asc' }], limit: 1, offset: 1 })).toMatchObject({
      total: 3,
      has_more: true,
      documents: [{ id: 'a_1' }],
    });
    const grouped = await ask({ query: 'tide', group: true, expand: 2 });
    expect(grouped).toMatchObject({ total: 2, documents: [{ group: { document_id: 'a', records: 2 } }] });
    const near = grouped.documents[0]?.neighbours;
    expect([...(near?.before ?? []), ...(near?.after ?? [])]).toHaveLength(1);
    const counted = await ask({ facets: [{ field: 'year' }, { field: 'created_at', interval: 'year' }] });
    expect(counted.facets).toMatchObject([
      { values: [{ count: 1 }, { count: 1 }, { count: 1 }], other: 0 },
      {
        values: [
          { value: '2024-01-01', count: 2 },
          { value: '2023-01-01', count: 1 },
        ],
      },
    ]);
    const shown = await ask({ query: 'tides Oslo', highlight: true, explain: true, limit: 1 });
    expect(shown.documents[0]).toMatchObject({
      id: 'a_0',
      highlights: { content: [expect.stringContaining('<em>tide</em>')] },
      explanation: { words: [{ field: 'content', terms: expect.arrayContaining(['oslo', 'tide']) }] },
    });
    expect(JSON.stringify(shown.documents[0]?.highlights)).not.toContain('<Oslo');
    for (const mode of ['vector', 'hybrid'] as const)
      expect((await ask({ query: 'tide gauge', mode, explain: true })).documents[0]).toMatchObject({ id: 'a_0' });
    expect(await ids({ query: 'tide', mode: 'vector', filters: { year: 2022 } })).toEqual(['b_0']);
  });

  test('a table that replaces another is searched from the moment when the alias points to it', async () => {
    const search = createOwn();
    const alias = `stores_${store}_alias_${mark}`;
    remember(alias);
    const [old, next] = ['old', 'new'].map((name) => `stores_${store}_${name}_${mark}`);
    const spec = (name: string) => ({
      name,
      alias,
      engine: 'lucene' as const,
      spaceType: 'l2',
      m: 16,
      efConstruction: 100,
    });
    const find = () => idsOf(search, { store, query: 'moving', scope: { indexes: [alias, old ?? '', next ?? ''] } });
    for (const [name = '', at] of [[old, 'old'] as const, [next, 'new'] as const]) {
      remember(name);
      await search.ensureIndex(spec(name), target(), never);
      await search.bulkIndex(name, [english(at, 'moving house')], target(), never);
      await search.refresh(name, target());
      expect(await find()).toEqual(['old']);
      await search.pointAlias(alias, name, target());
    }
    expect(await find()).toEqual(['new']);
  });
});
