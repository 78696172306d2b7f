import * as fc from 'fast-check';
import type { Contribution } from '../../model/graph/facts';
import { chunksOf, type LanguageModel, runPipeline, templateFrom, writeJson } from '../index';
import { validateOptions } from '../pipeline-options';
import { findNodes, countGraph, findNeighbours, findShortestPaths, readWholeGraph } from './ask';
import { buildContribution } from './contribution';
import { estimateExtraction } from './estimate';
import { createMemoryView } from './memory-view';

const template = templateFrom({
  root: 'Order',
  classes: {
    Order: {
      graph_id_fields: ['number'],
      fields: {
        number: { type: 'str', description: 'Order number' },
        total: { type: 'decimal' },
        buyer: { model: 'Party', edge_label: 'ORDERED_BY' },
        lines: { model: 'Line', is_list: true, edge_label: 'CONTAINS' },
      },
    },
    Party: { graph_id_fields: ['name'], fields: { name: { type: 'str' }, city: { type: 'str' } } },
    Line: {
      graph_id_fields: ['position'],
      graph_scope: 'document',
      fields: { position: { type: 'int' }, article: { type: 'str' } },
    },
  },
});

interface Order {
  number: string;
  buyer: string;
  city: string;
  articles: string[];
}
const getText = ({ number, buyer, city, articles }: Order) =>
  `# Order\n\nOrder number: ${number}\n\n## Buyer\n\nName: ${buyer}\nCity: ${city}\n\n| Position | Article |\n|---|---|\n${articles.map((article, at) => `| ${at + 1} | ${article} |\n`).join('')}`;

async function read(documentId: string, order: Order): Promise<Contribution> {
  const options = { backend: 'rules', provenance: 'detailed' } as const;
  const { graph, provenance } = await runPipeline({ source: getText(order), template, options });
  return buildContribution(graph, { ledger: provenance, template, documentId });
}
const toView = (contributions: Iterable<Contribution>) => {
  const all = [...contributions];
  return createMemoryView({ nodes: all.flatMap(({ nodes }) => nodes), edges: all.flatMap(({ edges }) => edges) });
};
const exported = async (contributions: Iterable<Contribution>) => {
  const graph = await readWholeGraph(toView(contributions), 1_000);
  return graph && graph.nodes.size > 0 ? [...writeJson(graph)].join('') : '';
};

const orders: Record<string, Order> = {
  d1: { number: 'PO-1', buyer: 'Harbour Board', city: 'Leith', articles: ['Rope', 'Oil'] },
  d2: { number: 'PO-2', buyer: 'harbour board', city: 'London', articles: ['Rope'] },
  d3: { number: 'PO-3', buyer: 'Wharf Ltd', city: 'Hull', articles: ['Tar'] },
  d4: { number: 'PO-1', buyer: 'Wharf Ltd', city: 'Hull', articles: [] },
};
const facts = new Map<string, Contribution>();
beforeAll(async () => {
  for (const [id, order] of Object.entries(orders)) facts.set(id, await read(id, order));
});
const only = (...ids: string[]) => ids.flatMap((id) => facts.get(id) ?? []);

test('adding and removing documents in any order gives the same graph as building it from scratch', async () => {
  const ids = Object.keys(orders);
  const step = fc.record({ id: fc.constantFrom(...ids), isAdded: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
      const current = new Map<string, Contribution>();
      for (const { id, isAdded } of steps)
        if (isAdded) current.set(id, facts.get(id) as Contribution);
        else current.delete(id);
      const scratch = ids.filter((id) => current.has(id));
      expect(await exported(current.values())).toBe(await exported(only(...scratch)));
    }),
    { numRuns: 60 },
  );
});

test('a node lists its documents with their passages, and every value that contradicts the one shown', async () => {
  const { nodes } = await findNodes(toView(only('d1', 'd2')), { label: 'Party' }, { after: '', limit: 10 });
  expect(nodes).toMatchObject([
    {
      label: 'Party',
      properties: { name: 'Harbour Board', city: 'Leith' },
      support: [
        { document_id: 'd1', passages: [{ text: expect.stringContaining('Harbour Board') }] },
        { document_id: 'd2', passages: [{ text: expect.stringContaining('harbour board') }] },
      ],
      others: [
        { property: 'name', value: 'harbour board', documents: ['d2'] },
        { property: 'city', value: 'London', documents: ['d2'] },
      ],
    },
  ]);
});

