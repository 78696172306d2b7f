import { buildGraph } from '../build/build';
import { ConfigurationError, ValueError } from '../core/errors';
import { addEdge, addNode, createGraph, edgesOf, type KnowledgeGraph } from '../core/knowledge-graph';
import { graphProblems } from '../core/validate';
import { type Attributes, TypedValue } from '../core/value';
import { runPipeline } from '../pipeline';
import { templateFrom } from '../template/template';
import { invoiceTemplate } from '../template/test-support';
import { writeEdgesCsv, writeNodesCsv } from './csv';
import { writeCypher } from './cypher';
import { writeJson } from './json';
import { writeJsonLd, writeTurtle } from './rdf';
import { graphFromJson, graphFromObject } from './read-json';
import { writeGexf, writeGraphml } from './xml';

const text = (pieces: Iterable<string>) => [...pieces].join('');
const writers: [string, (graph: KnowledgeGraph) => string][] = [
  ['JSON', (graph) => text(writeJson(graph))],
  ['JSON of the peer', (graph) => text(writeJson(graph, { profile: 'peer' }))],
  ['nodes as CSV', (graph) => text(writeNodesCsv(graph))],
  ['edges as CSV', (graph) => text(writeEdgesCsv(graph))],
  ['CSV of the peer', (graph) => text(writeNodesCsv(graph, { profile: 'peer' }))],
  ['Cypher', (graph) => text(writeCypher(graph))],
  ['Cypher of the peer', (graph) => text(writeCypher(graph, { profile: 'peer' }))],
  ['GraphML', (graph) => text(writeGraphml(graph))],
  ['GEXF', (graph) => text(writeGexf(graph))],
  ['Turtle', (graph) => text(writeTurtle(graph))],
  ['JSON-LD', (graph) => text(writeJsonLd(graph))],
];
function one(attributes: Attributes): KnowledgeGraph {
  const graph = createGraph();
  addNode(graph, 'n', { id: 'n', label: 'T', ...attributes });
  return graph;
}

describe('an empty graph', () => {
  test.each(writers)('is a ValueError as %s', (_name, write) => {
    expect(() => write(createGraph())).toThrow(ValueError);
  });
});

describe('an edge to a missing node', () => {
  test('is rejected when read, and reported when checked', () => {
    const edges = [{ source: 'a', target: 'b', label: 'L' }];
    expect(() => graphFromObject({ nodes: [{ id: 'a' }], edges })).toThrow(ConfigurationError);
    const graph = one({});
    addEdge(graph, { source: 'n', target: 'gone', attributes: { label: 'L' } });
    expect(graphProblems(graph)).toEqual(['the edge L points to the missing node gone']);
  });
});

describe('ids', () => {
  test('that occur twice are one node, with the later values', () => {
    const nodes = [
      { id: 'a', x: 1, y: 1 },
      { id: 'a', x: 2 },
    ];
    const graph = graphFromObject({ nodes, edges: [] });
    expect([...graph.nodes.values()]).toEqual([{ id: 'a', x: 2, y: 1 }]);
  });

  test('that are numbers are separate nodes from equal texts, and stay numbers', () => {
    const graph = graphFromJson(
      '{"nodes": [{"id": 1}, {"id": "1"}, {"id": 2.5}], "edges": [{"source": 1, "target": 2.5}]}',
      'g',
    );
    expect([...graph.nodes.keys()]).toEqual([1, '1', 2.5]);
    const again = graphFromJson(text(writeJson(graph)), 'g');
    expect(edgesOf(again)).toMatchObject([{ source: 1, target: 2.5 }]);
  });

  test('in the peer, as in Python, 1 and true are one', () => {
    const read = (profile: 'spec' | 'peer') =>
      graphFromObject({ nodes: [{ id: 1 }, { id: true }], edges: [] }, { profile }).nodes.size;
    expect([read('spec'), read('peer')]).toEqual([2, 1]);
  });
});

