import { addEdge, type GraphEdge, type KnowledgeGraph, type NodeKey } from './knowledge-graph';

/** An index of edges by node, for changing many nodes. Valid only while all changes to the graph go through it. */
export interface EdgeIndex {
  into: (key: NodeKey) => GraphEdge[];
  outOf: (key: NodeKey) => GraphEdge[];
  /** Moves the edges of a node to another, incoming edges first. Edges between the two are dropped. */
  redirect: (from: NodeKey, to: NodeKey) => void;
  remove: (key: NodeKey) => void;
  add: (edge: GraphEdge) => void;
}

/** Builds the index with one pass over all edges. */
export function createEdgeIndex(graph: KnowledgeGraph): EdgeIndex {
  const touching = new Map<NodeKey, Set<string>>();
  const note = (id: string, { source, target }: Pick<GraphEdge, 'source' | 'target'>) => {
    for (const end of [source, target]) {
      const ids = touching.get(end);
      if (ids) ids.add(id);
      else touching.set(end, new Set([id]));
    }
  };
  for (const [id, edge] of graph.edges) note(id, edge);
  const listEdges = (key: NodeKey) => [...(touching.get(key) ?? [])].flatMap((id) => graph.edges.get(id) ?? []);
  const listIncoming = (key: NodeKey) => listEdges(key).filter(({ target }) => target === key);
  const listOutgoing = (key: NodeKey) => listEdges(key).filter(({ source }) => source === key);
  const add = (edge: GraphEdge) => note(addEdge(graph, edge), edge);
  return {
    into: listIncoming,
    outOf: listOutgoing,
    add,
    redirect(from, to) {
      for (const edge of listIncoming(from)) if (edge.source !== to) add({ ...edge, target: to });
      for (const edge of listOutgoing(from)) if (edge.target !== to) add({ ...edge, source: to });
    },
    remove(key) {
      for (const id of touching.get(key) ?? []) {
        const edge = graph.edges.get(id);
        graph.edges.delete(id);
        for (const end of edge ? [edge.source, edge.target] : []) if (end !== key) touching.get(end)?.delete(id);
      }
      touching.delete(key);
      graph.nodes.delete(key);
    },
  };
}
