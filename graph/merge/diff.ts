import { type AnyGraph, copyGraph } from '../core/graphology';
import { compareCodePoints, jsonText } from '../core/json-text';
import { edgesOf, type KnowledgeGraph, type NodeKey, findText } from '../core/knowledge-graph';
import type { Attributes, GraphValue } from '../core/value';

/** The differences between two graphs; lists are empty if there are none. */
export interface GraphDiff {
  addedNodes: NodeKey[];
  removedNodes: NodeKey[];
  /** Attributes with different values, both included; null for a missing one. */
  changedNodes: { id: NodeKey; changes: { attribute: string; before: GraphValue; after: GraphValue }[] }[];
  addedEdges: EdgeName[];
  removedEdges: EdgeName[];
  changedEdges: EdgeName[];
}

export interface EdgeName {
  source: NodeKey;
  target: NodeKey;
  label: string;
}

/** Compares two graphs by node ids, and by the ends and labels of edges. */
export function diffGraphs(first: AnyGraph, second: AnyGraph): GraphDiff {
  const [before, after] = [copyGraph(first), copyGraph(second)];
  const [oldEdges, newEdges] = [collectNamedEdges(before), collectNamedEdges(after)];
  return {
    addedNodes: [...after.nodes.keys()].filter((key) => !before.nodes.has(key)),
    removedNodes: [...before.nodes.keys()].filter((key) => !after.nodes.has(key)),
    changedNodes: [...after.nodes].flatMap(([id, attributes]) => {
      const changes = listChanges(before.nodes.get(id) ?? attributes, attributes);
      return changes.length === 0 ? [] : [{ id, changes }];
    }),
    addedEdges: [...newEdges].flatMap(([key, { name }]) => (oldEdges.has(key) ? [] : [name])),
    removedEdges: [...oldEdges].flatMap(([key, { name }]) => (newEdges.has(key) ? [] : [name])),
    changedEdges: [...newEdges].flatMap(([key, { name, attributes }]) => {
      const oldEdge = oldEdges.get(key);
      return oldEdge && listChanges(oldEdge.attributes, attributes).length > 0 ? [name] : [];
    }),
  };
}

function listChanges(before: Attributes, after: Attributes) {
  if (before === after) return [];
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort(compareCodePoints);
  return names.flatMap((attribute) => {
    const [left, right] = [before[attribute] ?? null, after[attribute] ?? null];
    const isSame = jsonText(left, { isSorted: true }) === jsonText(right, { isSorted: true });
    return isSame ? [] : [{ attribute, before: left, after: right }];
  });
}

function collectNamedEdges(graph: KnowledgeGraph): Map<string, { name: EdgeName; attributes: Attributes }> {
  return new Map(
    edgesOf(graph).map(({ source, target, attributes }) => {
      const name = { source, target, label: findText(attributes['label']) ?? '' };
      return [jsonText([source, target, name.label]), { name, attributes }];
    }),
  );
}
