import { randomUUID } from 'node:crypto';
import { readConfig } from '../../../model/config';
import type { IndexSpec, Search, SearchRequest } from '../../../services/search/ports';
import { createSearch } from '../../../services/search/search';
import { anna, cleanUp, never, person, record, spec } from '../../support/system/search-fixture';

/**
 * A field that has one type in the records of a reader and another in an index with records that the reader may not read. No
 * search tells the reader about the other type: neither by an error nor by another result.
 */
let alone: Search;
let shared: Search;
const alice = anna;
const fields = { due: 'date', amount: 'number', size: 'number', day: 'date' } as const;
const mine = [
  { due: '2024-03-01', amount: 9, size: 2, day: '2024-01-01' },
  { due: '2024-03-05', amount: 10, size: 1, day: '2023-01-01' },
  { due: '2025-01-01', amount: 100, size: 3, day: '2022-01-01' },
  {},
];
/** The same names with other types: text, text, date and number. */
const foreign = [{ due: 'soon', amount: 'many', size: '2020-01-01', day: 5 }];
beforeAll(async () => {
  [alone, shared] = await Promise.all([open([]), open([foreign])]);
});
afterAll(async () => {
  await Promise.all([alone.close(), shared.close()]);
  await cleanUp();
});

/** A library of Anna's records in two indexes, and of records of others in another that also has one of hers. */
async function open(others: Record<string, unknown>[][]): Promise<Search> {
  const name = `types-${randomUUID().slice(0, 8)}`;
  const search = createSearch(readConfig({ ...process.env, SEARCH_DEFAULT_INDEX: name }));
  const write = async (index: string, records: ReturnType<typeof record>[], types: IndexSpec['fields']) => {
    const made = { ...spec(`${index}-${name}`), ...(types ? { fields: types } : {}) };
    await search.ensureIndex(made, undefined, never);
    expect(await search.bulkIndex(made.name, records, undefined, never)).toEqual([]);
    await search.refresh(made.name);
  };
  await write(
    'own',
    mine.map((metadata, at) => record(`d${at}`, { metadata, content: 'open text' })),
    fields,
  );
  await write(
    'mixed',
    [
      record('e0', { content: 'open text' }),
      ...others
        .flat()
        .map((metadata, at) => record(`x${at}`, { metadata, content: 'open text', allowed_users: ['bert'] })),
    ],
    others.length > 0 ? { size: 'date', day: 'number' } : {},
  );
  return search;
}

const ask = async (search: Search, request: SearchRequest, user = alice) => {
  const { documents, facets, total } = await search
    .search(user, { limit: 100, ...request })
    .catch((error: Error) => ({ documents: [], facets: [error.message], total: -1 }));
  return { ids: documents.map(({ id }) => id), facets, total };
};

const shapes: [string, SearchRequest][] = [
  ['an interval of dates, texts elsewhere', { facets: [{ field: 'due', interval: 'month' }] }],
  ['an interval of dates, numbers elsewhere', { facets: [{ field: 'day', interval: 'year' }] }],
  ['an interval below metadata', { facets: [{ field: 'metadata.due', interval: 'week' }, { field: 'size' }] }],
  ['an interval of a query', { query: 'text', facets: [{ field: 'due', interval: 'day', limit: 1 }] }],
  ['an interval in the mode hybrid', { query: 'text', mode: 'hybrid', facets: [{ field: 'due', interval: 'year' }] }],
  ['an interval of groups', { query: 'text', group: true, facets: [{ field: 'day', interval: 'year' }] }],
  ['a range of dates, texts elsewhere', { filters: { due: { gte: '2024-03-02' } } }],
  ['a range of dates, numbers elsewhere', { filters: { day: { gte: '2022-06-01' } } }],
  ['a range of numbers, texts elsewhere', { filters: { amount: { gte: 10 } } }],
  ['a range of numbers, dates elsewhere', { filters: { size: { gt: 1.5 } } }],
  ['a range of numbers as text', { filters: { size: { gt: '1.5' } } }],
  ['a range in the mode hybrid', { query: 'text', mode: 'hybrid', filters: { day: { gte: '2022-06-01' } } }],
  ['an order of numbers, texts elsewhere', { sort: [{ amount: 'asc' }] }],
  ['an order of numbers, dates elsewhere', { sort: [{ size: 'desc' }] }],
  ['an order of dates, numbers elsewhere', { sort: [{ day: 'asc' }] }],
  ['an order and a range', { sort: [{ amount: 'desc' }], filters: { size: { gte: 1 } } }],
];

test.each(shapes)('%s', async (_name, shape) => {
  const expected = await ask(alone, shape);
  expect(expected.total).toBeGreaterThanOrEqual(0);
  expect(await ask(shared, shape)).toEqual(expected);
});

test('a stranger finds nothing by any of them', async () => {
  const ordered = (shape: SearchRequest) => shape.sort !== undefined;
  const replies = shapes.filter(([, shape]) => !ordered(shape)).map(([, shape]) => ask(shared, shape, person('eve')));
  expect((await Promise.all(replies)).map(({ total }) => total)).toEqual(replies.map(() => 0));
});
