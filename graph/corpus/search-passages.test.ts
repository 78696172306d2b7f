import type { Contribution } from '../../model/graph/facts';
import { buildGraph } from '../build/build';
import { templateFrom } from '../index';
import { buildContribution } from './contribution';
import { createMemoryView } from './memory-view';
import { searchPassages } from './search-passages';

const classes = {
  Order: {
    graph_id_fields: ['number'],
    fields: { number: { type: 'str' }, buyer: { model: 'Company', edge_label: 'ORDERED_BY' } },
  },
  Company: { graph_id_fields: ['name'], fields: { name: { type: 'str' } } },
};

function createView(orders: readonly { number: string; buyer?: string }[]) {
  const facts: Contribution = { nodes: [], edges: [] };
  for (const [index, { number, buyer }] of orders.entries()) {
    const template = templateFrom({ root: 'Order', classes });
    const values = { number, ...(buyer === undefined ? {} : { buyer: { name: buyer } }) };
    const documentId = `d${index}`;
    const { nodes, edges } = buildContribution(buildGraph(template, [values]), { template, documentId });
    const passages = [{ chunk: 0, text: number }];
    facts.nodes.push(...nodes.map((node) => ({ ...node, passages })));
    facts.edges.push(...edges.map((edge) => ({ ...edge, passages })));
  }
  return createMemoryView(facts);
}

const find = async (view: ReturnType<typeof createView>, question: string) =>
  (await searchPassages(view, question, 3)).passages.map(({ text }) => text);

describe('compound identifiers', () => {
  const years = [2022, 2023, 2024];
  const view = createView([
    ...years.flatMap((year) => ['001', '002', '024'].map((part) => ({ number: `INV-${year}-${part}` }))),
    ...[1, 2, 10, 11].map((part) => ({ number: `PO-${part}` })),
    { number: 'INV-001-2024' },
  ]);

  test.each([
    ['What is in INV-2024-001?', 'INV-2024-001'],
    ['what is in inv/2024/001', 'INV-2024-001'],
    ['Is INV 2024-001 paid?', 'INV-2024-001'],
    ['Who placed PO-1?', 'PO-1'],
    ['who placed po 11', 'PO-11'],
    ['PO1', 'PO-1'],
  ])('%s names one number', async (question, number) => {
    expect(await find(view, question)).toEqual([number]);
  });

  test('a number that is not in the graph is looked for by its parts', async () => {
    expect((await find(view, 'Rechnung 2024-001')).toSorted()).toEqual(['INV-001-2024', 'INV-2024-001']);
  });

  test('are found among more nodes than one part may have', async () => {
    const many = createView(Array.from({ length: 300 }, (_, index) => ({ number: `PO-${index}` })));
    expect(await find(many, 'Who placed PO-7?')).toEqual(['PO-7']);
  });
});

test('a question that names a thing in full is about it, not about things with longer or shorter names', async () => {
  const view = createView([
    { number: 'a', buyer: 'Amber Works' },
    { number: 'b', buyer: 'Amber Works 2' },
    { number: 'c', buyer: 'Amber Works 23 Leith' },
    { number: 'd', buyer: 'Amber Foods' },
  ]);
  expect(await find(view, 'What did Amber Works buy?')).toEqual(['a']);
  expect(await find(view, 'What did Amber Works 2 buy?')).toEqual(['b']);
  expect((await find(view, 'What did Amber buy?')).length).toBe(3);
});
