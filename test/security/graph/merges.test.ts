import type { User } from '../../../model/access';
import type { GraphNodes } from '../../../model/graph/wire-facts';
import type { GraphPairs } from '../../../model/graph/wire-pairs';
import { type CorpusApi, type OrderDocument, orderText, startCorpusApi } from '../../support/api/graph/corpus-graph';
import { alice, bob } from '../../support/api/server';

let corpus: CorpusApi;
beforeEach(async () => {
  corpus = await startCorpusApi();
});
afterEach(() => corpus.api.close());

/** Everything that a user can ask about the graph, as the api answers it; without the id of the graph. */
async function askEverything(id: string, user: User): Promise<string> {
  const nodes = (await corpus.get(`${id}/nodes?limit=200`, user)).body as unknown as GraphNodes;
  const ids = nodes.nodes.map((node) => node.id);
  const question = encodeURIComponent('What did Harbour Board, Harbour Board of Leith and Acme order?');
  const paths = [
    'nodes?label=Party&query=harbour',
    'statistics',
    'pairs',
    ...['open', 'same', 'different'].map((state) => `pairs?state=${state}`),
    `passages?query=${question}&limit=100`,
    ...ids.map((node) => `neighbours?node=${node}`),
    ...ids.map((node) => `paths?from=${ids[0]}&to=${node}`),
    ...['json', 'cypher', 'html', 'report', 'csv'].map((format) => `result?format=${format}`),
  ];
  const headers = { Authorization: `Bearer ${corpus.api.tokenOf(user)}` };
  const texts = [JSON.stringify(nodes)];
  for (const path of paths)
    texts.push(`${path}\n${await (await fetch(`${corpus.api.url}/api/v1/graphs/${id}/${path}`, { headers })).text()}`);
  return texts
    .join('\n')
    .replaceAll(id, 'GRAPH')
    .replace(/PK[\s\S]*?(?=\n\S+\n|$)/g, 'ZIP')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME');
}

/** Bob's replies from a graph of all documents, and from a graph of the documents that he may read. */
async function compareForBob(
  documents: Record<string, OrderDocument>,
  decide: (id: string) => Promise<void> = async () => undefined,
): Promise<{ id: string; told: string; expected: string }> {
  const open = Object.entries(documents).filter(([, { users }]) => users === undefined || users.includes('bob'));
  const id = await corpus.getGraph(documents);
  await decide(id);
  const told = await askEverything(id, bob);
  await corpus.api.close();
  corpus = await startCorpusApi();
  const expected = await askEverything(await corpus.getGraph(Object.fromEntries(open)), bob);
  return { id, told, expected };
}

const hidden = ['alice'];
const tax = (number: string) => `Tax number: ${number}`;
const parties = async (id: string, user: User) =>
  ((await corpus.get(`${id}/nodes?label=Party`, user)).body as unknown as GraphNodes).nodes;

const visible = {
  one: { text: orderText('PO-1', 'Harbour Board') },
  two: { text: orderText('PO-2', 'Harbour Board of Leith') },
};
/** Documents that Bob may not read, from which the rules know that both names mean one thing. */
const merging = {
  ...visible,
  three: { text: orderText('PO-3', 'Harbour Board', tax('DE-77')), users: hidden },
  four: { text: orderText('PO-4', 'Harbour Board of Leith', tax('DE-77')), users: hidden },
};

test('the setting works: the owner sees one node where the reader may see two', async () => {
  const id = await corpus.getGraph(merging);
  expect([(await parties(id, alice)).length, (await parties(id, bob)).length]).toEqual([1, 2]);
});

test('nodes that rules merge because of documents that the reader may not read stay two in every answer', async () => {
  const { told, expected } = await compareForBob(merging);
  expect(told).toBe(expected);
  expect(told).toContain('PO-2');
  expect(told).not.toMatch(/PO-3|DE-77/);
});

test('nodes that rules keep apart because of documents that the reader may not read are merged in every answer', async () => {
  const documents = {
    one: { text: orderText('PO-1', 'Harbour Board Ltd', tax('DE-1')) },
    two: { text: orderText('PO-2', 'Harbour Board', tax('DE-1')) },
    three: { text: orderText('PO-3', 'Harbour Board Ltd', tax('DE-2\nCity: Hull')), users: hidden },
    four: { text: orderText('PO-4', 'Harbour Board', `${tax('DE-3')}\nCity: Leith`), users: hidden },
    five: { text: orderText('PO-5', 'Acme') },
    six: { text: orderText('PO-6', 'Acme Limited', tax('DE-9')) },
    seven: { text: orderText('PO-7', 'Acme', tax('DE-8')), users: hidden },
  };
  const { told, expected } = await compareForBob(documents);
  expect(told).toBe(expected);
});

test('nodes that rules would not even propose because of documents that the reader may not read are proposed', async () => {
  const { told, expected } = await compareForBob({
    one: { text: orderText('PO-1', 'Harbour Board') },
    two: { text: orderText('PO-2', 'Harbour Board of Leith') },
    three: { text: orderText('PO-3', 'Harbour Board', tax('DE-1')), users: hidden },
    four: { text: orderText('PO-4', 'Harbour Board of Leith', tax('DE-2')), users: hidden },
  });
  expect(told).toBe(expected);
  expect(told).toContain('part_of_name');
});

/** The model decides the only pair as the worker does: with the documents that it was shown. */
const decideByModel = (state: 'same' | 'different', basis: string[]) => async (id: string) => {
  const { pairs } = corpus.graphs.corpora;
  const [{ pair } = { pair: undefined }] = await pairs.list(id, {}, { after: '', limit: 1 });
  if (!pair) throw new Error('The rules proposed no pair.');
  await pairs.decide(id, { ...pair, state, by: 'model', basis });
};

test.each(['same', 'different'] as const)(
  'what a model decided (%s) does not count for readers who may not read all of the documents that the model was shown',
  async (state) => {
    const documents = { ...visible, three: { text: orderText('PO-3', 'Harbour Board', 'City: Hull'), users: hidden } };
    const { told, expected } = await compareForBob(documents, decideByModel(state, ['one', 'two', 'three']));
    expect(told).toBe(expected);
  },
);

test('what a model decided counts for readers of the documents that the model was shown', async () => {
  const id = await corpus.getGraph(visible);
  await decideByModel('same', ['one', 'two'])(id);
  expect([(await parties(id, alice)).length, (await parties(id, bob)).length]).toEqual([1, 1]);
});

test('a decision of a model about which the documents are unknown counts for the owner only', async () => {
  const id = await corpus.getGraph(visible);
  const { pairs } = corpus.graphs.corpora;
  const [{ pair } = { pair: undefined }] = await pairs.list(id, {}, { after: '', limit: 1 });
  if (pair) await pairs.decide(id, { ...pair, state: 'same', by: 'model' });
  expect([(await parties(id, alice)).length, (await parties(id, bob)).length]).toEqual([1, 2]);
});

test('the owner decides for all readers, and nobody sees when rules decided', async () => {
  const id = await corpus.getGraph(visible);
  const nodes = (await parties(id, alice)).map((node) => node.id);
  const seen = (await corpus.get(`${id}/pairs`, bob)).body as unknown as GraphPairs;
  expect(seen.pairs).toMatchObject([{ state: 'open', decided_by: 'rules', decided_at: null }]);
  const body = { decisions: [{ nodes, state: 'same' }] };
  await corpus.api.call('POST', `/api/v1/graphs/${id}/pairs`, { user: alice, body });
  expect([(await parties(id, alice)).length, (await parties(id, bob)).length]).toEqual([1, 1]);
});
