import {
  addNode,
  createGraph,
  type GraphEdge,
  type KnowledgeGraph,
  type NodeKey,
  putEdge,
} from '../core/knowledge-graph';
import type { GraphStream } from './graph-stream';

/** Part of a graph for people to look at, with the counts of the whole graph. */
export interface GraphSample {
  graph: KnowledgeGraph;
  nodes: number;
  edges: number;
}

/** A share of the sample are the nodes with most relations; the rest are their neighbours. */
const seedShare = 0.1;
const edgesPerNode = 4;

/**
 * Part of a graph: the nodes with most relations, their neighbours, and relations between them; `most` nodes in all. A graph with no
 * more nodes comes whole. Memory holds a count for each node, and the sample.
 */
export async function sampleStream(stream: GraphStream, most: number): Promise<GraphSample> {
  const choice = createChoice(most);
  for await (const [key] of stream.nodes()) choice.countNode(key);
  for await (const edge of stream.edges()) choice.countEdge(edge);
  const wants = choice.chooseSeeds();
  if (wants) for await (const edge of stream.edges()) if (!wants(edge)) break;
  const chosen = choice.finish();
  const sample = createGraph();
  for await (const [key, attributes] of stream.nodes()) if (chosen.has(key)) addNode(sample, key, attributes);
  for await (const edge of stream.edges()) if (!choice.addEdge(sample, edge)) break;
  sample.attributes = await stream.attributes();
  return { graph: sample, ...choice.counts() };
}

/** The same for a graph in memory. */
export function sampleGraph(graph: KnowledgeGraph, most: number): GraphSample {
  const counts = { nodes: graph.nodes.size, edges: graph.edges.size };
  if (graph.nodes.size <= most) return { graph, ...counts };
  const choice = createChoice(most);
  for (const key of graph.nodes.keys()) choice.countNode(key);
  for (const edge of graph.edges.values()) choice.countEdge(edge);
  const wants = choice.chooseSeeds();
  if (wants) for (const edge of graph.edges.values()) if (!wants(edge)) break;
  const chosen = choice.finish();
  const sample = createGraph({ isMulti: graph.isMulti });
  for (const key of chosen) addNode(sample, key, graph.nodes.get(key) ?? {});
  for (const edge of graph.edges.values()) if (!choice.addEdge(sample, edge)) break;
  sample.attributes = graph.attributes;
  return { graph: sample, ...counts };
}

/** The steps of a choice, in the order in which they are called; each `…Edge` is called for every edge. */
function createChoice(most: number) {
  const degrees = new Map<NodeKey, number>();
  const chosen = new Set<NodeKey>();
  let edges = 0;
  return {
    counts: () => ({ nodes: degrees.size, edges }),
    countNode: (key: NodeKey) => void degrees.set(key, 0),
    countEdge({ source, target }: GraphEdge) {
      edges++;
      for (const end of [source, target]) {
        const degree = degrees.get(end);
        if (degree !== undefined) degrees.set(end, degree + 1);
      }
    },
    /** What takes the neighbours of the seeds, and returns false when there are enough; undefined if all nodes are taken. */
    chooseSeeds(): ((edge: GraphEdge) => boolean) | undefined {
      if (degrees.size <= most) return undefined;
      const seeds = new Set(findHighest(degrees, Math.max(1, Math.floor(most * seedShare))));
      for (const seed of seeds) chosen.add(seed);
      return ({ source, target }) => {
        if (seeds.has(source) && degrees.has(target)) chosen.add(target);
        else if (seeds.has(target) && degrees.has(source)) chosen.add(source);
        return chosen.size < most;
      };
    },
    /** The chosen nodes. If the seeds have too few neighbours, nodes in order fill the sample. */
    finish(): ReadonlySet<NodeKey> {
      for (const key of degrees.keys()) {
        if (chosen.size >= most) break;
        chosen.add(key);
      }
      return chosen;
    },
    /** Adds an edge between chosen nodes; false when the sample has enough of them. */
    addEdge(sample: KnowledgeGraph, edge: GraphEdge): boolean {
      const isIn = chosen.has(edge.source) && chosen.has(edge.target);
      if (isIn) putEdge(sample, { ...edge, attributes: { ...edge.attributes } });
      return degrees.size <= most || sample.edges.size < most * edgesPerNode;
    },
  };
}

/** The keys with the highest counts, without sorting all of them. */
function findHighest(counts: ReadonlyMap<NodeKey, number>, most: number): NodeKey[] {
  const sizes = new Map<number, number>();
  for (const count of counts.values()) sizes.set(count, (sizes.get(count) ?? 0) + 1);
  let [room, least] = [most, Infinity];
  for (const [count, size] of [...sizes].sort(([one], [other]) => other - one)) {
    least = count;
    room -= size;
    if (room <= 0) break;
  }
  const keys: NodeKey[] = [];
  const last: NodeKey[] = [];
  for (const [key, count] of counts) {
    if (count > least) keys.push(key);
    else if (count === least && last.length < most) last.push(key);
  }
  return [...keys, ...last].slice(0, most);
}
