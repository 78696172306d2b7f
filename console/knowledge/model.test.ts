import { nearest, listPassages, readGraph } from './model';

const data = {
  nodes: [
    { id: 'o1', label: 'Order', type: 'entity', __class__: 'Order', number: 'PO-1', total: 12.5, note: null },
    { id: 1, label: 'Party', name: 'Harbour Board', address: { city: 'Kiel' }, __provenance__: { chunks: [0] } },
    { id: '1', label: 'Party', name: 'Wharf <b>Ltd</b>' },
  ],
  edges: [
    { source: 'o1', target: 1, label: 'ORDERED_BY' },
    { source: 'o1', target: 'nowhere', label: 'LOST' },
  ],
};
const ledger = {
  chunks: { 0: { text: '🧾 Order number: PO-1 of the Harbour &amp; Quay &lt;Ltd&gt;' } },
  nodes: {
    'a|number=PO-1': {
      node_type: 'Order',
      ids: { number: 'PO-1' },
      values: [
        { field: 'number', chunk_id: 0, page: 3, span: [16, 20] },
        { field: 'number', chunk_id: 0, page: 3, span: [16, 20] },
        { field: 'number', chunk_id: 9, page: 3, span: [0, 2] },
      ],
    },
    other: { node_type: 'Order', ids: { number: 'PO-2' }, values: [{ field: 'x', chunk_id: 0, span: [0, 1] }] },
    whole: { node_type: 'Order', ids: {}, values: [{ field: 'x', chunk_id: 0, span: [0, 1] }] },
  },
};

test('a graph is read with titles and types, without data about its file; 1 and "1" are two nodes', () => {
  const { nodes, edges, types } = readGraph(data);
  expect(nodes.map(({ title }) => title)).toEqual(['PO-1', 'Harbour Board', 'Wharf <b>Ltd</b>']);
  expect(nodes[0]?.attributes).toEqual([
    ['number', 'PO-1'],
    ['total', 12.5],
  ]);
  expect(nodes[1]?.id).not.toBe(nodes[2]?.id);
  expect(edges).toEqual([{ source: nodes[0]?.id, target: nodes[1]?.id, label: 'ORDERED_BY' }]);
  expect(types).toEqual(['Party', 'Order']);
});

test.each([[null], ['text'], [[]], [{ nodes: 1, edges: {} }], [{ nodes: [null, 3], edges: [null] }]])(
  '%j is read without an error',
  (value) => {
    expect(() => readGraph(value)).not.toThrow();
  },
);

test('each passage of the node is returned once, cut at code points', () => {
  const [order] = readGraph(data).nodes;
  expect(listPassages(order!, ledger)).toEqual([
    { field: 'number', before: '🧾 Order number: ', said: 'PO-1', after: ' of the Harbour & Quay <Ltd>', page: 3 },
  ]);
  expect(listPassages(order!, undefined)).toEqual([]);
  expect(listPassages(order!, { nodes: { a: { node_type: 'Order', ids: { number: 'PO-1' }, values: 1 } } })).toEqual(
    [],
  );
});

test('a large graph is limited to the nodes near one, or taken from several parts', () => {
  const nodes = Array.from({ length: 100 }, (_, index) => ({ id: index, label: 'N', name: `n${index}` }));
  const edges = Array.from({ length: 98 }, (_, index) => ({ source: index, target: index + 1, label: 'NEXT' }));
  const graph = readGraph({ nodes, edges });
  expect([...nearest(graph, '50', 5)].toSorted()).toEqual(['48', '49', '50', '51', '52']);
  expect(nearest(graph, undefined, 100).size).toBe(100);
  expect(nearest(graph, undefined, 60).size).toBe(60);
  expect(nearest(graph, '99', 60)).toEqual(new Set(['99']));
});