describe('attributes called id, label, type or source', () => {
  test.each(writers)('are kept as %s', (_name, write) => {
    const graph = one({ source: 's', target: 't', type: 'odd' });
    addNode(graph, 'm', { label: 'T' });
    addEdge(graph, { source: 'n', target: 'm', attributes: { label: 'L', source: 'x', id: 'y', type: 'z' } });
    expect(write(graph).length).toBeGreaterThan(20);
  });

  test('of a template get a different name', () => {
    const template = templateFrom({
      root: 'R',
      classes: {
        R: { graph_id_fields: ['id'], fields: { id: { type: 'str' }, label: { type: 'str' }, child: { model: 'R' } } },
      },
    });
    const graph = buildGraph(template, [{ id: 'a', label: 'x', child: { id: 'b' } }] as never);
    const again = graphFromJson(text(writeJson(graph)), 'g');
    expect([...again.nodes.values()]).toMatchObject([{ id_: 'b' }, { id_: 'a', label: 'R', label_: 'x' }]);
    expect(edgesOf(again)).toHaveLength(1);
  });
});

describe('values that JSON cannot express', () => {
  const odd = one({
    day: new TypedValue('date', '2024-01-31'),
    decimal: new TypedValue('decimal', '12345678901234567890.10'),
    big: 2n ** 64n,
    nan: Number.NaN,
    infinite: Number.NEGATIVE_INFINITY,
  });

  addEdge(odd, {
    source: 'n',
    target: 'n',
    attributes: { label: 'L', day: new TypedValue('date', '2024-01-31'), big: 2n ** 64n },
  });

  test.each(writers)('are written as %s', (_name, write) => {
    expect(write(odd)).toContain('2024-01-31');
    expect(write(odd)).toContain('18446744073709551616');
  });

  test('make valid JSON, with all digits of integers', () => {
    const json = text(writeJson(odd));
    expect(() => JSON.parse(json) as unknown).not.toThrow();
    expect(graphFromJson(json, 'g').nodes.get('n')).toMatchObject({ big: 2n ** 64n, nan: null, day: '2024-01-31' });
  });
});

describe('cycles', () => {
  const person = templateFrom({
    root: 'Person',
    classes: { Person: { graph_id_fields: ['name'], fields: { name: { type: 'str' }, knows: { model: 'Person' } } } },
  });

  test('of a template are not cycles of instances', () => {
    const graph = buildGraph(person, [{ name: 'a', knows: { name: 'b', knows: { name: 'a' } } }] as never);
    expect([graph.nodes.size, graph.edges.size]).toEqual([2, 2]);
  });

  test('of an instance are a ValueError, as is endless nesting', () => {
    const own: Attributes = { name: 'a' };
    own['knows'] = own;
    expect(() => buildGraph(person, [own])).toThrow(ValueError);
    let deep: Attributes = { name: 'x' };
    for (let level = 0; level < 5000; level++) deep = { name: `${level}`, knows: deep };
    expect(() => buildGraph(person, [deep])).toThrow(ValueError);
  });
});

describe('a model that answers', () => {
  const ask = async (...answers: string[]) => {
    let count = 0;
    const model = { ask: () => Promise.resolve({ text: answers[Math.min(count++, answers.length - 1)] ?? '' }) };
    return runPipeline({
      source: 'Invoice number: 1',
      template: invoiceTemplate,
      model,
      options: { gleaning_enabled: false, extraction_contract: 'direct' },
    });
  };

  test.each([
    ['prose', 'I cannot help with that.'],
    ['invalid JSON', '{number: 1}'],
    ['nothing', ''],
    ['a list', '[1]'],
    ['invented fields only', '{"colour": "red"}'],
  ])('%s gives no graph but an ExtractionError with its reason', async (_case, answer) => {
    await expect(ask(answer)).rejects.toMatchObject({
      name: 'ExtractionError',
      details: { reason: 'no_models_extracted' },
    });
  });

  test('truncated JSON keeps complete members', async () => {
    const { pydantic_model } = await ask(
      '{"number": "1", "seller": {"name": "Acme"}, "lines": [{"position": 1, "descr',
    );
    expect(pydantic_model).toMatchObject({ number: '1', seller: { name: 'Acme' } });
  });

  test('invented fields besides real ones loses them, with a note', async () => {
    const { pydantic_model, problems } = await ask('{"number": "1", "colour": "red"}');
    expect(pydantic_model).toEqual({ number: '1' });
    expect(problems.join()).toContain('colour');
  });
});
