import { type AnyGraph, copyGraph } from './graphology';
import type { Profile } from './identity';
import { edgesOf, type KnowledgeGraph, type NodeKey, findText } from './knowledge-graph';
import type { Attributes } from './value';

export interface GraphStatistics {
  node_count: number;
  edge_count: number;
  /** By label, in order of first occurrence. */
  node_types: Record<string, number>;
  edge_types: Record<string, number>;
  /** Edge ends per node; 0 for an empty graph. */
  average_degree: number;
  isolated_nodes: number;
  /** Number of connected components, ignoring edge direction. */
  components: number;
}

/** Counts of a graph, in linear time. Missing labels count as Node and RELATED_TO, or as Unknown for the peer. */
export function graphStatistics(
  givenGraph: AnyGraph,
  { profile = 'spec' }: { profile?: Profile } = {},
): GraphStatistics {
  const [missingType, missingLabel] =
    profile === 'peer' ? (['Unknown', 'Unknown'] as const) : (['Node', 'RELATED_TO'] as const);
  const graph = copyGraph(givenGraph);
  const edges = edgesOf(graph);
  const touched = new Set(edges.flatMap(({ source, target }) => [source, target]));
  const nodeCount = graph.nodes.size;
  return {
    node_count: nodeCount,
    edge_count: edges.length,
    node_types: Object.fromEntries(countLabels(graph.nodes.values(), missingType)),
    edge_types: Object.fromEntries(
      countLabels(
        edges.map(({ attributes }) => attributes),
        missingLabel,
      ),
    ),
    average_degree: nodeCount === 0 ? 0 : (2 * edges.length) / nodeCount,
    isolated_nodes: [...graph.nodes.keys()].filter((key) => !touched.has(key)).length,
    components: countComponents(graph),
  };
}

/** Counts records by label, in order of first occurrence. A Map, because an object would reorder numeric labels. */
export function countLabels(records: Iterable<Attributes>, missing: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const record of records) {
    const label = findText(record['label']) ?? missing;
    counts.set(label, (counts.get(label) ?? 0) + 1);
  }
  return counts;
}

function countComponents(graph: KnowledgeGraph): number {
  const parents = new Map<NodeKey, NodeKey>([...graph.nodes.keys()].map((key) => [key, key]));
  const find = (key: NodeKey): NodeKey => {
    let root = key;
    for (let up = parents.get(root); up !== undefined && up !== root; up = parents.get(root)) root = up;
    for (let at = key; at !== root;) {
      const up = parents.get(at) ?? root;
      parents.set(at, root);
      at = up;
    }
    return root;
  };
  let count = parents.size;
  for (const { source, target } of graph.edges.values()) {
    if (!parents.has(source) || !parents.has(target)) continue;
    const [left, right] = [find(source), find(target)];
    if (left === right) continue;
    parents.set(left, right);
    count--;
  }
  return count;
}
