import { addEdge, addNode, createGraph } from '../core/knowledge-graph';
import { floatValue, TypedValue } from '../core/value';
import { databaseRows } from './database-rows';

test('rows for a database keep integers and lists of one type; other structures are JSON text', () => {
  const graph = createGraph();
  addNode(graph, 'a', {
    id: 'a',
    label: 'A',
    whole: 5,
    large: 2n ** 70n,
    float: floatValue(2),
    decimal: new TypedValue('decimal', '1234.50'),
    nan: Number.NaN,
    day: new TypedValue('date', '2024-01-31'),
    none: null,
    list: [1, 2],
    mixed: [1, floatValue(2.5)],
    texts: ['a', 'b'],
    odd: [1, 'a'],
    object: { a: 1 },
  });
  addNode(graph, true, {});
  addEdge(graph, { source: 'a', target: true, attributes: { label: 'L', since: 1990 } });
  expect(databaseRows(graph)).toEqual({
    nodes: [
      {
        label: 'A',
        id: 'a',
        properties: {
          whole: 5n,
          large: '1180591620717411303424',
          float: 2,
          decimal: 1234.5,
          nan: 'nan',
          day: '2024-01-31',
          list: [1n, 2n],
          mixed: [1, 2.5],
          texts: ['a', 'b'],
          odd: '[1, "a"]',
          object: '{"a": 1}',
        },
      },
      { label: 'Node', id: 'True', properties: {} },
    ],
    edges: [
      {
        type: 'L',
        source: { label: 'A', id: 'a' },
        target: { label: 'Node', id: 'True' },
        properties: { since: 1990n },
      },
    ],
  });
});
