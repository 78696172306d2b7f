import type { DocumentReply } from '../../../services/search/ports';
import { ledgerEntry, memoryKept } from '../../support/api/kept-documents';
import { alice, bob, carol, startApi, type TestApi } from '../../support/api/server';

/** Two chunks of one document, in the order of their ids; the access list decides what each user finds. */
const chunk = (index: number, content: string, start: number): DocumentReply => ({
  id: `plan-${index}`,
  content,
  title: 'The plan',
  metadata: { document_id: 'plan', chunk_index: index, start_index: start, page_numbers: [1], department: 'x' },
  created_at: `2026-01-0${index + 1}T00:00:00.000Z`,
  updated_at: `2026-02-0${index + 1}T00:00:00.000Z`,
});
const chunks = [chunk(0, 'One two three.', 0), chunk(1, 'three. Four.', 8)];
const readers = ['alice', 'bob'];
const search = {
  get: async ({ username }: { username: string }, id: string) =>
    readers.includes(username) ? chunks.find((response) => response.id === id) : undefined,
  search: async ({ username }: { username: string }, { filters = {}, limit = 10, offset = 0 }) => {
    const responses = readers.includes(username) && (filters as Record<string, unknown>)['document_id'] === 'plan' ? chunks : []; // prettier-ignore
    return {
      documents: responses.slice(offset, offset + limit),
      total: responses.length,
      limit,
      offset,
      has_more: false,
    };
  },
};
const entry = (change: Parameters<typeof ledgerEntry>[0] = {}) => ({
  ...ledgerEntry({ id: 'plan', allowed_users: readers, ...change }),
  job_id: 'job',
});
let api: TestApi;
const start = async (change: Parameters<typeof ledgerEntry>[0] = {}) => {
  api = await startApi({ search, keptDocuments: memoryKept([entry(change)]) });
};
afterEach(() => api.close());
const get = (path: string, user = alice) => api.call('GET', `/api/v1/documents/${path}`, { user });

test('the id of a document gives all of it, the id of a record that record', async () => {
  await start();
  expect((await get('plan')).body).toEqual({
    id: 'plan',
    content: 'One two three. Four.',
    title: 'The plan',
    metadata: { document_id: 'plan', department: 'x' },
    created_at: '2026-01-01T00:00:00.000Z',
    updated_at: '2026-02-02T00:00:00.000Z',
    forms: ['chunks', 'json', 'markdown', 'original'],
  });
  expect((await get('plan-1')).body).toEqual(chunks[1]);
});

test.each([
  ['original', 'application/octet-stream', "attachment; filename*=UTF-8''invoice%20%E2%80%9C1%E2%80%9D.pdf"],
  ['markdown', 'text/markdown; charset=utf-8', null],
  ['json', 'application/json; charset=utf-8', null],
])('%s is found by document and by record', async (form, type, disposition) => {
  await start();
  for (const id of ['plan', 'plan-1']) {
    const { status, headers, body } = await get(`${id}/${form}`, bob);
    const sent = { status, type: headers.get('Content-Type'), disposition: headers.get('Content-Disposition') };
    expect(sent).toEqual({ status: 200, type, disposition });
    expect(JSON.stringify(body)).toContain('documents/job/plan/hash.');
  }
});

test('chunks are a page of records', async () => {
  await start();
  expect((await get('plan-0/chunks?limit=1', bob)).body).toMatchObject({ documents: [chunks[0]], total: 2, limit: 1 });
});

const forms = ['', '/original', '/markdown', '/json', '/chunks'];
test('a user who may not read the document gets the same as for a missing one', async () => {
  await start({ owner: 'carol' });
  for (const form of forms)
    for (const id of ['plan', 'plan-0', 'no-such', '*', '%2A', 'pla*', '..%2Fplan'])
      expect(await get(`${id}${form}`, carol)).toMatchObject({
        status: 404,
        body: { errors: [{ code: 'DOCUMENT_NOT_FOUND', message: 'Document not found.' }] },
      });
});

test.each([
  ['a document that a flow may have masked', { withholds_text: true }],
  ['a document that an earlier version ingested', { withholds_text: undefined }],
])('%s is opened by the owner of the run only', async (_name, change) => {
  await start(change);
  for (const form of ['original', 'markdown', 'json']) {
    expect((await get(`plan/${form}`)).status).toBe(200);
    expect(await get(`plan/${form}`, bob)).toMatchObject({
      status: 404,
      body: { errors: [{ code: 'DOCUMENT_FORM_NOT_FOUND' }] },
    });
  }
  expect((await get('plan', bob)).body).toMatchObject({ forms: ['chunks'] });
});

test('a list that included the reader only in the index does not open the document', async () => {
  await start({ allowed_users: ['alice'] });
  expect((await get('plan/markdown', bob)).status).toBe(404);
  expect((await get('plan/chunks', bob)).status).toBe(200);
});
