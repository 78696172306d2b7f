import {
  addNode,
  createGraph,
  type GraphEdge,
  type KnowledgeGraph,
  type NodeKey,
  putEdge,
} from '../core/knowledge-graph';
import type { GraphStream } from './graph-stream';
import { NodeCounts, NodeNumbers } from './node-numbers';

/** Part of a graph for people to look at, with the counts of the whole graph. */
export interface GraphSample {
  graph: KnowledgeGraph;
  nodes: number;
  edges: number;
}

/** Share of the sample for the nodes with most relations; the rest are their neighbours. */
const seedShare = 0.1;
const edgesPerNode = 4;

/**
 * Part of a graph: the nodes with most relations, their neighbours, and relations between them; `maxNodes` nodes in all. A
 * graph with no more nodes is returned whole. Keeps a number and a count per node in memory, and the sample.
 */
export async function sampleStream(stream: GraphStream, maxNodes: number): Promise<GraphSample> {
  const choice = createChoice(maxNodes);
  for await (const [key] of stream.nodes()) choice.countNode(key);
  for await (const edge of stream.edges()) choice.countEdge(edge);
  const wants = choice.chooseSeeds();
  if (wants) for await (const edge of stream.edges()) if (!wants(edge)) break;
  choice.finish();
  const sample = createGraph();
  for await (const [key, attributes] of stream.nodes()) if (choice.has(key)) addNode(sample, key, attributes);
  for await (const edge of stream.edges()) if (!choice.addEdge(sample, edge)) break;
  sample.attributes = await stream.attributes();
  return { graph: sample, ...choice.counts() };
}

/** The same for a graph in memory. */
export function sampleGraph(graph: KnowledgeGraph, maxNodes: number): GraphSample {
  const counts = { nodes: graph.nodes.size, edges: graph.edges.size };
  if (graph.nodes.size <= maxNodes) return { graph, ...counts };
  const choice = createChoice(maxNodes);
  for (const key of graph.nodes.keys()) choice.countNode(key);
  for (const edge of graph.edges.values()) choice.countEdge(edge);
  const wants = choice.chooseSeeds();
  if (wants) for (const edge of graph.edges.values()) if (!wants(edge)) break;
  choice.finish();
  const sample = createGraph({ isMulti: graph.isMulti });
  for (const [key, attributes] of graph.nodes) if (choice.has(key)) addNode(sample, key, attributes);
  for (const edge of graph.edges.values()) if (!choice.addEdge(sample, edge)) break;
  sample.attributes = graph.attributes;
  return { graph: sample, ...counts };
}

/** The steps of choosing a sample, in calling order; each `…Edge` is called for every edge. */
function createChoice(maxNodes: number) {
  const numbers = new NodeNumbers();
  const degrees = new NodeCounts();
  const chosen = new Set<number>();
  let edges = 0;
  const has = (key: NodeKey) => {
    const number = numbers.find(key);
    return number !== undefined && chosen.has(number);
  };
  return {
    has,
    counts: () => ({ nodes: numbers.size, edges }),
    countNode: (key: NodeKey) => void numbers.add(key),
    countEdge({ source, target }: GraphEdge) {
      edges++;
      for (const end of [source, target]) {
        const number = numbers.find(end);
        if (number !== undefined) degrees.set(number, degrees.get(number) + 1);
      }
    },
    /**
     * Returns a function that takes the neighbours of the seeds and returns false when there are enough; undefined if
     * all nodes are taken.
     */
    chooseSeeds(): ((edge: GraphEdge) => boolean) | undefined {
      if (numbers.size <= maxNodes) return undefined;
      const seeds = findHighest(degrees, numbers.size, Math.max(1, Math.floor(maxNodes * seedShare)));
      for (const seed of seeds) chosen.add(seed);
      return ({ source, target }) => {
        const [from, to] = [numbers.find(source), numbers.find(target)];
        if (from === undefined || to === undefined) return true;
        if (seeds.has(from)) chosen.add(to);
        else if (seeds.has(to)) chosen.add(from);
        return chosen.size < maxNodes;
      };
    },
    /** If the seeds have too few neighbours, nodes in order fill the sample. */
    finish(): void {
      for (let number = 0; number < numbers.size && chosen.size < maxNodes; number++) chosen.add(number);
    },
    /** Adds an edge between chosen nodes; false when the sample has enough of them. */
    addEdge(sample: KnowledgeGraph, edge: GraphEdge): boolean {
      if (has(edge.source) && has(edge.target)) putEdge(sample, { ...edge, attributes: { ...edge.attributes } });
      return numbers.size <= maxNodes || sample.edges.size < maxNodes * edgesPerNode;
    },
  };
}

/** The numbers of the nodes with the highest counts, without sorting all of them. */
function findHighest(counts: NodeCounts, nodes: number, maxNodes: number): ReadonlySet<number> {
  const sizes = new Map<number, number>();
  for (let number = 0; number < nodes; number++) {
    const count = counts.get(number);
    sizes.set(count, (sizes.get(count) ?? 0) + 1);
  }
  let [room, minCount] = [maxNodes, Infinity];
  for (const [count, size] of [...sizes].sort(([count], [other]) => other - count)) {
    minCount = count;
    room -= size;
    if (room <= 0) break;
  }
  const chosen: number[] = [];
  const atMinimum: number[] = [];
  for (let number = 0; number < nodes; number++) {
    const count = counts.get(number);
    if (count > minCount) chosen.push(number);
    else if (count === minCount && atMinimum.length < maxNodes) atMinimum.push(number);
  }
  return new Set([...chosen, ...atMinimum].slice(0, maxNodes));
}
