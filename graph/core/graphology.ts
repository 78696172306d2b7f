import { DirectedGraph, MultiDirectedGraph } from 'graphology';
import type { AbstractGraph as Graph } from 'graphology-types';
import { addEdge, createGraph, edgesOf, type KnowledgeGraph, type NodeKey } from './knowledge-graph';

/** Graphs that the library's writers accept: its own, or a directed graph of graphology. */
export type AnyGraph = KnowledgeGraph | Graph;

/**
 * Converts to a directed graph of graphology, which is a multigraph only if two relations connect the same ordered pair. Keys
 * become strings; a number or boolean becomes its text, or `number:1` if that text is already a key.
 */
export function toGraphology(graph: KnowledgeGraph): Graph {
  const edges = edgesOf(graph);
  const keys = collectTextKeys(graph);
  const pairs = new Set(edges.map(({ source, target }) => `${keys.get(source)}\u0000${keys.get(target)}`));
  const builtGraph: Graph = pairs.size < edges.length ? new MultiDirectedGraph() : new DirectedGraph();
  for (const [key, attributes] of graph.nodes) builtGraph.addNode(keys.get(key), { ...attributes });
  for (const { source, target, attributes } of edges)
    builtGraph.addDirectedEdge(keys.get(source), keys.get(target), { ...attributes });
  builtGraph.replaceAttributes({ ...graph.attributes });
  return builtGraph;
}

function collectTextKeys(graph: KnowledgeGraph): Map<NodeKey, string> {
  const keys = new Map<NodeKey, string>();
  for (const key of graph.nodes.keys()) {
    const isTaken = typeof key !== 'string' && graph.nodes.has(String(key));
    keys.set(key, isTaken ? `${typeof key}:${String(key)}` : String(key));
  }
  return keys;
}

/** Converts a graph of graphology. An undirected edge becomes a directed edge from its first to its second end. */
export function fromGraphology(foreignGraph: Graph): KnowledgeGraph {
  const graph = createGraph();
  foreignGraph.forEachNode((key, attributes) => graph.nodes.set(key, { ...attributes }));
  foreignGraph.forEachEdge((_edge, attributes, source, target) => {
    addEdge(graph, { source, target, attributes });
  });
  graph.attributes = { ...foreignGraph.getAttributes() };
  return graph;
}

/** Converts either kind of graph to the library's own. */
export function copyGraph(graph: AnyGraph): KnowledgeGraph {
  return 'forEachNode' in graph ? fromGraphology(graph) : graph;
}
