import { DirectedGraph, MultiDirectedGraph } from 'graphology';
import type { AbstractGraph as Graph } from 'graphology-types';
import { addEdge, createGraph, edgesOf, type KnowledgeGraph, type NodeKey } from './knowledge-graph';

/** What the library's writers take: its own graph, or a directed one of graphology. */
export type AnyGraph = KnowledgeGraph | Graph;

/**
 * A graph as graphology has it: directed, and a multigraph only when two relations join one ordered pair. Keys are texts there:
 * one that was a number or boolean is its text, or `number:1` where a text says the same.
 */
export function toGraphology(graph: KnowledgeGraph): Graph {
  const edges = edgesOf(graph);
  const keys = textKeys(graph);
  const pairs = new Set(edges.map(({ source, target }) => `${keys.get(source)}\u0000${keys.get(target)}`));
  const made: Graph = pairs.size < edges.length ? new MultiDirectedGraph() : new DirectedGraph();
  for (const [key, attributes] of graph.nodes) made.addNode(keys.get(key), { ...attributes });
  for (const { source, target, attributes } of edges)
    made.addDirectedEdge(keys.get(source), keys.get(target), { ...attributes });
  made.replaceAttributes({ ...graph.attributes });
  return made;
}

function textKeys(graph: KnowledgeGraph): Map<NodeKey, string> {
  const keys = new Map<NodeKey, string>();
  for (const key of graph.nodes.keys()) {
    const isTaken = typeof key !== 'string' && graph.nodes.has(String(key));
    keys.set(key, isTaken ? `${typeof key}:${String(key)}` : String(key));
  }
  return keys;
}

/** A graph of graphology as the library's own; an undirected edge counts as one from its first end to its second. */
export function fromGraphology(given: Graph): KnowledgeGraph {
  const graph = createGraph();
  given.forEachNode((key, attributes) => graph.nodes.set(key, { ...attributes }));
  given.forEachEdge((_edge, attributes, source, target) => {
    addEdge(graph, { source, target, attributes });
  });
  graph.attributes = { ...given.getAttributes() };
  return graph;
}

/** The library's own graph of either. */
export function ownGraph(graph: AnyGraph): KnowledgeGraph {
  return 'forEachNode' in graph ? fromGraphology(graph) : graph;
}
