import { writePythonText } from '../peer/python-text';
import { type AnyGraph, copyGraph } from './graphology';
import { edgesOf } from './knowledge-graph';

/** Reasons why a graph cannot be exported, one sentence each: no nodes, edges to missing nodes, nodes without content. */
export function graphProblems(givenGraph: AnyGraph): string[] {
  const graph = copyGraph(givenGraph);
  if (graph.nodes.size === 0) return ['the graph has no nodes'];
  const problems: string[] = [];
  for (const [key, attributes] of graph.nodes)
    if (Object.keys(attributes).length === 0) problems.push(`the node ${String(key)} is empty`);
  for (const { source, target, attributes } of edgesOf(graph)) {
    for (const end of [source, target])
      if (!graph.nodes.has(end))
        problems.push(
          `the edge ${writePythonText(attributes['label'] ?? '')} points to the missing node ${String(end)}`,
        );
  }
  return problems;
}