test('a reader of one document sees the graph of that document only', async () => {
  expect(await exported(only('d2'))).not.toMatch(/Leith|PO-1|d1/);
  expect(await countGraph(toView(only('d2')))).toMatchObject({ nodes: 3, edges: 2 });
  expect(await countGraph(toView(only('d1', 'd2')))).toMatchObject({
    node_types: { Order: 2, Party: 1, Line: 3 },
    edge_types: { ORDERED_BY: 2, CONTAINS: 3 },
  });
});

test('nodes are found by class, property, value and text, page by page', async () => {
  const view = toView(only('d1', 'd2', 'd3'));
  const found = async (query: object, limit = 10) => {
    const { nodes, next } = await findNodes(view, query, { after: '', limit });
    return [nodes.map(({ properties }) => properties['name'] ?? properties['number'] ?? properties['article']), next];
  };
  expect(await found({ label: 'Order', property: 'number', value: 'po-2' })).toEqual([['PO-2'], null]);
  // A node matches if any document matches.
  expect(await found({ property: 'city', value: 'LONDON' })).toEqual([['Harbour Board'], null]);
  expect(await found({ text: 'WHARF' })).toEqual([['Wharf Ltd'], null]);
  expect(await found({ property: 'vat' })).toEqual([[], null]);
  const [first, next] = await found({ label: 'Line' }, 3);
  expect([(first as unknown[]).length, typeof next]).toEqual([3, 'string']);
  const rest = await findNodes(view, { label: 'Line' }, { after: next as string, limit: 3 });
  expect([rest.nodes.length, rest.next]).toEqual([1, null]);
});

test('neighbours and paths follow relations both ways and stop at their limits', async () => {
  const view = toView(only('d1', 'd2', 'd3', 'd4'));
  const getId = async (text: string) => (await findNodes(view, { text }, { after: '', limit: 1 })).nodes[0]?.id ?? '';
  const [board, tar, second] = [await getId('harbour'), await getId('tar'), await getId('po-2')];
  const around = await findNeighbours(view, board, { direction: 'in', limit: 1 });
  expect(around).toMatchObject({ isCut: true, neighbours: [{ label: 'ORDERED_BY', direction: 'in' }] });
  // Board, PO-1 (owned by the wharf in the fourth document), the wharf, PO-3, its line.
  const found = await findShortestPaths(view, { from: board, to: tar }, { maxLength: 6, limit: 5 });
  const labels = found?.paths.map(({ nodes }) => nodes.map(({ label }) => label).join(' '));
  expect(labels).toEqual(['Party Order Party Order Line']);
  expect(found?.paths[0]?.edges).toHaveLength(4);
  expect(await findShortestPaths(view, { from: board, to: tar }, { maxLength: 3, limit: 5 })).toMatchObject({
    paths: [],
  });
  expect(
    await findShortestPaths(toView(only('d2')), { from: board, to: tar }, { maxLength: 6, limit: 5 }),
  ).toBeUndefined();
  expect(await findNeighbours(toView(only('d3')), second, { direction: 'both', limit: 5 })).toBeUndefined();
});

describe('the estimate', () => {
  const answer = { number: 'PO-9', buyer: { name: 'Board' } };
  const counted = async (text: string, given: object) => {
    let calls = 0;
    const model: LanguageModel = {
      hasStructuredOutput: true,
      ask: async () => {
        calls += 1;
        return { text: JSON.stringify(answer) };
      },
    };
    const options = { extraction_contract: 'direct', structured_sparse_check: false, ...given };
    await runPipeline({ source: text, template, model, options });
    const estimate = estimateExtraction(text, template, validateOptions(options, { template, model }));
    return { calls, estimate };
  };
  const long = Array.from({ length: 40 }, (_, at) => `Paragraph ${at} is about order PO-9 of the board.`).join('\n\n');

  test.each([
    ['a short text', 'Order number: PO-9', {}],
    ['without a second question', 'Order number: PO-9', { gleaning_enabled: false }],
    ['chunk by chunk', long, { context_limit: 4_200, chunk_max_tokens: 64 }],
    ['page by page', long, { processing_mode: 'one-to-one' }],
  ])('counts the requests of %s', async (_name, text, options) => {
    const { calls, estimate } = await counted(text, options);
    expect(estimate.modelCalls).toBe(calls);
    expect(estimate.inputTokens).toBeGreaterThan(text.length / 4);
  });

  test('rules send no requests, and chunks are counted', () => {
    const options = validateOptions({ backend: 'rules', chunk_max_tokens: 64 }, { template });
    const chunks = chunksOf(long, { maxTokens: 64 }).length;
    expect(estimateExtraction(long, template, options)).toEqual({ chunks, modelCalls: 0, inputTokens: 0 });
  });
});
