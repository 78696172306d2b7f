import type { User } from '../../../model/access';
import { ledgerEntry, memoryKept } from '../../support/api/kept-documents';
import { alice, bob, carol, emptyState, memoryServices, startApi, type TestApi } from '../../support/api/server';

/** Graphs that flows made of the documents of a set, and rows that name the graphs of others. */
const origin = { jobId: 'own', runId: 'run', operator: 'set', startedAt: '2026-01-01T00:00:00.000Z' };
const both = ['alice', 'bob'];
const services = memoryServices(emptyState());
const { documentSets, documentLibraries, exportRows } = services;
const keptDocuments = memoryKept([
  { ...ledgerEntry({ id: 'order', allowed_users: both }), job_id: 'own' },
  { ...ledgerEntry({ id: 'plain' }), job_id: 'own' },
  { ...ledgerEntry({ id: 'masked', allowed_users: both, withholds_text: true }), job_id: 'own' },
  { ...ledgerEntry({ id: 'secret', allowed_users: ['carol'], owner: 'carol' }), job_id: 'theirs' },
]);
let api: TestApi;
let setId = '';
beforeAll(async () => {
  api = await startApi({ documentSets, documentLibraries, exportRows, keptDocuments }, { adminGroups: ['admins'] });
  const reply = await api.call('POST', '/api/v1/document-sets', { user: alice, body: { name: 'g', readers: ['bob'] } });
  setId = (reply.body as { id: string }).id;
  const row = (id: string, graph_ref: string | null, more = {}) => ({
    id,
    name: `${id}.md`,
    path: id,
    allowed_users: both,
    graph_ref,
    ...more,
  });
  await documentSets.write(setId, origin, [
    row('order', 'graphs/own/order/graph/graph.json'),
    row('order-0', 'graphs/own/order-0/graph/graph.json', { document_id: 'order', allowed_users: ['alice'] }),
    row('plain', null),
    row('masked', 'graphs/own/masked/graph/graph.json'),
    row('forged', 'graphs/theirs/secret/graph/graph.json'),
    row('secret', 'graphs/theirs/secret/graph/graph.json'),
    row('climbing', 'graphs/own/order/../graph.json', { document_id: 'order', allowed_users: ['bob'] }),
    row('../../theirs/secret', 'graphs/own/../../theirs/secret/graph/graph.json', { document_id: 'order' }),
    row('elsewhere', 'documents/own/order/hash.json', { document_id: 'order', allowed_users: ['bob'] }),
  ]);
});
afterAll(() => api.close());

const graph = (id: string, user: User, query = '') =>
  api.call('GET', `/api/v1/document-sets/${setId}/graphs/${encodeURIComponent(id)}${query}`, { user });
const refused = (status: number, code: string) => ({
  status,
  body: { errors: [expect.objectContaining({ code })] },
});

test('the graph of a row is available to those in the access lists of row and document', async () => {
  const key = 'graphs/own/order/graph/graph.json';
  expect(await graph('order', alice)).toMatchObject({ status: 200, body: { key } });
  expect(await graph('order', bob)).toMatchObject({ status: 200, body: { key } });
  expect(await graph('order-0', alice)).toMatchObject({
    status: 200,
    body: { key: 'graphs/own/order-0/graph/graph.json' },
  });
  expect(await graph('order', alice, '?part=provenance')).toMatchObject({
    status: 200,
    body: { key: 'graphs/own/order/graph/provenance.json' },
  });
});

test('rows without the user, unknown documents and sets of others do not exist', async () => {
  expect(await graph('order-0', bob)).toMatchObject(refused(404, 'DOCUMENT_NOT_FOUND'));
  expect(await graph('nothing', alice)).toMatchObject(refused(404, 'DOCUMENT_NOT_FOUND'));
  // An administrator sees the set, but no row that does not name them.
  expect(await graph('order', carol)).toMatchObject(refused(404, 'DOCUMENT_NOT_FOUND'));
  const dora = { username: 'dora', email: '', full_name: '', groups: [] };
  expect(await graph('order', dora)).toMatchObject(refused(404, 'DOCUMENT_SET_NOT_FOUND'));
});

test('a document without a graph, and one whose flow may mask text, return the reason', async () => {
  expect(await graph('plain', alice)).toMatchObject(refused(404, 'GRAPH_NOT_FOUND'));
  expect(await graph('masked', alice)).toMatchObject({ status: 200 });
  expect(await graph('masked', bob)).toMatchObject(refused(404, 'GRAPH_NOT_FOUND'));
});

test.each(['forged', 'secret', 'climbing', '../../theirs/secret', 'elsewhere'])(
  'a row %s that names a file of another user opens nothing',
  async (id) => {
    expect(await graph(id, bob)).toMatchObject(refused(404, 'GRAPH_NOT_FOUND'));
  },
);
