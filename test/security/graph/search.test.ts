import type { User } from '../../../model/access';
import type { SearchRequest } from '../../../services/search/ports';
import { type CorpusApi, orderText, startCorpusApi } from '../../support/api/graph/corpus-graph';
import { alice, bob, carol as admin } from '../../support/api/server';

/** A search receives only passages that the user may read, of graphs that the user may ask. */
let corpus: CorpusApi;
let requests: SearchRequest[];
beforeEach(async () => {
  requests = [];
  corpus = await startCorpusApi({
    search: {
      get: async () => undefined,
      search: async (_user, request) => {
        requests.push(request);
        return { documents: [], total: 0, limit: 10, offset: 0, has_more: false };
      },
    },
  });
});
afterEach(() => corpus.api.close());

const dora: User = { username: 'dora', email: '', full_name: '', groups: [] };
const query = 'What did Harbour Board order?';
const search = (user: User, body: object) => corpus.api.call('POST', '/api/v1/documents/search', { user, body });
const codeOf = ({ status, body }: { status: number; body: unknown }) => [
  status,
  (body as { errors?: { code: string }[] }).errors?.[0]?.code,
];
const documents = {
  open: { text: orderText('PO-1', 'Harbour Board') },
  closed: { text: orderText('PO-2', 'Harbour Board'), users: ['alice'] },
};

test('the mode graph searches with the passages behind facts that the user may see, and no others', async () => {
  const graph = await corpus.getGraph(documents);
  expect((await search(alice, { query, mode: 'graph', graph })).status).toBe(200);
  expect((await search(bob, { query, mode: 'graph', graph: [graph] })).status).toBe(200);
  const [own, others] = requests.map(({ mode, passages = [] }) => ({
    mode,
    documents: [...new Set(passages.map(({ documentId }) => documentId))].toSorted(),
  }));
  expect(own).toEqual({ mode: 'hybrid', documents: ['closed', 'open'] });
  expect(others).toEqual({ mode: 'hybrid', documents: ['open'] });
  expect(JSON.stringify(requests[1])).not.toMatch(/PO-2|closed/);
  expect(requests[1]?.passages?.[0]?.fact).toMatchObject({
    graph_id: graph,
    nodes: [
      { label: 'Party', title: 'Harbour Board' },
      { label: 'Order', title: 'PO-1' },
    ],
  });
});

test('a graph that the user may not ask is not searched', async () => {
  const graph = await corpus.getGraph(documents);
  expect(codeOf(await search(dora, { query, mode: 'graph', graph }))).toEqual([404, 'GRAPH_NOT_FOUND']);
  expect(codeOf(await search(admin, { query, mode: 'graph', graph }))).toEqual([403, 'FORBIDDEN']);
  const unknown = '00000000-0000-4000-8000-000000000000';
  expect(codeOf(await search(bob, { query, mode: 'graph', graph: [graph, unknown] }))).toEqual([
    404,
    'GRAPH_NOT_FOUND',
  ]);
  expect(requests).toEqual([]);
});

test.each([
  ['no graph', { query, mode: 'graph' }],
  ['no query', { mode: 'graph', graph: '00000000-0000-4000-8000-000000000000' }],
  ['similar records', { like: 'd_0', mode: 'graph', graph: '00000000-0000-4000-8000-000000000000' }],
  ['a graph in another mode', { query, mode: 'hybrid', graph: '00000000-0000-4000-8000-000000000000' }],
])('%s is an error', async (_name, body) => {
  expect(codeOf(await search(bob, body))).toEqual([422, 'VALIDATION_ERROR']);
  expect(requests).toEqual([]);
});
