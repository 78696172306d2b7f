import { parse as parseCsv } from 'csv-parse/sync';
import { buildGraph } from '../build/build';
import { invoice, invoiceTemplate } from '../template/test-support';
import { writeEdgesCsv, writeNodesCsv } from '../write/csv';
import { writeCypher } from '../write/cypher';
import { serializeGraph, writeJson } from '../write/json';
import { graphFromJson, graphFromObject, refuseLossyExport } from '../write/read-json';
import { graphReport } from '../write/report';
import { ConfigurationError, ValueError } from './errors';
import { parseJsonText } from './json-text';
import { addEdge, addNode, createGraph, edgesOf, type KnowledgeGraph } from './knowledge-graph';
import { graphStatistics } from './statistics';
import { graphProblems } from './validate';
import { type Attributes, floatValue, TypedValue } from './value';

const graph = buildGraph(invoiceTemplate, [invoice]);
const text = (pieces: Iterable<string>) => [...pieces].join('');

function thrownBy(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  return undefined;
}

function one(attributes: Attributes, label = 'T'): KnowledgeGraph {
  const small = createGraph();
  addNode(small, 'n', { id: 'n', label, ...attributes });
  return small;
}

describe('graph.json', () => {
  test('has nodes, edges, counts and the identity contract, and format v2', () => {
    const data = JSON.parse(text(writeJson(graph))) as Record<string, unknown>;
    expect(Object.keys(data)).toEqual(['nodes', 'edges', 'metadata', 'graph']);
    expect(data['metadata']).toEqual({ node_count: 5, edge_count: 4 });
    expect(data['graph']).toMatchObject({ format: 'v2', template_name: 'Invoice' });
    expect(parseJsonText(text(writeJson(graph, { profile: 'peer' })))).toMatchObject({
      graph: { format: 'docling-graph/v2' },
    });
  });

  test('a round trip keeps the graph, with floats, big integers and parallel relations', () => {
    const parallel = one({ big: 2n ** 70n, float: floatValue(2), list: [1, floatValue(-0)], text: 'a\u0000"\\' });
    addNode(parallel, 7, { label: 'Number' });
    for (const label of ['A', 'B']) addEdge(parallel, { source: 'n', target: 7, attributes: { label } });
    const again = graphFromJson(text(writeJson(parallel)), 'graph.json');
    expect(text(writeJson(again))).toBe(text(writeJson(parallel)));
    expect(edgesOf(again)).toHaveLength(2);
    expect(again.nodes.has(7)).toBe(true);
    expect(again.nodes.has('7')).toBe(false);
    expect(again.nodes.get('n')?.['big']).toBe(2n ** 70n);
  });

  test('the in-memory form keeps dates and decimals as values, and JSON.stringify writes them as text', () => {
    const serialized = serializeGraph(graph);
    const node = serialized.nodes.at(-1);
    expect(node?.['issued']).toEqual(new TypedValue('date', '2024-01-31'));
    expect(JSON.parse(JSON.stringify(node))).toMatchObject({ issued: '2024-01-31', total: 1234.5 });
  });

  test('NaN is null in valid JSON, and the word NaN for the peer', () => {
    const nan = one({ x: Number.NaN });
    expect(JSON.parse(text(writeJson(nan)))).toMatchObject({ nodes: [{ x: null }] });
    expect(text(writeJson(nan, { profile: 'peer' }))).toContain('"x": NaN');
  });

  test('attributes called id, source or target do not hide the ends', () => {
    const odd = createGraph();
    addNode(odd, 'a', { id: 'other', label: 'T' });
    addEdge(odd, { source: 'a', target: 'a', attributes: { label: 'L', source: 's', target: 't' } });
    const again = graphFromJson(text(writeJson(odd)), 'x');
    expect(again.nodes.get('a')).toMatchObject({ id: 'a', id_: 'other' });
    expect(edgesOf(again)[0]).toMatchObject({ source: 'a', attributes: { source_: 's', target_: 't' } });
  });

  test('no exporter accepts an empty graph', () => {
    for (const write of [writeJson, writeNodesCsv, writeEdgesCsv, writeCypher])
      expect(() => text(write(createGraph()))).toThrow(ValueError);
    expect(() => graphReport(createGraph())).toThrow(ValueError);
    expect(() => serializeGraph(createGraph())).toThrow('Cannot export empty graph');
  });
});

