import type { User } from '../../../model/access';
import type { IndexRecord } from '../../../services/search/ports';
import { alice, bob, startApi, type TestApi } from '../../support/api/server';
import { cleanUp, library, record } from '../../support/system/search-fixture';

/** One test per row of the specification's tables about documents, searches and access lists, on the real index. */
let api: TestApi;
let close: () => Promise<void>;
const mine = (id: string, indexRecord: Partial<IndexRecord> = {}) =>
  record(id, { allowed_users: ['alice'], ...indexRecord });
beforeAll(async () => {
  const { allowed_users: _none, ...unlisted } = mine('absent');
  const { search } = await library([
    mine('lynx', { content: 'The lynx hunts at dusk.', title: 'Cats', metadata: { team: 'North Wing', level: 3 } }),
    mine('crane', { content: 'A bird that dances.', title: 'The crane', metadata: { team: 'south', level: 1 } }),
    mine('otter', { content: 'Swims.', title: 'Water', metadata: { habitat: 'riverbank', team: 'south', level: 2 } }),
    unlisted as IndexRecord,
    mine('empty', { allowed_users: [] }),
    mine('shared', { content: 'Open water.', allowed_users: ['bob', 'carol'], created_at: '2023-01-01T00:00:00Z' }),
  ]);
  close = () => search.close();
  api = await startApi({ search });
});
afterAll(async () => {
  await api.close();
  await close();
  await cleanUp();
});

interface Page {
  documents: Record<string, unknown>[];
  total: number;
  limit: number;
  offset: number;
  has_more: boolean;
}
async function search(body: unknown, user: User = alice): Promise<Page> {
  const reply = await api.call('POST', '/api/v1/documents/search', { user, body });
  expect(reply.status).toBe(200);
  return reply.body;
}
const found = async (body: unknown, user?: User) => (await search(body, user)).documents.map(({ id }) => String(id));
const get = async (id: string, user = alice) => api.call('GET', `/api/v1/documents/${id}`, { user });
const status = async (body: unknown) =>
  (await api.call('POST', '/api/v1/documents/search', { user: alice, body })).status;

describe('the stored document', () => {
  test.each([
    ['content is full-text searchable', 'hunts', 'lynx'],
    ['title is full-text searchable', 'crane', 'crane'],
    ['metadata is full-text searchable', 'riverbank', 'otter'],
  ])('%s', async (_row, query, id) => expect(await found({ query })).toEqual([id]));
  test('metadata is filterable by key', async () => {
    expect(await found({ filters: { 'metadata.team': 'North Wing' } })).toEqual(['lynx']);
  });
  test.each(['created_at', 'updated_at'])('%s is a date, ISO 8601 UTC', async (field) => {
    const { body } = await get('lynx');
    const text = String(body[field]);
    expect(text).toMatch(/Z$/);
    expect(Date.parse(text)).not.toBeNaN();
  });
});

describe('DocumentResponse', () => {
  test.each([
    ['id', 'string'],
    ['content', 'string'],
    ['title', 'string'],
    ['metadata', 'object'],
    ['created_at', 'string'],
    ['updated_at', 'string'],
  ])('%s is of the type %s, in retrieval and in results', async (field, type) => {
    expect(typeof ((await get('lynx')).body as Record<string, unknown>)[field]).toBe(type);
    expect(typeof (await search({ query: 'hunts' })).documents[0]?.[field]).toBe(type);
  });
  test('allowed_users is not part of it', async () => {
    expect((await get('lynx')).body).not.toHaveProperty('allowed_users');
    for (const document of (await search({})).documents) expect(document).not.toHaveProperty('allowed_users');
  });
});

describe('the search request', () => {
  test('query: full text across content, title and metadata', async () => {
    expect((await found({ query: 'hunts crane riverbank' })).toSorted()).toEqual(['crane', 'lynx', 'otter']);
  });
  test('filters: exact match by a single value or an array of values', async () => {
    expect(await found({ filters: { 'metadata.team': 'North' } })).toEqual([]);
    expect((await found({ filters: { 'metadata.team': ['South', 'south'] } })).toSorted()).toEqual(['crane', 'otter']);
  });
  test('sort: objects with one field each, asc or desc, by any field', async () => {
    expect(await found({ sort: [{ 'metadata.level': 'desc' }] })).toEqual(['lynx', 'otter', 'crane']);
    expect(await found({ sort: [{ title: 'asc' }] })).toEqual(['lynx', 'crane', 'otter']);
    expect(await status({ sort: [{ title: 'asc', id: 'asc' }] })).toBe(422);
  });
  test('limit: 1 to 100, default 10', async () => {
    expect((await search({})).limit).toBe(10);
    expect((await search({ limit: 100 })).limit).toBe(100);
    expect(await Promise.all([0, 101, 1.5].map((limit) => status({ limit })))).toEqual([422, 422, 422]);
  });
  test('offset: results to skip, default 0', async () => {
    const sort = [{ 'metadata.level': 'asc' }];
    expect(await found({ sort, offset: 1 })).toEqual(['otter', 'lynx']);
    expect((await search({})).offset).toBe(0);
    expect(await status({ offset: -1 })).toBe(422);
  });
});

describe('the search response', () => {
  test('documents: the page of results', async () => {
    expect((await search({ limit: 2 })).documents).toHaveLength(2);
  });
  test('total: the number of matching accessible documents', async () => {
    expect((await search({ limit: 1 })).total).toBe(3);
    expect((await search({ query: 'water' })).total).toBe(1);
  });
  test('limit and offset: as applied', async () => {
    expect(await search({ limit: 2, offset: 1 })).toMatchObject({ limit: 2, offset: 1 });
  });
  test('has_more: true when further results exist; repeating with offset + limit reaches the end', async () => {
    const seen: string[] = [];
    for (let offset = 0, more = true; more; offset += 2) {
      const page = await search({ limit: 2, offset });
      seen.push(...page.documents.map(({ id }) => String(id)));
      more = page.has_more;
    }
    expect(seen.toSorted()).toEqual(['crane', 'lynx', 'otter']);
  });
});

describe('allowed_users of a document decide', () => {
  test.each([
    ['field absent', 'absent', alice, 404],
    ['empty array', 'empty', alice, 404],
    ["array containing the user's username", 'shared', bob, 200],
    ["array not containing the user's username", 'shared', alice, 404],
  ])('%s', async (_row, id, user, expected) => {
    expect((await get(id, user)).status).toBe(expected);
    expect(await found({ filters: { id } }, user)).toEqual(expected === 200 ? [id] : []);
  });
});
