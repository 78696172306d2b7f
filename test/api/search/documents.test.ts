import { AppError } from '../../../model/errors';
import type { SearchRequest } from '../../../services/search/ports';
import { alice, bob, startApi, type TestApi } from '../../support/api/server';

let api: TestApi;
beforeEach(async () => {
  api = await startApi();
});
afterEach(() => api.close());

test('a document is shown without its access list', async () => {
  const { status, body } = await api.call('GET', '/api/v1/documents/of-alice', { user: alice });
  expect(status).toBe(200);
  expect(Object.keys(body).sort()).toEqual(['content', 'created_at', 'id', 'metadata', 'title', 'updated_at']);
});

test('a missing document and a forbidden one return the same 404', async () => {
  const forbidden = await api.call('GET', '/api/v1/documents/of-alice', { user: bob });
  const missing = await api.call('GET', '/api/v1/documents/nothing', { user: bob });
  expect(forbidden.status).toBe(404);
  expect({ ...(forbidden.body as object), trace: '' }).toEqual({ ...(missing.body as object), trace: '' });
});

test('a search is done for the user of the token, with the defaults of the service', async () => {
  const seen: [string, SearchRequest][] = [];
  const watched = await startApi({
    search: {
      get: async () => undefined,
      search: async (user, request) => {
        seen.push([user.username, request]);
        return { documents: [], total: 0, limit: request.limit ?? 10, offset: request.offset ?? 0, has_more: false };
      },
    },
  });
  const search = (body: unknown) => watched.call('POST', '/api/v1/documents/search', { user: bob, body });
  expect((await search({})).body).toMatchObject({ limit: 10, offset: 0 });
  await search({
    query: 'x',
    filters: { department: ['a', 'b'], year: 2026 },
    sort: [{ created_at: 'desc' }],
    limit: 5,
    offset: 5,
  });
  await search({ query: null, filters: null, sort: null });
  expect((await watched.call('POST', '/api/v1/documents/search', { user: bob })).status).toBe(200);
  expect(seen.map(([user]) => user)).toEqual(['bob', 'bob', 'bob', 'bob']);
  expect(seen[1]?.[1]).toEqual({
    query: 'x',
    filters: { department: ['a', 'b'], year: 2026 },
    sort: [{ created_at: 'desc' }],
    limit: 5,
    offset: 5,
  });
  await watched.close();
});

test('the store is passed on by every route that reads the index', async () => {
  const seen: (string | undefined)[] = [];
  const record = { id: 'r', content: '', title: '', metadata: { document_id: 'd' }, created_at: '', updated_at: '' };
  const watched = await startApi({
    search: {
      get: async (_user, id, store) => {
        seen.push(store);
        return id === 'r' ? record : undefined;
      },
      search: async (_user, { store }) => {
        seen.push(store);
        return { documents: [record], total: 1, limit: 10, offset: 0, has_more: false };
      },
    },
    suggest: async (_user, { store }) => {
      seen.push(store);
      return [];
    },
  });
  const ask = async (method: 'GET' | 'POST', path: string, body?: object) => {
    seen.length = 0;
    const { status } = await watched.call(method, `/api/v1/documents/${path}`, {
      user: bob,
      ...(body ? { body } : {}),
    });
    return { status, stores: [...new Set(seen)] };
  };
  for (const [method, path, body] of [
    ['GET', 'r?store=pgvector'],
    ['GET', 'd?store=pgvector'],
    ['GET', 'd/chunks?store=pgvector'],
    ['GET', 'suggest?q=x&store=pgvector'],
    ['POST', 'search', { query: 'x', store: 'pgvector' }],
    ['POST', 'search', { like: 'r', store: 'pgvector' }],
  ] as const)
    expect({ path, ...(await ask(method, path, body)) }).toEqual({ path, status: 200, stores: ['pgvector'] });
  expect((await ask('GET', 'r?store=mongo')).status).toBeGreaterThanOrEqual(400);
  expect((await ask('GET', 'r')).stores).not.toContain('pgvector');
  await watched.close();
});

test('a misspelt member is reported with the likely name', async () => {
  const { body } = await api.call('POST', '/api/v1/documents/search', { user: alice, body: { qeury: 'x' } });
  expect(body).toMatchObject({
    errors: [{ message: "The body has the unknown member 'qeury' (did you mean 'query'?)." }],
  });
});

test.each([
  ['limit 0', { limit: 0 }, 'limit'],
  ['a user to search as', { user: 'alice' }, 'user'],
  ['a misspelt member', { qeury: 'x' }, 'qeury'],
  ['limit 101', { limit: 101 }, 'limit'],
  ['limit as text', { limit: '10' }, 'limit'],
  ['a negative offset', { offset: -1 }, 'offset'],
  ['a query that is not text', { query: 1 }, 'query'],
  ['filters that are a list', { filters: [] }, 'filters'],
  ['a filter with an unknown condition', { filters: { a: { b: 1 } } }, 'filters.a.b'],
  ['a sort direction that does not exist', { sort: [{ title: 'up' }] }, 'sort.0.title'],
  ['a sort entry of two fields', { sort: [{ a: 'asc', b: 'asc' }] }, 'sort.0'],
])('%s is 422 and names the field', async (_name, body, name) => {
  const response = await api.call('POST', '/api/v1/documents/search', { user: alice, body });
  expect(response.status).toBe(422);
  const { errors, status_code } = response.body as {
    errors: { code: string; target: { name: string } }[];
    status_code: number;
  };
  expect(status_code).toBe(422);
  expect(errors.every(({ code }) => code === 'VALIDATION_ERROR')).toBe(true);
  expect(errors.map(({ target }) => target.name)).toContain(name);
});

test('requests that the service rejects as invalid are 422 as well', async () => {
  const strict = await startApi({
    search: {
      get: async () => undefined,
      search: () =>
        Promise.reject(
          new AppError('VALIDATION_ERROR', 'pages end at 100000', { target: { type: 'field', name: 'offset' } }),
        ),
    },
  });
  expect(
    await strict.call('POST', '/api/v1/documents/search', { user: alice, body: { offset: 200_000 } }),
  ).toMatchObject({
    status: 422,
    body: { errors: [{ code: 'VALIDATION_ERROR', target: { type: 'field', name: 'offset' } }], status_code: 422 },
  });
  await strict.close();
});

test('every user may ask whether the server has a model that orders hits', async () => {
  expect((await api.call('GET', '/api/v1/search-options', { user: bob })).body).toEqual({ rerank: false });
  expect((await api.call('GET', '/api/v1/search-options')).status).toBe(401);
  const withModel = await startApi({ searchOptions: { rerank: true } });
  expect((await withModel.call('GET', '/api/v1/search-options', { user: bob })).body).toEqual({ rerank: true });
  await withModel.close();
});
