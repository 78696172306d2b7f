import { type Client, createConversionClient, type GraphReply } from '../../client';
import { graphFromJson } from '../../graph';
import { documentsIn, indexing, loggedIn, reading, runToEnd } from '../support/system/over-http';
import { createSystem, type System } from '../support/system/system';

let system: System;
let address: string;
beforeAll(async () => {
  system = createSystem();
  [address] = await Promise.all([system.startApi(), system.startWorker()]);
});
afterAll(() => system.stop());

const template = `
title: Order
type: object
x-graph-id-fields: [number]
properties:
  number: { type: string, description: Order number }
  buyer: { $ref: '#/$defs/Party', x-edge-label: ORDERED_BY }
$defs:
  Party: { title: Party, type: object, x-graph-id-fields: [name], properties: { name: { type: string } } }
`;
const order = `# Order\n\nOrder number: PO-1\n\n${'Terms are those of the last order, in full. '.repeat(40)}\n\nBuyer: Harbour Board\n`;

const login = async (username: string) => (await loggedIn(address, username)).client;
const getText = async (pieces: AsyncIterable<Uint8Array>) => {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all).toString();
};
const getNames = async (client: Client, graph: GraphReply) => {
  const { nodes } = graphFromJson(await getText(client.graphs.result(graph.id)), 'graph.json');
  return [...nodes.values()].map((node) => (node['name'] ?? node['number']) as string).toSorted();
};

test('an indexed document with chunks becomes one graph, for those who may read it', async () => {
  const folder = documentsIn(system, 'orders', { 'order.md': order }, { allowed_users: ['alice'] });
  const alice = await login('alice');
  const { flow_id } = await alice.flows.create({
    flow_name: `graphs-${system.env['DOCLOOM_TASK_QUEUE']}`,
    flow: [
      ...reading(folder),
      ...indexing(system, 'graphs', { chunk_type: 'simple', chunk_size: 300, chunk_overlap: 60 }),
    ],
  });
  expect((await runToEnd(alice, flow_id)).status).toBe('COMPLETED');
  const { documents, total } = await alice.documents.search({ query: 'order' });
  expect(total).toBeGreaterThan(3);
  const document_id = String(documents[0]?.metadata['document_id']);

  const asked = await alice.graphs.create({ document_id, template, options: { formats: ['cypher'] } });
  const graph = await alice.graphs.finished(asked.id);
  expect(graph).toMatchObject({ state: 'COMPLETED', nodes: 2, edges: 1, error: null });
  expect(await getNames(alice, graph)).toEqual(['Harbour Board', 'PO-1']);
  expect(await getText(alice.graphs.result(graph.id, 'cypher'))).toContain('ORDERED_BY');
  expect(await getText(alice.graphs.file(graph.id, 'provenance.json'))).toContain('bind_stats');
  expect((await getText(alice.graphs.result(graph.id, 'zip'))).slice(0, 2)).toBe('PK');

  const bob = await login('bob');
  await expect(bob.graphs.create({ document_id, template })).rejects.toMatchObject({ code: 'DOCUMENT_NOT_FOUND' });
  await expect(bob.graphs.get(graph.id)).rejects.toMatchObject({ code: 'GRAPH_NOT_FOUND' });
  expect((await alice.graphs.list({ state: 'COMPLETED' })).items.map(({ id }) => id)).toEqual([graph.id]);
  await alice.graphs.remove(graph.id);
  await expect(alice.graphs.get(graph.id)).rejects.toMatchObject({ code: 'GRAPH_NOT_FOUND' });
});

test('a document that /v1 has converted becomes a graph with its pages as evidence, for its tenant', async () => {
  const blue = createConversionClient({ baseUrl: address, tenant: 'blue' });
  const { task_id } = await blue.submit({
    files: [{ name: 'order.html', content: `<h1>Order</h1><p>Order number: PO-2</p><p>Buyer: Wharf Ltd</p>` }],
    options: { to_formats: ['json'] },
  });
  await blue.finished(task_id);
  const alice = await login('alice');
  await expect(alice.graphs.create({ task_id, template })).rejects.toMatchObject({ code: 'CONVERSION_TASK_NOT_FOUND' });
  const asked = await alice.graphs.create({ task_id, template }, { tenant: 'blue', idempotencyKey: 'order-2' });
  expect(asked.source).toEqual({ name: 'order.html', task_id, document_index: 0 });
  const again = await alice.graphs.create({ task_id, template }, { tenant: 'blue', idempotencyKey: 'order-2' });
  expect(again.id).toBe(asked.id);
  const graph = await alice.graphs.finished(asked.id);
  expect(await getNames(alice, graph)).toEqual(['PO-2', 'Wharf Ltd']);
  expect(graph.files.map(({ name }) => name)).toEqual([
    'graph.json',
    'nodes.csv',
    'edges.csv',
    'graph.cypher',
    'graph.merge.cypher',
    'report.md',
    'graph.html',
    'provenance.json',
    'models.json',
    'stats.json',
  ]);
});
