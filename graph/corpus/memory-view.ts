import type { Contribution, EdgeFact, GraphView, NodeCondition, NodeFact } from '../../model/graph/facts';
import { compareCodePoints } from '../core/json-text';

/** A view of facts in memory, all of them readable. */
export function createMemoryView({ nodes, edges }: Contribution): GraphView {
  const byId = new Map<string, NodeFact[]>();
  for (const node of nodes) byId.set(node.node, [...(byId.get(node.node) ?? []), node]);
  const ids = [...byId.keys()].sort(compareCodePoints);
  const edgesByNode = { out: groupEdges(edges, 'source'), in: groupEdges(edges, 'target') };
  return {
    nodes: async (wanted) => wanted.flatMap((id) => byId.get(id) ?? []),
    async edges(wanted, { direction, label, limit }) {
      const touching = wanted.flatMap((id) => edgesByNode[direction].get(id) ?? []);
      const facts = label === undefined ? touching : touching.filter((edge) => edge.label === label);
      return { facts: facts.slice(0, limit), isCut: facts.length > limit };
    },
    async find(condition, { after, limit }) {
      const found: string[] = [];
      for (const id of ids) {
        if (found.length >= limit) break;
        if (compareCodePoints(id, after) > 0 && byId.get(id)?.some((node) => matchesFact(node, condition)))
          found.push(id);
      }
      return found;
    },
  };
}

function groupEdges(edges: readonly EdgeFact[], end: 'source' | 'target'): Map<string, EdgeFact[]> {
  const groups = new Map<string, EdgeFact[]>();
  for (const edge of edges) {
    const group = groups.get(edge[end]);
    if (group) group.push(edge);
    else groups.set(edge[end], [edge]);
  }
  return groups;
}

/** True if the description of a node in one document meets the condition. */
export function matchesFact(node: NodeFact, { label, key, text, block, word }: NodeCondition): boolean {
  return (
    (label === undefined || node.label === label) &&
    (key === undefined || node.keys.includes(key)) &&
    (text === undefined || node.text.includes(text)) &&
    (word === undefined || (node.words ?? []).includes(word)) &&
    (block === undefined || (node.blocks ?? []).includes(block))
  );
}