describe('the loader', () => {
  const node = { id: 'a', label: 'X' };
  test.each([
    ['a list', [], ['found', 'source']],
    ['no edges', { nodes: [node] }, ['found', 'source']],
    ['nodes of another type', { nodes: {}, edges: [] }, ['source']],
    ['no nodes', { nodes: [], edges: [] }, ['source']],
    ['a node without id', { nodes: [{ label: 'X' }], edges: [] }, ['node', 'source']],
    ['an id of null', { nodes: [{ id: null }], edges: [] }, ['node', 'source']],
    ['an id that is an object', { nodes: [{ id: {} }], edges: [] }, ['node', 'source']],
    ['a node that is a text', { nodes: ['a'], edges: [] }, ['node', 'source']],
    ['an edge that is a text', { nodes: [node], edges: ['x'] }, ['edge', 'source']],
    ['an edge without target', { nodes: [node], edges: [{ source: 'a' }] }, ['edge', 'source']],
    [
      'an edge to a missing node',
      { nodes: [node], edges: [{ source: 'a', target: 'b' }] },
      ['edge_source', 'edge_target', 'source'],
    ],
    [
      'an end of another type',
      { nodes: [{ id: '1' }], edges: [{ source: 1, target: '1' }] },
      ['edge_source', 'edge_target', 'source'],
    ],
  ])('refuses %s with its details', (_case, data, keys) => {
    const error = thrownBy(() => graphFromObject(data));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(Object.keys((error as ConfigurationError).details).sort()).toEqual(keys);
  });

  test.each([
    ['no JSON', 'nope'],
    ['nothing', ''],
    ['truncated JSON', '{"nodes": [{"id": "a"'],
    ['a byte order mark', '\ufeff{"nodes":[{"id":"a"}],"edges":[]}'],
    ['bytes that are not UTF-8', Uint8Array.of(0x7b, 0xe9, 0x7d)],
    ['endless nesting', `{"nodes":${'['.repeat(5000)}`],
  ])('rejects a file with %s and names it', (_case, content) => {
    expect(() => graphFromJson(content, 'here.json')).toThrow(
      expect.objectContaining({ name: 'ConfigurationError', details: { path: 'here.json' }, retryable: false }),
    );
  });

  test('accepts version 1, unknown formats, wrong counts and missing labels, and merges duplicate nodes', () => {
    const first = graphFromObject({ nodes: [{ id: 'a' }, { id: 'a', x: 1 }], edges: [], metadata: { node_count: 9 } });
    expect(first.nodes.get('a')).toEqual({ id: 'a', x: 1 });
    expect(first.attributes).toEqual({});
    expect(graphFromObject({ nodes: [{ id: 'a' }], edges: [], graph: { format: 'v9' } }).attributes).toEqual({
      format: 'v9',
    });
    expect(graphFromObject({ nodes: [{ id: 'a' }], edges: [], graph: [] }).attributes).toEqual({});
  });

  test('a member called __proto__ is a member', () => {
    const read = graphFromJson('{"nodes":[{"id":"a","__proto__":{"x":1}}],"edges":[]}', 'x');
    expect(Object.keys(read.nodes.get('a') ?? {})).toEqual(['id', '__proto__']);
    expect(({} as { x?: number }).x).toBeUndefined();
  });

  test.each(['nodes.csv', 'A/EDGES.CSV', 'graph.cypher'])('refuses %s as lossy', (path) => {
    expect(() => refuseLossyExport(path)).toThrow(
      expect.objectContaining({ details: { path, hint: expect.any(String) } }),
    );
  });
});

describe('CSV', () => {
  const records = (csv: string) => parseCsv(csv, { columns: true }) as Record<string, string>[];

  test('begins with id,label,type and source,target,type', () => {
    expect(text(writeNodesCsv(graph))).toMatch(/^id,label,type,__class__,name,/);
    expect(text(writeEdgesCsv(graph))).toMatch(/^source,target,type\n/);
    expect(text(writeEdgesCsv(one({})))).toBe('source,target,type\n');
  });

  test('quotes, line ends, backslashes and a leading = survive a round trip', () => {
    const lines = records(text(writeNodesCsv(graph))).filter(({ label }) => label === 'Line');
    expect(lines.map(({ description }) => description)).toEqual(['Widget, "large"', '=1+1\nsecond']);
    expect(text(writeNodesCsv(graph))).toContain('"=1+1\nsecond"');
    expect(records(text(writeNodesCsv(one({ a: 'x\\y' }))))[0]).toMatchObject({ a: 'x\\y' });
  });

  test('null is empty, the empty text two quotes, an object JSON, a decimal its digits', () => {
    const cells = { none: null, empty: '', object: { a: [1] }, digits: new TypedValue('decimal', '1.10'), yes: true };
    expect(text(writeNodesCsv(one(cells)))).toBe(
      'id,label,type,none,empty,object,digits,yes\nn,T,,,"","{""a"": [1]}",1.10,true\n',
    );
  });

  test('the peer infers column types: integers with a gap become floats, times of a column share one form', () => {
    const peer = createGraph();
    const time = (at: string) => new TypedValue('datetime', at);
    addNode(peer, 'a', { id: 'a', n: 1, m: 1, at: time('2024-01-01T00:00:00'), t: { k: "it's" } });
    addNode(peer, 'b', { id: 'b', m: 2, at: time('2024-01-01T01:02:03.000004'), t: 'a\\b' });
    expect(text(writeNodesCsv(peer, { profile: 'peer' }))).toBe(
      '"id","n","m","at","t"\n"a",1.0,1,"2024-01-01 00:00:00.000000","{\'k\': ""it\'s""}"\n"b","",2,"2024-01-01 01:02:03.000004","a\\\\b"\n',
    );
  });
});

