import type { Attributes, GraphValue } from './value';

/** A JSON scalar; `1` and `"1"` are two nodes. */
export type NodeKey = string | number | bigint | boolean;

export interface GraphEdge {
  source: NodeKey;
  target: NodeKey;
  /** `label` first, then further properties. */
  attributes: Attributes;
}

/**
 * A directed graph in memory. In a multigraph two relations may join the same ordered pair when their labels differ; in a
 * simple one (the peer's) the later label overwrites the earlier. Nodes and edges keep the order in which they came.
 */
export interface KnowledgeGraph {
  readonly isMulti: boolean;
  readonly nodes: Map<NodeKey, Attributes>;
  /** By `edgeKey`; read with `edgesOf`, write with `addEdge`. */
  readonly edges: Map<string, GraphEdge>;
  /** Graph-level facts: format, the identity contract, what clean-up dropped. */
  attributes: Attributes;
}

/** Creates an empty graph; a multigraph by default. */
export function createGraph({ isMulti = true }: { isMulti?: boolean } = {}): KnowledgeGraph {
  return { isMulti, nodes: new Map(), edges: new Map(), attributes: {} };
}

/** Adds a node, or overwrites the given attributes of an existing one. */
export function addNode(graph: KnowledgeGraph, key: NodeKey, attributes: Attributes): void {
  const known = graph.nodes.get(key);
  if (known) Object.assign(known, attributes);
  else graph.nodes.set(key, { ...attributes });
}

/**
 * Adds an edge, or overwrites the attributes of the equal one; gives its key in `edges`. The ends may still be missing:
 * `graphProblems` tells.
 */
export function addEdge(graph: KnowledgeGraph, edge: GraphEdge): string {
  return putEdge(graph, { source: edge.source, target: edge.target, attributes: { ...edge.attributes } });
}

/** Like `addEdge`, but takes over the given edge and its attributes without copying. */
export function putEdge(graph: KnowledgeGraph, edge: GraphEdge): string {
  const key = edgeKey(graph, edge);
  const known = graph.edges.get(key);
  if (known) Object.assign(known.attributes, edge.attributes);
  else graph.edges.set(key, edge);
  return key;
}

/** Removes nodes and every edge that touches them, in one pass. */
export function removeNodes(graph: KnowledgeGraph, keys: ReadonlySet<NodeKey>): void {
  if (keys.size === 0) return;
  for (const key of keys) graph.nodes.delete(key);
  for (const [id, edge] of graph.edges) if (keys.has(edge.source) || keys.has(edge.target)) graph.edges.delete(id);
}

/** Removes a node and every edge that touches it. */
export function removeNode(graph: KnowledgeGraph, key: NodeKey): void {
  removeNodes(graph, new Set([key]));
}

/** The edges in order. A simple graph groups them by source in the order of nodes, as the peer's files do. */
export function edgesOf(graph: KnowledgeGraph): GraphEdge[] {
  if (graph.isMulti) return [...graph.edges.values()];
  const bySource = new Map<NodeKey, GraphEdge[]>([...graph.nodes.keys()].map((key) => [key, []]));
  for (const edge of graph.edges.values()) {
    const group = bySource.get(edge.source);
    if (group) group.push(edge);
    else bySource.set(edge.source, [edge]);
  }
  return [...bySource.values()].flat();
}

/** Turns a multigraph into a simple graph: of several labels between the same ordered pair, the last is kept. */
export function simpleGraph(graph: KnowledgeGraph): KnowledgeGraph {
  if (!graph.isMulti) return graph;
  const simple: KnowledgeGraph = {
    ...createGraph({ isMulti: false }),
    nodes: graph.nodes,
    attributes: graph.attributes,
  };
  for (const edge of graph.edges.values()) addEdge(simple, edge);
  return simple;
}

/** A copy that shares no attributes with the original; values themselves are shared. */
export function copyGraph(graph: KnowledgeGraph): KnowledgeGraph {
  const copy = createGraph({ isMulti: graph.isMulti });
  for (const [key, attributes] of graph.nodes) addNode(copy, key, attributes);
  for (const edge of graph.edges.values()) addEdge(copy, edge);
  copy.attributes = { ...graph.attributes };
  return copy;
}

/** The text of an attribute that should be a string, else undefined. */
export function textOf(value: GraphValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The key of an edge in `edges`: its ends, and in a multigraph its label. */
export function edgeKey(graph: Pick<KnowledgeGraph, 'isMulti'>, { source, target, attributes }: GraphEdge): string {
  const pair = `${scalarKey(source)}\u0000${scalarKey(target)}`;
  return graph.isMulti ? `${pair}\u0000${textOf(attributes['label']) ?? ''}` : pair;
}

const scalarKey = (key: NodeKey) => (typeof key === 'string' ? key : `\u0001${String(key)}`);
