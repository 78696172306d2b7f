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
 * A directed graph in memory. In a multigraph, relations with different labels may connect the same ordered pair; in a simple
 * graph (as the peer uses), the later label overwrites the earlier one. Nodes and edges keep insertion order.
 */
export interface KnowledgeGraph {
  readonly isMulti: boolean;
  readonly nodes: Map<NodeKey, Attributes>;
  /** By `getEdgeKey`; read with `edgesOf`, write with `addEdge`. */
  readonly edges: Map<string, GraphEdge>;
  /** Graph-level data: format, identity contract, and what clean-up removed. */
  attributes: Attributes;
}

/** Creates an empty graph; a multigraph by default. */
export function createGraph({ isMulti = true }: { isMulti?: boolean } = {}): KnowledgeGraph {
  return { isMulti, nodes: new Map(), edges: new Map(), attributes: {} };
}

/** Adds a node, or overwrites the given attributes of an existing one. */
export function addNode(graph: KnowledgeGraph, key: NodeKey, attributes: Attributes): void {
  const node = graph.nodes.get(key);
  if (node) Object.assign(node, attributes);
  else graph.nodes.set(key, { ...attributes });
}

/**
 * Adds an edge, or overwrites the attributes of an equal one. Returns its key in `edges`. The ends need not exist yet;
 * `graphProblems` reports missing ones.
 */
export function addEdge(graph: KnowledgeGraph, edge: GraphEdge): string {
  return putEdge(graph, { source: edge.source, target: edge.target, attributes: { ...edge.attributes } });
}

/** Like `addEdge`, but stores the given edge and its attributes without copying. */
export function putEdge(graph: KnowledgeGraph, edge: GraphEdge): string {
  const key = getEdgeKey(graph, edge);
  const existingEdge = graph.edges.get(key);
  if (existingEdge) Object.assign(existingEdge.attributes, edge.attributes);
  else graph.edges.set(key, edge);
  return key;
}

/** Removes nodes and all their edges in one pass. */
export function removeNodes(graph: KnowledgeGraph, keys: ReadonlySet<NodeKey>): void {
  if (keys.size === 0) return;
  for (const key of keys) graph.nodes.delete(key);
  for (const [id, edge] of graph.edges) if (keys.has(edge.source) || keys.has(edge.target)) graph.edges.delete(id);
}

/** Removes a node and all its edges. */
export function removeNode(graph: KnowledgeGraph, key: NodeKey): void {
  removeNodes(graph, new Set([key]));
}

/** The edges in order. A simple graph groups them by source, in node order, like the peer's files. */
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

/** Converts a multigraph to a simple graph. Of several labels between the same ordered pair, the last is kept. */
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

/** A copy with its own attribute objects; the values themselves are shared. */
export function copyGraph(graph: KnowledgeGraph): KnowledgeGraph {
  const copy = createGraph({ isMulti: graph.isMulti });
  for (const [key, attributes] of graph.nodes) addNode(copy, key, attributes);
  for (const edge of graph.edges.values()) addEdge(copy, edge);
  copy.attributes = { ...graph.attributes };
  return copy;
}

/** The attribute if it is a string, otherwise undefined. */
export function findText(value: GraphValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The key of an edge in `edges`: its ends, plus its label in a multigraph. */
export function getEdgeKey(graph: Pick<KnowledgeGraph, 'isMulti'>, { source, target, attributes }: GraphEdge): string {
  const pair = `${getScalarKey(source)}\u0000${getScalarKey(target)}`;
  return graph.isMulti ? `${pair}\u0000${findText(attributes['label']) ?? ''}` : pair;
}

const getScalarKey = (key: NodeKey) => (typeof key === 'string' ? key : `\u0001${String(key)}`);
