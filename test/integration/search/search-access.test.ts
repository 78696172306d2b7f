import type { IndexRecord, Search, SearchRequest } from '../../../services/search/ports';
import { cleanUp, anna, ids, library, person, record } from '../../support/system/search-fixture';

afterAll(cleanUp);

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