describe('Cypher', () => {
  test('creates nodes and relationships in order, with constraints first', () => {
    const script = text(writeCypher(graph));
    expect(script.indexOf('CREATE CONSTRAINT invoice_id')).toBeLessThan(script.indexOf('CREATE (:Party'));
    expect(script.lastIndexOf('CREATE (:')).toBeLessThan(script.indexOf('CREATE (a)-[:ISSUED_BY]->(b);'));
    expect(script).toContain('total: 1234.5, rate: 2.0, paid: false');
  });

  test('merges on request, and by default for the peer', () => {
    expect(text(writeCypher(graph, { style: 'merge' }))).toContain('MERGE (n:Line {id: "Line_');
    expect(text(writeCypher(graph, { profile: 'peer' }))).toContain('// Idempotent');
  });

  test('no document can end a literal or a name', () => {
    const script = text(writeCypher(one({ 'a`b': '"}) DETACH DELETE n //\n\u0000' }, 'La`bel')));
    expect(script).toContain('CREATE (:`La``bel` {id: "n", `a``b`: "\\"}) DETACH DELETE n //\\n\\u0000"});');
  });

  test('lists of one type stay lists, others become JSON text; integers beyond 64 bits become text', () => {
    const script = text(writeCypher(one({ a: [1, 2.5], b: [1, true], c: { d: 1 }, e: 2n ** 64n })));
    expect(script).toContain('a: [1.0, 2.5], b: "[1, true]", c: "{\\"d\\": 1}", e: "18446744073709551616"');
  });
});

describe('report, statistics, validation', () => {
  test('statistics count by type, components and isolated nodes', () => {
    expect(graphStatistics(graph)).toEqual({
      node_count: 5,
      edge_count: 4,
      node_types: { Party: 2, Line: 2, Invoice: 1 },
      edge_types: { ISSUED_BY: 1, SENT_TO: 1, CONTAINS: 2 },
      average_degree: 1.6,
      isolated_nodes: 0,
      components: 1,
    });
    expect(graphStatistics(createGraph())).toMatchObject({ average_degree: 0, components: 0 });
  });

  test('the report shows how the instances were extracted', () => {
    const graph = createGraph();
    addNode(graph, 'a', { label: 'T' });
    const dense = { skeleton_nodes: 3, skeleton_path_counts: { '': 1, 'lines[]': 2 }, dropped_chunk_ids: [], other: 1 };
    const report = graphReport(graph, { extraction: { contract: 'auto', used: 'dense', dense } });
    expect(report).toContain('## Extraction Diagnostics\n\n- **Extraction contract**: auto (dense)\n');
    expect(report).toMatch(/Skeleton nodes discovered\*\*: 3\n.*Dropped chunk ids \(no skeleton\)\*\*: /);
    expect(graphReport(graph)).not.toContain('Extraction');
  });

  test('the report shows counts, and document content is escaped in it', () => {
    const report = graphReport(one({ text: '[x](javascript:1) <b>\n# head' }), { generatedAt: 'today' });
    expect(report).toContain('- **Total Nodes**: 1');
    expect(report).toContain('- **Generated**: today');
    expect(report).toContain('\\[x\\](javascript:1) \\<b\\> \\# head');
  });

  test('validation names every edge with a missing node', () => {
    const broken = one({});
    addEdge(broken, { source: 'n', target: 'gone', attributes: { label: 'L' } });
    expect(graphProblems(broken)).toEqual(['the edge L points to the missing node gone']);
    expect(graphProblems(createGraph())).toEqual(['the graph has no nodes']);
    expect(graphProblems(graph)).toEqual([]);
  });
});
