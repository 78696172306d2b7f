import type { User } from '../../../model/access';
import { AppError } from '../../../model/errors';
import { alice, bob, carol, emptyState, memoryServices, startApi, type TestApi } from '../../support/api/server';

const dora: User = { username: 'dora', email: '', full_name: '', groups: [] };
const origin = { jobId: 'job', runId: 'run', operator: 'set', startedAt: '2026-01-01T00:00:00.000Z' };
const nowhere = '0b8c0f6e-0000-4000-8000-000000000000';
const services = memoryServices(emptyState());
const { documentSets, documentLibraries, exportRows } = services;
let api: TestApi;
beforeAll(async () => {
  api = await startApi({ documentSets, documentLibraries, exportRows }, { adminGroups: ['admins'] });
});
afterAll(() => api.close());

const sets = '/api/v1/document-sets';
const libraries = '/api/v1/document-libraries';
interface SetBody {
  id: string;
  name: string;
  description: string | null;
  metadata: Record<string, unknown>;
}
const failing = (code: string) => expect.arrayContaining([expect.objectContaining({ code })]);
let counter = 0;
const fresh = (prefix: string) => `${prefix}-${(counter += 1)}`;
async function makeSet(more: Record<string, unknown> = {}, user = alice): Promise<SetBody> {
  const { status, body } = await api.call('POST', sets, { user, body: { name: fresh('set'), ...more } });
  expect(status).toBe(201);
  return body;
}
async function makeLibrary(more: Record<string, unknown> = {}): Promise<string> {
  const { status, body } = await api.call('POST', libraries, {
    user: alice,
    body: { name: fresh('Library'), ...more },
  });
  expect(status).toBe(201);
  return (body as { library_id: string }).library_id;
}

describe('document sets', () => {
  test('a set is created once: the second time the same set returns with 200', async () => {
    const first = await makeSet({ description: 'first', metadata: { team: 'nlp' } });
    expect(first).toMatchObject({
      description: 'first',
      metadata: { team: 'nlp' },
      owner: 'alice',
      storage_backend: 'parquet',
      table_name: first.name,
      total_documents: 0,
      total_size_bytes: 0,
      total_pages: 0,
    });
    const again = await api.call('POST', sets, { user: alice, body: { name: first.name, description: 'second' } });
    expect(again).toMatchObject({ status: 200, body: { id: first.id, description: 'first' } });
  });

  test('one name used by two users is two sets', async () => {
    const mine = await makeSet();
    const theirs = await api.call('POST', sets, { user: bob, body: { name: mine.name } });
    expect(theirs.status).toBe(201);
    expect(theirs.body).not.toMatchObject({ id: mine.id });
  });

  test.each([
    [{}],
    [{ name: '' }],
    [{ name: 'with blank' }],
    [{ name: 'naïve' }],
    [{ name: '../up' }],
    [{ name: 'x'.repeat(255) }],
    [{ name: 'ok', description: 'x'.repeat(2_001) }],
    [{ name: 'ok', metadata: 'text' }],
    [{ name: 'ok', unknown: 1 }],
  ])('%j is DOCUMENT_SET_INVALID_DATA', async (body) => {
    expect(await api.call('POST', sets, { user: alice, body })).toMatchObject({
      status: 400,
      body: { errors: failing('DOCUMENT_SET_INVALID_DATA') },
    });
  });

  test('a name of 254 letters, digits, underscores and hyphens is valid', async () => {
    const name = `Aa_-9${'x'.repeat(249)}`;
    expect(await makeSet({ name, metadata: null })).toMatchObject({ name, metadata: {} });
  });

  test('PATCH changes the given members: {} clears the metadata, null keeps them, the name cannot change', async () => {
    const { id } = await makeSet({ metadata: { a: 1 } });
    const patch = (body: unknown) => api.call('PATCH', `${sets}/${id}`, { user: alice, body });
    expect((await patch({ description: 'd' })).body).toMatchObject({ description: 'd', metadata: { a: 1 } });
    expect((await patch({ metadata: null, description: null })).body).toMatchObject({
      description: null,
      metadata: { a: 1 },
    });
    expect((await patch({ metadata: {} })).body).toMatchObject({ metadata: {} });
    expect(await patch({ name: 'other' })).toMatchObject({
      status: 400,
      body: {
        errors: [{ message: "The body has the unknown member 'name'.", target: { type: 'field', name: 'name' } }],
      },
    });
    expect((await patch([])).body).toMatchObject({ errors: [{ message: 'The body must be an object.' }] });
  });

  test('lists have true totals, links that keep the filter, and an enforced limit', async () => {
    for (let index = 0; index < 3; index += 1) await makeSet({ name: fresh('paged') }, dora);
    const page = await api.call('GET', `${sets}?limit=2&name=PAGED`, { user: dora });
    expect(page.body).toMatchObject({ total: 3, limit: 2, offset: 0, prev: null });
    const { items, next } = page.body as { items: unknown[]; next: string };
    expect(items).toHaveLength(2);
    expect(next).toContain('name=PAGED');
    // After the end the link back leads to the last page that has something.
    const behind = (await api.call('GET', `${sets}?limit=2&name=PAGED&offset=1000`, { user: dora })).body;
    expect(behind).toMatchObject({ items: [], next: null, prev: expect.stringContaining('offset=2') });
    for (const bad of ['limit=0', 'limit=1001', 'offset=-1', 'name=%00'])
      expect((await api.call('GET', `${sets}?${bad}`, { user: dora })).status).toBe(400);
  });

  test('owner and administrators change and delete, readers read, nobody else sees it', async () => {
    const { id } = await makeSet({ readers: ['bob'] });
    const status = async (method: string, user: User, body?: unknown) =>
      (await api.call(method, `${sets}/${id}`, { user, body })).status;
    expect([await status('GET', alice), await status('GET', bob), await status('GET', carol)]).toEqual([200, 200, 200]);
    expect(await status('GET', dora)).toBe(404);
    expect((await api.call('GET', `${sets}/${id}/preview`, { user: dora })).status).toBe(404);
    expect((await api.call('GET', `${sets}/${id}/export`, { user: dora })).status).toBe(404);
    expect(await status('PATCH', bob, { description: 'x' })).toBe(403);
    expect(await status('PATCH', dora, { description: 'x' })).toBe(404);
    expect(await status('DELETE', bob)).toBe(403);
    expect(await status('DELETE', dora)).toBe(404);
    expect(await status('PATCH', carol, { description: 'by an administrator' })).toBe(200);
    expect(await status('DELETE', carol)).toBe(204);
    expect(await status('GET', alice)).toBe(404);
  });

  test.each(['GET', 'PATCH', 'DELETE'])('%s of an unknown set is 404, of an invalid id 400', async (method) => {
    const body = method === 'PATCH' ? { description: 'x' } : undefined;
    expect(await api.call(method, `${sets}/${nowhere}`, { user: alice, body })).toMatchObject({
      status: 404,
      body: { errors: failing('DOCUMENT_SET_NOT_FOUND') },
    });
    expect((await api.call(method, `${sets}/not-an-id`, { user: alice, body })).status).toBe(400);
  });
});

