import { ValueError } from '../core/errors';
import { type AnyGraph, copyGraph } from '../core/graphology';
import type { Profile } from '../core/identity';
import { jsonText, type JsonStyle } from '../core/json-text';
import { edgesOf, type GraphEdge, type KnowledgeGraph, type NodeKey, simpleGraph } from '../core/knowledge-graph';
import type { Attributes } from '../core/value';

export interface WriteOptions {
  /** `spec`: valid JSON, `format` v2. `peer`: the Python library's format, including NaN. Default `spec`. */
  profile?: Profile;
}

/** The object in `graph.json`. Dates and decimals are typed values, which `JSON.stringify` formats. */
export interface SerializedGraph {
  nodes: Attributes[];
  edges: Attributes[];
  metadata: { node_count: number; edge_count: number };
  graph: Attributes;
}

/** Throws a ValueError for a graph without nodes, like every exporter. */
export function serializeGraph(graph: AnyGraph, { profile = 'spec' }: WriteOptions = {}): SerializedGraph {
  const exported = toExportable(graph, profile);
  const edges = edgesOf(exported).map((edge) => createEdgeRecord(edge, profile));
  return {
    nodes: [...exported.nodes].map(([key, attributes]) => createNodeRecord(key, attributes, profile)),
    edges,
    metadata: { node_count: exported.nodes.size, edge_count: edges.length },
    graph: createGraphRecord(exported.attributes, profile),
  };
}

/** Writes `graph.json` in chunks of about 64 KB, so that a large graph is never in memory as one string. */
export function* writeJson(graph: AnyGraph, { profile = 'spec' }: WriteOptions = {}): Generator<string> {
  const exported = toExportable(graph, profile);
  const style: JsonStyle = { indent: 2, nonFinite: profile === 'peer' ? 'bare' : 'null' };
  const edges = edgesOf(exported);
  yield '{\n  "nodes": ';
  yield* writeList(
    mapItems(exported.nodes, ([key, attributes]) => jsonText(createNodeRecord(key, attributes, profile), style, 2)),
  );
  yield ',\n  "edges": ';
  yield* writeList(mapItems(edges, (edge) => jsonText(createEdgeRecord(edge, profile), style, 2)));
  const metadata = { node_count: exported.nodes.size, edge_count: edges.length };
  yield `,\n  "metadata": ${jsonText(metadata, style, 1)},\n  "graph": `;
  yield `${jsonText(createGraphRecord(exported.attributes, profile), style, 1)}\n}${profile === 'peer' ? '' : '\n'}`;
}

/** The graph in the form of the profile. Throws a ValueError when it has no nodes. */
export function toExportable(graph: AnyGraph, profile: Profile): KnowledgeGraph {
  const knowledgeGraph = copyGraph(graph);
  if (knowledgeGraph.nodes.size === 0) throw new ValueError('Cannot export empty graph');
  return profile === 'peer' ? simpleGraph(knowledgeGraph) : knowledgeGraph;
}

const minChunkLength = 65_536;

/** Joins short strings into chunks of about 64 KB. */
export function* joinPieces(pieces: Iterable<string>): Generator<string> {
  let batch = '';
  for (const piece of pieces) {
    batch += piece;
    if (batch.length < minChunkLength) continue;
    yield batch;
    batch = '';
  }
  if (batch) yield batch;
}

function* writeList(items: Iterable<string>): Generator<string> {
  let isFirst = true;
  function* pieces() {
    for (const item of items) {
      yield isFirst ? `[\n    ${item}` : `,\n    ${item}`;
      isFirst = false;
    }
  }
  yield* joinPieces(pieces());
  yield isFirst ? '[]' : '\n  ]';
}

function* mapItems<T, R>(items: Iterable<T>, map: (item: T) => R): Generator<R> {
  for (const item of items) yield map(item);
}

/** A node as a record, with the graph's id first. An attribute of the same name gets an underscore, except for the peer. */
export function createNodeRecord(key: NodeKey, attributes: Attributes, profile: Profile): Attributes {
  if (profile === 'peer') return { id: key, ...attributes };
  const { id, ...properties } = attributes;
  return id === undefined || id === key ? { id: key, ...properties } : { id: key, ...properties, id_: id };
}

/** An edge as a record: source, target, label, then its properties. */
export function createEdgeRecord({ source, target, attributes }: GraphEdge, profile: Profile): Attributes {
  if (profile === 'peer') return { source, target, ...attributes };
  const { source: ownSource, target: ownTarget, ...properties } = attributes;
  const record: Attributes = { source, target, ...properties };
  if (ownSource !== undefined) record['source_'] = ownSource;
  if (ownTarget !== undefined) record['target_'] = ownTarget;
  return record;
}

/** Data about the graph as written to the file, where the peer spells out the format name. */
export function createGraphRecord(attributes: Attributes, profile: Profile): Attributes {
  const { format } = attributes;
  if (format !== 'v2' && format !== 'docling-graph/v2') return attributes;
  return { ...attributes, format: profile === 'peer' ? 'docling-graph/v2' : 'v2' };
}
