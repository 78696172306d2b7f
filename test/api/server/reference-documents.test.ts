import {
  type Body,
  makeUnique,
  type Reference,
  startReference,
  toError,
  unknownId,
} from '../../support/api/reference-client';
import { alice, startApi } from '../../support/api/server';

let reference: Reference;
beforeAll(async () => {
  reference = await startReference();
});
afterAll(() => reference.api.close());
const call: Reference['call'] = (...args) => reference.call(...args);

describe('document sets', () => {
  const create = async (more: Body = {}) => call('POST /document-sets', { name: makeUnique('set'), ...more });
  const made = async (more: Body = {}) => (await create(more)).body as Body & { id: string };

  test('create: 201 with id, times, metadata echoed and totals of 0', async () => {
    expect(await create({ metadata: { a: 1 } })).toMatchObject({
      status: 201,
      body: {
        id: expect.any(String),
        created_at: expect.any(String),
        updated_at: expect.any(String),
        metadata: { a: 1 },
        total_documents: 0,
        total_size_bytes: 0,
        total_pages: 0,
      },
    });
  });
  test('twice under one name: the same id, the first description stays', async () => {
    const first = await made({ description: 'first' });
    const again = await create({ name: first['name'], description: 'second' });
    expect(again.body).toMatchObject({ id: first.id, description: 'first' });
  });
  test('list: items, total, limit, offset; the created names; limit=2 returns at most two', async () => {
    const names = [];
    for (let i = 0; i < 3; i += 1) names.push((await made())['name']);
    const { body } = await call('GET /document-sets');
    expect(body).toMatchObject({ total: expect.any(Number), limit: 100, offset: 0 });
    expect((body['items'] as Body[]).map(({ name }) => name)).toEqual(expect.arrayContaining(names));
    const page = (await call('GET /document-sets?limit=2&offset=1')).body;
    expect(page).toMatchObject({ limit: 2, offset: 1 });
    expect((page['items'] as Body[]).length).toBeLessThanOrEqual(2);
  });
  test('get returns the same fields; every member of the schema is present', async () => {
    const set = await made({ description: 'd' });
    const { body } = await call(`GET /document-sets/${set.id}`);
    expect(body).toEqual(set);
    expect(body).toMatchObject({
      storage_backend: expect.any(String),
      database_path: expect.any(String),
      table_name: expect.any(String),
      description: 'd',
    });
  });
  test.each(['GET', 'PATCH', 'DELETE'])('%s of an unknown set: 404 document_set_not_found', async (method) => {
    const body = method === 'PATCH' ? { description: 'x' } : undefined;
    expect(toError(await call(`${method} /document-sets/${unknownId}`, body))).toEqual([404, 'document_set_not_found']);
  });
  test('preview of an unknown set: 404; of an empty one no rows', async () => {
    expect(toError(await call(`GET /document-sets/${unknownId}/preview`))[0]).toBe(404);
    const { id } = await made();
    expect((await call(`GET /document-sets/${id}/preview?limit=5&offset=0`)).body).toMatchObject({
      columns: [],
      data: [],
      total_rows: 0,
    });
  });
  test('PATCH: description and metadata, the name stays; description alone keeps the metadata; {} clears them', async () => {
    const { id, name } = await made({ metadata: { keep: 1 } });
    expect((await call(`PATCH /document-sets/${id}`, { description: 'new' })).body).toMatchObject({
      name,
      description: 'new',
      metadata: { keep: 1 },
    });
    expect((await call(`PATCH /document-sets/${id}`, { metadata: {} })).body).toMatchObject({ metadata: {} });
  });
  test.each(['', '?delete_data=true'])('DELETE%s: 204, then 404', async (query) => {
    const { id } = await made();
    expect((await call(`DELETE /document-sets/${id}${query}`)).status).toBe(204);
    expect((await call(`GET /document-sets/${id}`)).status).toBe(404);
  });
  test.each([
    ['no name', { name: undefined }],
    ['an empty name', { name: '' }],
    ['a name with brackets', { name: 'Test_Set-2024 (v1)' }],
    ['a name of another script', { name: 'Набор' }],
    ['a name that is too long', { name: 'x'.repeat(300) }],
    ['a description that is too long', { description: 'x'.repeat(10_001) }],
  ])('%s: 400', async (_name, more) => {
    expect(toError(await create(more))).toEqual([400, 'document_set_invalid_data']);
  });
  test('metadata of null are {}', async () => expect(await made({ metadata: null })).toMatchObject({ metadata: {} }));
  test.each(['/document-sets/no-uuid', '/document-sets?limit=0', '/document-sets?offset=-1'])(
    'GET %s: 400',
    async (path) => expect(toError(await call(`GET ${path}`))[0]).toBe(400),
  );
  test('preview with limit=0: 400', async () => {
    const { id } = await made();
    expect(toError(await call(`GET /document-sets/${id}/preview?limit=0`))[0]).toBe(400);
  });
});