describe('preview and export', () => {
  let id = '';
  const rows = [
    {
      id: 'r1',
      name: 'a.md',
      path: '/a.md',
      content: 'one, "two"',
      allowed_users: ['alice', 'bob'],
      embeddings: [1, 2],
    },
    { id: 'r2', name: 'b.md', path: '/b.md', content: 'two', allowed_users: ['bob'] },
    { id: 'r3', name: 'c.md', path: '/c.md', content: 'three' },
  ];
  beforeAll(async () => {
    ({ id } = await makeSet({ readers: ['bob'] }));
    await documentSets.write(id, origin, rows);
  });
  const preview = async (user: User, query = '') =>
    (await api.call('GET', `${sets}/${id}/preview${query}`, { user })).body;

  test('an empty set has no columns and no rows', async () => {
    const { id: empty } = await makeSet();
    expect((await api.call('GET', `${sets}/${empty}/preview`, { user: alice })).body).toMatchObject({
      columns: [],
      data: [],
      total_rows: 0,
    });
  });

  test('each user sees the rows with their name, without vectors and access lists, and the number of those rows', async () => {
    expect(await preview(alice)).toMatchObject({
      columns: ['id', 'name', 'path', 'content'],
      data: [{ id: 'r1', name: 'a.md' }],
      total_rows: 1,
    });
    expect(await preview(bob, '?limit=1&offset=1')).toMatchObject({
      data: [{ id: 'r2' }],
      total_rows: 2,
      has_more: false,
    });
    // An administrator sees the set, but only rows whose list includes them.
    expect(await preview(carol)).toMatchObject({ data: [], total_rows: 0 });
  });

  test('columns are selected by repetition or commas, vectors on request; hidden or missing ones are rejected', async () => {
    expect(await preview(alice, '?columns=content,id')).toMatchObject({ columns: ['content', 'id'] });
    expect(await preview(alice, '?columns=name&columns=id')).toMatchObject({ data: [{ name: 'a.md', id: 'r1' }] });
    expect(await preview(alice, '?include_vectors=true')).toMatchObject({ data: [{ embeddings: [1, 2] }] });
    for (const name of ['allowed_users', 'nothing'])
      expect((await api.call('GET', `${sets}/${id}/preview?columns=${name}`, { user: alice })).status).toBe(400);
    expect((await api.call('GET', `${sets}/${id}/preview?limit=0`, { user: alice })).status).toBe(400);
  });

  test('an export has the same rows, as JSON lines, CSV or Parquet', async () => {
    const get = async (query: string, user = alice) => {
      const response = await fetch(`${api.url}${sets}/${id}/export?${query}`, {
        headers: { Authorization: `Bearer ${api.tokenOf(user)}` },
      });
      return { headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
    };
    const lines = await get('columns=id,content', bob);
    expect(lines.bytes.toString()).toBe('{"id":"r1","content":"one, \\"two\\""}\n{"id":"r2","content":"two"}\n');
    expect(lines.headers.get('Content-Type')).toMatch(/^application\/x-ndjson/);
    const csv = await get('format=csv&columns=id,content');
    expect(csv.bytes.toString()).toBe('id,content\r\nr1,"one, ""two"""\r\n');
    expect(csv.headers.get('Content-Disposition')).toMatch(/^attachment; filename="set-\d+\.csv"$/);
    const parquet = await get('format=parquet');
    expect(parquet.bytes.subarray(0, 4).toString()).toBe('PAR1');
    expect((await api.call('GET', `${sets}/${id}/export?format=xml`, { user: alice })).status).toBe(400);
  });
});

test('an export whose rows cannot be read is an error, not the beginning of a file', async () => {
  const away = new AppError('DATABASE_UNAVAILABLE', 'The database cannot be reached.');
  const broken = await startApi({
    documentSets: {
      ...documentSets,
      // oxlint-disable-next-line require-yield -- it fails before the first page
      async *readAll() {
        throw away;
      },
    },
  });
  try {
    const { id } = await makeSet();
    expect(await broken.call('GET', `${sets}/${id}/export`, { user: alice })).toMatchObject({
      status: 503,
      body: { errors: failing('DATABASE_UNAVAILABLE') },
    });
  } finally {
    await broken.close();
  }
});

describe('document libraries', () => {
  test('a library is created, changed and deleted; null clears, and each name is used once', async () => {
    const id = await makeLibrary({ name: 'Annual reports', purpose: 'p', tags: ['a', 'a'], original_size: 5 });
    const call = (method: string, body?: unknown) => api.call(method, `${libraries}/${id}`, { user: alice, body });
    expect((await call('GET')).body).toMatchObject({
      name: 'Annual reports',
      purpose: 'p',
      tags: ['a'],
      original_size: 5,
      final_size: null,
      owner: 'alice',
      created_by: 'alice',
      document_set_count: 0,
      href: `${api.url}${libraries}/${id}`,
    });
    expect((await call('PATCH', { purpose: null, description: 'd' })).body).toMatchObject({
      purpose: null,
      description: 'd',
      original_size: 5,
    });
    expect(await api.call('POST', libraries, { user: alice, body: { name: 'Annual reports' } })).toMatchObject({
      status: 409,
      body: { errors: failing('DOCUMENT_LIBRARY_ALREADY_EXISTS') },
    });
    expect((await call('DELETE')).status).toBe(204);
    expect(await call('DELETE')).toMatchObject({
      status: 404,
      body: { errors: failing('DOCUMENT_LIBRARY_NOT_FOUND') },
    });
  });

  test.each([
    [{}],
    [{ name: 'ab' }],
    [{ name: '1abc' }],
    [{ name: 'x'.repeat(129) }],
    [{ name: 'abc', description: 'x'.repeat(2_001) }],
    [{ name: 'abc', purpose: 'x'.repeat(1_025) }],
    [{ name: 'abc', final_size: -1 }],
    [{ name: 'abc', final_size: 2 ** 53 }],
  ])('%j is DOCUMENT_LIBRARY_INVALID_DATA', async (body) => {
    expect(await api.call('POST', libraries, { user: alice, body })).toMatchObject({
      status: 400,
      body: { errors: failing('DOCUMENT_LIBRARY_INVALID_DATA') },
    });
  });

  test('lists have true totals and filter by name and tag', async () => {
    await makeLibrary({ name: 'Filtered one', tags: ['red'] });
    await makeLibrary({ name: 'Filtered two', tags: ['blue'] });
    const list = async (query: string, user = alice) => (await api.call('GET', `${libraries}?${query}`, { user })).body;
    expect(await list('name=filtered&limit=1')).toMatchObject({ total: 2, items: [{}] });
    expect(await list('tags=blue')).toMatchObject({ total: 1, items: [{ name: 'Filtered two' }] });
    expect(await list('', dora)).toMatchObject({ total: 0, items: [] });
  });

  test('sets are added and removed with ids in the body or the query, all of them or none', async () => {
    const library = await makeLibrary();
    const [setBody, two, three] = [
      await makeSet(),
      await makeSet({ metadata: { tags: ['t'], container_id: 'c' } }),
      await makeSet(),
    ];
    const path = `${libraries}/${library}/document-sets`;
    const call = (method: string, ids: string[], where: 'body' | 'query' = 'body', user = alice) =>
      where === 'body'
        ? api.call(method, path, { user, body: { document_set_ids: ids } })
        : api.call(method, `${path}?document_sets_ids=${ids.join(',')}`, { user });
    const linked = async () => {
      const { body } = await api.call('GET', path, { user: alice });
      return (body as { document_sets: { id: string }[] }).document_sets.map(({ id }) => id).sort();
    };
    expect((await call('PUT', [setBody.id], 'query')).status).toBe(204);
    expect((await call('PUT', [two.id])).status).toBe(204);
    const both = [setBody.id, two.id].sort();
    expect(await linked()).toEqual(both);
    expect(await call('PUT', [three.id, nowhere])).toMatchObject({
      status: 404,
      body: { errors: failing('DOCUMENT_SET_NOT_FOUND') },
    });
    expect((await call('PUT', [two.id, setBody.id])).status).toBe(200);
    for (const ids of [[three.id, three.id], []])
      expect(await call('PUT', ids)).toMatchObject({
        status: 400,
        body: { errors: failing('DOCUMENT_LIBRARY_INVALID_DATA') },
      });
    expect((await call('DELETE', [setBody.id, three.id])).status).toBe(404);
    expect(await linked()).toEqual(both);
    const { body } = await api.call('GET', path, { user: alice });
    expect(body).toMatchObject({
      total: 2,
      document_sets: expect.arrayContaining([
        expect.objectContaining({ id: two.id, container_id: 'c', tags: ['t'], documents: { size: 0, count: 0 } }),
      ]),
    });
    expect((await call('DELETE', both)).status).toBe(204);
    expect(await linked()).toEqual([]);
  });

  test('a deleted set disappears from every library, and listing still works', async () => {
    const set = await makeSet();
    const ids = [await makeLibrary(), await makeLibrary()];
    for (const id of ids)
      await api.call('PUT', `${libraries}/${id}/document-sets?document_sets_ids=${set.id}`, { user: alice });
    expect((await api.call('DELETE', `${sets}/${set.id}?delete_data=true`, { user: alice })).status).toBe(204);
    for (const id of ids) {
      expect((await api.call('GET', `${libraries}/${id}`, { user: alice })).body).toMatchObject({
        document_set_count: 0,
      });
      expect((await api.call('GET', `${libraries}/${id}/document-sets`, { user: alice })).body).toMatchObject({
        total: 0,
      });
    }
  });

  test('readers see the library and of its sets those that they may see; only owner and administrators change it', async () => {
    const library = await makeLibrary({ readers: ['bob'] });
    const [open, closed] = [await makeSet({ readers: ['bob'] }), await makeSet()];
    const path = `${libraries}/${library}/document-sets`;
    const ids = `?document_sets_ids=${open.id},${closed.id}`;
    expect((await api.call('PUT', `${path}${ids}`, { user: bob })).status).toBe(403);
    expect((await api.call('PUT', `${path}${ids}`, { user: dora })).status).toBe(404);
    expect((await api.call('PUT', `${path}${ids}`, { user: carol })).status).toBe(204);
    expect((await api.call('GET', path, { user: bob })).body).toMatchObject({
      total: 1,
      document_sets: [{ id: open.id }],
    });
    expect((await api.call('GET', path, { user: dora })).status).toBe(404);
    expect((await api.call('PATCH', `${libraries}/${library}`, { user: bob, body: { purpose: 'x' } })).status).toBe(
      403,
    );
    expect((await api.call('DELETE', `${libraries}/${library}`, { user: bob })).status).toBe(403);
  });
});
