import type { User } from '../../../model/access';
import { type AccessList, mayRead, listPrincipals } from '../../../model/access-list';
import { buildMappings, laterFields } from '../../../services/search/mapping';
import type { IndexRecord, IndexSpec, Search, SearchRequest } from '../../../services/search/ports';
import {
  anna,
  cleanUp,
  ids,
  library,
  mark,
  never,
  person,
  raw,
  record,
  spec,
} from '../../support/system/search-fixture';

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
      record('capital', { allowed_users: ['Anna'], metadata: { codename: 'heron', rank: 3 } }),
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

  test('search finds only the listed document, also in total', async () => {
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

  test('a field that only a forbidden document has cannot be told from one that does not exist', async () => {
    const complain = async (field: string, user = anna) =>
      own.search(user, { sort: [{ [field]: 'asc' }] }).then(
        ({ total }) => total,
        ({ message }: Error) => message.replace(field, 'FIELD'),
      );
    for (const field of ['codename', 'rank', 'metadata.rank']) {
      expect(await complain(field)).toBe(await complain('nowhere'));
      expect(await complain(field, person('Anna'))).toBe(1);
    }
    expect(await complain('n')).toBe(1);
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
  ])('%j is rejected', async (request) => {
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

describe('principals', () => {
  let own: Search;
  const staff = 'g:login:staff';
  const lists: Record<string, Partial<IndexRecord>> = {
    named: { allowed_users: ['anna'] },
    staff: { allowed_users: [], allowed_principals: [staff] },
    everybody: { allowed_users: [], allowed_principals: ['p:*'] },
    deniedName: { allowed_users: ['anna'], allowed_principals: ['p:*'], denied_principals: ['u:anna'] },
    deniedGroup: { allowed_users: ['anna'], denied_principals: [staff] },
    deniedOther: { allowed_users: ['anna'], denied_principals: ['u:bert'] },
    both: { allowed_users: ['anna'], required_lists: [{ principals: [staff] }, { principals: ['u:anna', 'u:bert'] }] },
    oneOnly: { allowed_users: ['anna'], required_lists: [{ principals: [staff] }, { principals: ['g:login:board'] }] },
    nobodyElse: { allowed_users: ['anna'], required_lists: [{ principals: [] }] },
    likeUser: { allowed_users: [], allowed_principals: ['g:login:u:anna'] },
    likeGroup: { allowed_users: [staff], allowed_principals: [`u:${staff}`] },
  };
  const asks = (username: string, ...groups: string[]) => ({
    ...person(username),
    principals: listPrincipals(username, groups),
  });
  const toRow = ({ required_lists: required = [], ...list }: Partial<IndexRecord>): AccessList => ({
    ...list,
    required_lists: required.map(({ principals }) => JSON.stringify(principals)),
  });
  /** Ids by every way that leads to a record. */
  const seenBy = async (user: User) => {
    const found = (await ids(own, { limit: 100, sort: [{ id: 'asc' }] }, user)).toSorted();
    const words = (await ids(own, { query: 'content', limit: 100 }, user)).toSorted();
    const got: string[] = [];
    for (const id of Object.keys(lists)) if (await own.get(user, id)) got.push(id);
    const { facets } = await own.search(user, { facets: [{ field: 'id', limit: 50 }] });
    const counted = facets?.[0]?.values.map(({ value }) => value).toSorted();
    const rule = Object.keys(lists).filter((id) => mayRead(user, toRow(lists[id] ?? {})));
    expect([words, got.toSorted(), counted, rule.toSorted()]).toEqual([found, found, found, found]);
    return found;
  };

  beforeAll(async () => {
    ({ search: own } = await library(Object.entries(lists).map(([id, list]) => record(id, list))));
  });
  afterAll(() => own.close());

  test('each way to a record is tested by name, group, everybody, denials and required lists', async () => {
    expect(await seenBy(asks('anna'))).toEqual(['deniedGroup', 'deniedOther', 'everybody', 'named']);
    expect(await seenBy(asks('anna', 'staff'))).toEqual(['both', 'deniedOther', 'everybody', 'named', 'staff']);
    expect(await seenBy(asks('anna', 'staff', 'board'))).toContain('oneOnly');
    expect(await seenBy(asks('bert', 'staff'))).toEqual(['deniedName', 'everybody', 'staff']);
  });

  test('names are not confused with groups', async () => {
    expect(await seenBy(asks(staff))).toEqual(['deniedName', 'everybody', 'likeGroup']);
    expect(await seenBy(asks('eve', 'u:anna', 'anna', staff, 'p:*'))).toEqual(['deniedName', 'everybody', 'likeUser']);
    expect(await seenBy(asks('*', '*'))).toEqual(['deniedName', 'everybody']);
    expect(await seenBy(asks('p:*'))).toEqual(['deniedName', 'everybody']);
  });

  test('while the groups of a user are unknown, documents with denials are closed', async () => {
    expect(await seenBy(anna)).toEqual(['everybody', 'named']);
  });

  test('answers contain no principals', async () => {
    const reply = await own.search(asks('anna', 'staff'), {
      query: 'content',
      explain: true,
      highlight: true,
      expand: 2,
    });
    expect(reply.total).toBe(5);
    expect(JSON.stringify(reply)).not.toMatch(/principals|g:login|required_lists|u:anna/);
  });

  test('an index of an earlier version gets the fields with the next run', async () => {
    const indexSpec = spec(`old-${mark}`);
    await raw('PUT', `/${indexSpec.name}`, { mappings: mappingsWithoutPrincipals(indexSpec) });
    await own.ensureIndex(indexSpec, undefined, never);
    type Made = Record<string, { mappings: { properties: Record<string, { type: string }> } }>;
    const made = await raw<Made>('GET', `/${indexSpec.name}`);
    expect(made[indexSpec.name]?.mappings.properties).toMatchObject({
      allowed_principals: { type: 'keyword' },
      denied_principals: { type: 'keyword' },
      required_lists: { type: 'nested' },
      content_start: { type: 'keyword' },
    });
  });

  test('an index whose denials could not be found is rejected', async () => {
    const indexSpec = spec(`foreign-${mark}`);
    const old = mappingsWithoutPrincipals(indexSpec);
    const properties = { ...old.properties, denied_principals: { type: 'text' } };
    await raw('PUT', `/${indexSpec.name}`, { mappings: { ...old, properties } });
    await expect(own.ensureIndex(indexSpec, undefined, never)).rejects.toMatchObject({
      code: 'SEARCH_INDEX_ERROR',
      message: expect.stringContaining('denied_principals must be of the type keyword'),
    });
  });
});

/** The mappings as earlier versions made them. */
function mappingsWithoutPrincipals(spec: IndexSpec) {
  const made = buildMappings(spec, { isAnalysed: false }) as { properties: Record<string, unknown> };
  const properties = Object.fromEntries(Object.entries(made.properties).filter(([name]) => !(name in laterFields)));
  return { ...made, properties };
}