describe('document libraries', () => {
  const create = (more: Body) => call('POST /document-libraries', { name: makeUnique('Library '), ...more });
  test.each([
    ['a name of 3', { name: 'abc' }, 201],
    ['a name of 2', { name: 'ab' }, 400],
    ['a name of 128', { name: 'a'.repeat(128) }, 201],
    ['a name of 129', { name: 'a'.repeat(129) }, 400],
    ['a name that begins with a digit', { name: '1abc' }, 400],
    ['a name with underscore and blank', { name: 'a_b c' }, 201],
    ['a name with a dot', { name: 'a.b' }, 400],
    ['a description of 2000', { description: 'x'.repeat(2000) }, 201],
    ['a description of 2001', { description: 'x'.repeat(2001) }, 400],
    ['a purpose of 1025', { purpose: 'x'.repeat(1025) }, 400],
    ['an original_size of 0', { original_size: 0 }, 201],
    ['a final_size of 2^53-1', { final_size: 2 ** 53 - 1 }, 201],
    ['a final_size below 0', { final_size: -1 }, 400],
    ['tags', { tags: ['a', 'b'] }, 201],
  ])('%s', async (_name, more, status) => expect((await create(more)).status).toBe(status));
  test('an equal name: 409; get, patch, delete', async () => {
    const { body } = await create({});
    expect(toError(await create({ name: body['name'] }))).toEqual([409, 'document_library_already_exists']);
    const path = `/document-libraries/${String(body['library_id'])}`;
    expect((await call(`PATCH ${path}`, { purpose: 'x' })).body).toMatchObject({ purpose: 'x' });
    expect((await call(`DELETE ${path}`)).status).toBe(204);
    expect(toError(await call(`GET ${path}`))).toEqual([404, 'document_library_not_found']);
  });
  test('sets: unknown 404; named twice 400; not linked 404; ids in the query', async () => {
    const library = String((await create({})).body['library_id']);
    const set = String((await call('POST /document-sets', { name: makeUnique('s') })).body['id']);
    const change = (method: string, ids: string) =>
      call(`${method} /document-libraries/${library}/document-sets?document_sets_ids=${ids}`);
    expect(toError(await change('PUT', unknownId))).toEqual([404, 'document_set_not_found']);
    expect(toError(await change('PUT', `${set},${set}`))).toEqual([400, 'document_library_invalid_data']);
    expect((await change('PUT', set)).status).toBe(204);
    expect((await change('PUT', set)).status).toBe(200);
    expect((await change('DELETE', set)).status).toBe(204);
    expect(toError(await change('DELETE', set))).toEqual([404, 'document_set_not_found']);
  });
});

describe('projects', () => {
  test('the page, a null summary, links that keep the filters, 400 for a bad id, 404, 409', async () => {
    const { body } = await call('POST /projects', { name: makeUnique('project'), tags: ['a', 'a'] });
    expect(body).toMatchObject({ flow_count: 0, tags: ['a'] });
    const id = String(body['project_id']);
    await call('POST /flows', {
      flow_name: makeUnique('in project'),
      project_id: id,
      flow: [{ type: 'ingest_source', name: 'i' }],
    });
    expect((await call(`GET /projects/${id}/flows?name=in&limit=1`)).body).toMatchObject({
      flows: [{ job_run_summary: null }],
      total_count: 1,
      first: expect.stringContaining('name=in'),
      next: null,
      prev: null,
    });
    expect(toError(await call('POST /projects', { name: body['name'] }))).toEqual([409, 'project_already_exists']);
    expect(toError(await call('GET /projects/UPPER'))[0]).toBe(400);
    expect(toError(await call(`GET /projects/${unknownId}`))).toEqual([404, 'project_not_found']);
    expect((await call(`DELETE /projects/${id}`)).status).toBe(204);
  });
});

describe('documents', () => {
  test('get: 200; 404 for a missing one and for another user’s; 401 without or with a bad token', async () => {
    expect((await call('GET /documents/of-alice')).status).toBe(200);
    for (const id of ['missing', 'of-bob'])
      expect(toError(await call(`GET /documents/${id}`))).toEqual([404, 'not_found']);
    for (const headers of [{}, { Authorization: 'Bearer bad' }] as Record<string, string>[])
      expect((await fetch(`${reference.api.url}/api/v1/documents/x`, { headers })).status).toBe(401);
  });
  test('search: documents, total, limit, offset, has_more; 20 of 100 has more; none has none', async () => {
    const page = (total: number) => ({ documents: [], total, limit: 20, offset: 0, has_more: total > 20 });
    for (const total of [0, 100]) {
      const own = await startApi({ search: { ...reference.services.search, search: async () => page(total) } });
      const body = { query: 'x', filters: { a: 'b' }, sort: [{ created_at: 'desc' }], limit: 20 };
      const answer = await own.call('POST', '/api/v1/documents/search', { user: alice, body });
      expect(answer).toMatchObject({ status: 200, body: page(total) });
      await own.close();
    }
  });
});
