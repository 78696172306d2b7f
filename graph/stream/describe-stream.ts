import { findText } from '../core/knowledge-graph';
import { writePythonText } from '../peer/python-text';
import type { GraphStream } from './graph-stream';
import { NodeCounts, NodeNumbers } from './node-numbers';

/** Counts of a streamed graph, and reasons why it is invalid, at most 100 of them. */
export interface StreamReport {
  node_count: number;
  edge_count: number;
  node_types: Record<string, number>;
  edge_types: Record<string, number>;
  isolated_nodes: number;
  problems: string[];
}

const maxProblems = 100;

/** Reads all nodes and all edges once. Keeps one number per node in memory. */
export async function describeStream(stream: GraphStream): Promise<StreamReport> {
  const [nodeTypes, edgeTypes] = [new Map<string, number>(), new Map<string, number>()];
  const numbers = new NodeNumbers();
  const touched = new NodeCounts();
  let isolated = 0;
  const problems: string[] = [];
  const note = (problem: string) => problems.length < maxProblems && problems.push(problem);
  for await (const [key, attributes] of stream.nodes()) {
    const nodeCount = numbers.size;
    if (numbers.add(key) < nodeCount) continue;
    isolated++;
    count(nodeTypes, findText(attributes['label']) ?? 'Node');
  }
  if (numbers.size === 0) note('the graph has no nodes');
  for await (const { source, target, attributes } of stream.edges()) {
    count(edgeTypes, findText(attributes['label']) ?? 'RELATED_TO');
    for (const end of [source, target]) {
      const number = numbers.find(end);
      if (number === undefined)
        note(`the edge ${writePythonText(attributes['label'] ?? '')} points to the missing node ${String(end)}`);
      else if (touched.get(number) === 0) {
        touched.set(number, 1);
        isolated--;
      }
    }
  }
  return {
    node_count: numbers.size,
    edge_count: [...edgeTypes.values()].reduce((sum, edgeType) => sum + edgeType, 0),
    node_types: Object.fromEntries(nodeTypes),
    edge_types: Object.fromEntries(edgeTypes),
    isolated_nodes: isolated,
    problems,
  };
}

const count = (types: Map<string, number>, label: string) => types.set(label, (types.get(label) ?? 0) + 1);
