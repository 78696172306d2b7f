import { Readable } from 'node:stream';
import { buildGraph } from '../build/build';
import { ConfigurationError, ValueError } from '../core/errors';
import { addEdge, addNode, createGraph, type KnowledgeGraph } from '../core/knowledge-graph';
import { invoice, invoiceTemplate } from '../template/test-support';
import { writeEdgesCsv, writeNodesCsv } from '../write/csv';
import { writeCypher } from '../write/cypher';
import { databaseRows, databaseRowsOfStream } from '../write/database-rows';
import { graphHtml, sampleHtml } from '../write/html';
import { writeJson } from '../write/json';
import { graphFromJson } from '../write/read-json';
import { describeStream } from './describe-stream';
import { streamOfFile, streamOfGraph } from './graph-stream';
import { sampleGraph, sampleStream } from './sample';
import { streamCypher, streamEdgesCsv, streamJson, streamNodesCsv } from './write';

/** A file in pieces of a few bytes, so that every cut occurs. */
const getFile = (text: string, size = 7) =>
  streamOfFile(() => {
    const bytes = Buffer.from(text);
    const pieces: Uint8Array[] = [];
    for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size));
    return Readable.from(pieces);
  }, 'graph.json');

async function joined(pieces: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const piece of pieces) text += piece;
  return text;
}

async function listed<T>(items: AsyncIterable<T> | Iterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

const odd = createGraph();
addNode(odd, 'a"}]{[\\', {
  label: 'Ö, "x"',
  text: '🙂 \\" }] {"id": 1}',
  nested: { list: [{ deep: ['}'] }] },
  none: null,
});
addNode(odd, 1, { label: 'N', big: 2n ** 70n });
addEdge(odd, { source: 1, target: 'a"}]{[\\', attributes: { label: 'R', since: 1990, type: 'kind' } });
odd.attributes = { format: 'v2', nodes: [{ not: 'a node' }], map: { edges: {} } };
const lonely = createGraph();
addNode(lonely, 'x', { label: 'N' });
lonely.attributes = { format: 'v2' };

describe.each([
  ['an invoice', buildGraph(invoiceTemplate, [invoice])],
  ['odd texts', odd],
  ['no edges', lonely],
])('the stream of a graph with %s', (_name, graph: KnowledgeGraph) => {
  const text = [...writeJson(graph)].join('');
  const read = graphFromJson(text, 'graph.json');

  test.each([1, 7, 100_000])('in pieces of %d bytes has the nodes and edges of the file', async (size) => {
    const stream = getFile(text, size);
    expect(new Map(await listed(stream.nodes()))).toEqual(read.nodes);
    expect(await listed(stream.edges())).toEqual([...read.edges.values()]);
    expect(await stream.attributes()).toEqual(read.attributes);
  });

  test('is written byte for byte like the graph in memory', async () => {
    expect(await joined(streamJson(streamOfGraph(graph)))).toBe(text);
    const stream = getFile(text);
    expect(await joined(streamJson(stream))).toBe([...writeJson(read)].join(''));
    expect(await joined(streamNodesCsv(stream))).toBe([...writeNodesCsv(read)].join(''));
    expect(await joined(streamEdgesCsv(stream))).toBe([...writeEdgesCsv(read)].join(''));
    for (const style of ['create', 'merge'] as const)
      expect(await joined(streamCypher(stream, style))).toBe([...writeCypher(read, { style })].join(''));
  });

  test('gives a database the same rows', async () => {
    const rows = databaseRowsOfStream(getFile(text));
    expect({ nodes: await listed(rows.nodes), edges: await listed(rows.edges) }).toEqual(databaseRows(read));
  });
});

test('an export with duplicate nodes and missing ends is described', async () => {
  const nodes = [{ id: 'a', label: 'A' }, { id: 'a', label: 'A' }, { id: 'b' }];
  const edges = [{ source: 'a', target: 'gone', label: 'R' }];
  expect(await describeStream(getFile(JSON.stringify({ edges, nodes })))).toEqual({
    node_count: 2,
    edge_count: 1,
    node_types: { A: 1, Node: 1 },
    edge_types: { R: 1 },
    isolated_nodes: 1,
    problems: ['the edge R points to the missing node gone'],
  });
});

test.each([
  ['no object', '[]'],
  ['text', 'nodes'],
  ['a truncated file', '{"nodes": [{"id": 1}'],
  ['two objects', '{"nodes": [], "edges": []} {}'],
  ['brackets that do not match', '{"nodes": []}]'],
  ['no edges', '{"nodes": [{"id": 1}]}'],
  ['nodes that are not a list', '{"nodes": {"id": 1}, "edges": []}'],
  ['nodes that are numbers', '{"nodes": [1], "edges": []}'],
  ['a node without an id', '{"nodes": [{"label": "A"}], "edges": []}'],
  ['a node that is not JSON', '{"nodes": [{"id": }], "edges": []}'],
])('%s is a ConfigurationError', async (_name, text) => {
  const stream = getFile(text, 3);
  const read = async () => [await listed(stream.nodes()), await listed(stream.edges())];
  await expect(read()).rejects.toThrow(ConfigurationError);
});

test('bytes that are not UTF-8 are a ConfigurationError', async () => {
  const stream = streamOfFile(() => Readable.from([Buffer.from([0x7b, 0xff, 0x7d])]), 'graph.json');
  await expect(listed(stream.nodes())).rejects.toThrow('Cannot read graph export: graph.json');
});

test('an empty graph cannot be written', async () => {
  const empty = getFile('{"nodes": [], "edges": []}');
  await expect(joined(streamJson(empty))).rejects.toThrow(ValueError);
  await expect(joined(streamCypher(empty))).rejects.toThrow(ValueError);
});

describe('a sample', () => {
  const graph = createGraph();
  for (let index = 0; index < 3_000; index++) addNode(graph, `n${index}`, { label: 'N', index });
  for (let index = 1; index < 400; index++) {
    addEdge(graph, { source: 'n2999', target: `n${index * 7}`, attributes: { label: 'R' } });
    addEdge(graph, { source: `n${index}`, target: `n${index + 1}`, attributes: { label: 'NEXT' } });
  }

  test('has the nodes with most relations, their neighbours, and no edge to a node that is not in it', () => {
    const { graph: sample, nodes, edges } = sampleGraph(graph, 100);
    expect([sample.nodes.size, nodes, edges]).toEqual([100, 3_000, 798]);
    expect(sample.nodes.has('n2999')).toBe(true);
    expect(sample.edges.size).toBeGreaterThan(50);
    for (const { source, target } of sample.edges.values())
      expect([sample.nodes.has(source), sample.nodes.has(target)]).toEqual([true, true]);
  });

  test('of a stream is the same, and a small graph is returned whole', async () => {
    const { graph: sample } = await sampleStream(streamOfGraph(graph), 100);
    const other = sampleGraph(graph, 100).graph;
    expect([new Set(sample.nodes.keys()), new Set(sample.edges.keys())]).toEqual([
      new Set(other.nodes.keys()),
      new Set(other.edges.keys()),
    ]);
    expect((await sampleStream(streamOfGraph(lonely), 100)).graph.nodes).toEqual(lonely.nodes);
  });

  test('is shown on the page of a large graph, with the counts of the whole graph', () => {
    expect(graphHtml(graph)).toContain('3000 nodes, 798 edges. Shown: the best connected 2000, with');
    expect(sampleHtml({ graph: lonely, nodes: 1, edges: 0 })).toContain('1 nodes, 0 edges</h1>');
  });
});
