import type { DocumentReply } from '../../services/search/ports';
import { ledgerEntry } from '../support/api/kept-documents';
import { prepare } from '../support/api/prepared';
import { memoryIndexes, memoryRemovals } from '../support/api/removal-services';
import { alice, bob, carol, startApi, type TestApi } from '../support/api/server';

/** Alice ingested `plan`, which bob may read. Bob ingested the same bytes with a flow of his own, as `copy`. */
const readers = ['alice', 'bob'];
const record: DocumentReply = {
  id: 'plan_0',
  content: 'x',
  title: 'Plan',
  metadata: { document_id: 'plan', chunk_index: 0 },
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
};
const search = {
  get: async ({ username }: { username: string }, id: string) =>
    readers.includes(username) && id === record.id ? record : undefined,
  search: async ({ username }: { username: string }, { filters = {}, limit = 10, offset = 0 }) => {
    const isFound = readers.includes(username) && (filters as Record<string, unknown>)['document_id'] === 'plan';
    return { documents: isFound ? [record] : [], total: isFound ? 1 : 0, limit, offset, has_more: false };
  },
};
const entries = [
  { ...ledgerEntry({ id: 'plan', owner: 'alice', content_hash: 'same' }), job_id: 'of-alice' },
  { ...ledgerEntry({ id: 'copy', owner: 'bob', content_hash: 'same' }), job_id: 'of-bob' },
  { ...ledgerEntry({ id: 'blank', owner: 'alice', content_hash: '' }), job_id: 'of-alice' },
  { ...ledgerEntry({ id: 'void', owner: 'bob', content_hash: '' }), job_id: 'of-bob' },
];
let api: TestApi;
beforeEach(async () => {
  let count = 0;
  const removals = memoryRemovals(() => `removal-${(count += 1)}`, entries);
  api = await startApi({ search, removals }, { adminGroups: ['admins'] });
});
afterEach(() => api.close());
const remove = (path: string, user = alice) => api.call('DELETE', `/api/v1/documents/${path}`, { user });
const missing = { status: 404, body: { errors: [{ code: 'DOCUMENT_NOT_FOUND', message: 'Document not found.' }] } };

test('a reader may not remove what they read, and a user who cannot read it does not learn that it exists', async () => {
  for (const id of ['plan', 'plan_0']) expect(await remove(id, bob)).toMatchObject({ status: 403 });
  const stranger = { ...bob, username: 'eve' };
  for (const id of ['plan', 'plan_0', 'copy', 'no-such', '*', 'pl%2A', '%2A', 'plan,copy', '..%2Fplan', '_all'])
    expect(await remove(id, stranger)).toMatchObject(missing);
  expect(await remove('plan')).toMatchObject({ status: 200 });
});

test('the removal is idempotent for its owner, and stays unknown to everybody else', async () => {
  const { body, headers } = await remove('plan_0');
  expect(body).toMatchObject({ document_ids: ['plan'], documents: 1, state: 'DONE' });
  expect(headers.get('Location')).toMatch(/^http:.*\/api\/v1\/removals\/removal-1$/);
  expect((await remove('plan')).body).toEqual(body);
  expect((await remove('plan', { ...carol })).body).toEqual(body);
  readers.splice(0);
  expect(await remove('plan', bob)).toMatchObject(missing);
  readers.push('alice', 'bob');
  expect((await api.call('GET', '/api/v1/removals/removal-1', { user: bob })).status).toBe(404);
  expect((await api.call('POST', '/api/v1/removals/removal-1/restore', { user: bob })).status).toBe(404);
  expect((await api.call('POST', '/api/v1/removals/removal-1/restore', { user: alice })).status).toBe(200);
});

test('`everywhere` removes your own copies (for administrators, all copies), and none without a hash', async () => {
  expect((await remove('plan?everywhere=true')).body).toMatchObject({ document_ids: ['plan'] });
  expect((await remove('blank?everywhere=true')).body).toMatchObject({ document_ids: ['blank'] });
  expect((await remove('void', bob)).status).toBe(200);
  expect((await remove('copy', bob)).body).toMatchObject({ document_ids: ['copy'] });
});

test('an administrator removes every copy, whoever reads them', async () => {
  expect((await remove('plan?everywhere=true', carol)).body).toMatchObject({ document_ids: ['plan', 'copy'] });
});

test('a receipt contains no text and no document names', async () => {
  expect(JSON.stringify((await remove('plan?everywhere=true')).body)).not.toMatch(/invoice|Plan|same/);
});

test.each(['*', '%2A', 'a,b', '_all', 'A', '..', '.hidden', 'a%2Fb', 'in*', '-invoices', '%3Cinvoices%3E'])(
  'the name of an index is not a pattern: %s',
  async (name) => {
    for (const method of ['GET', 'DELETE'])
      expect([400, 404]).toContain((await api.call(method, `/api/v1/indexes/${name}`, { user: carol })).status);
  },
);

test('indexes of others are neither described nor dropped, nor is there a list of them', async () => {
  const index = { uuid: 'u', owner: 'alice', writers: [], description: null, is_searched: true, name: 'mine' };
  const own = await startApi({ indexes: memoryIndexes([index]) });
  expect((await own.call('GET', '/api/v1/indexes', { user: bob })).body).toMatchObject({ total: 0 });
  for (const [method, body] of [['DELETE'], ['PATCH', { description: 'x' }]] as const)
    expect((await own.call(method, '/api/v1/indexes/mine', { user: bob, body })).status).toBe(404);
  expect((await own.call('DELETE', '/api/v1/indexes/mine', { user: alice })).status).toBe(204);
  await own.close();
});

test('a member of the project removes a flow, but not with its records', async () => {
  const { api: prepared, ids } = await prepare();
  const member = { username: 'mike', email: '', full_name: '', groups: [] };
  const path = `/api/v1/flows/${ids['flow_id']}?with_records=true`;
  expect((await prepared.call('DELETE', path, { user: member })).status).toBe(403);
  expect(await prepared.call('DELETE', path, { user: alice })).toMatchObject({ status: 200, body: { kind: 'flow' } });
  expect((await prepared.call('GET', `/api/v1/flows/${ids['flow_id']}`, { user: alice })).status).toBe(404);
  await prepared.close();
});
