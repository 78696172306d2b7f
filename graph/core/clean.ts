import { writePythonJson } from '../peer/python-text';
import { createEdgeIndex } from './edge-index';
import { type KnowledgeGraph, type NodeKey, findText } from './knowledge-graph';
import { mergeViews } from './provenance-views';
import { type Attributes, type GraphValue, isEmpty } from './value';

/** Attributes that describe the origin of a node, not its content. */
export const metaAttributes: ReadonlySet<string> = new Set([
  'id',
  'label',
  'type',
  '__class__',
  '__provenance__',
  '__conflicts__',
  'merged_aliases',
  'merged_from',
]);

const maxKeywords = 5;

/**
 * Removes nodes without content, merges nodes with equal content, then removes self loops and edges without ends. Records lost
 * relations in `dropped_relationships`. Modifies the graph.
 */
export function cleanGraph(graph: KnowledgeGraph): void {
  dropContentless(graph);
  mergeEqual(graph);
  for (const [id, { source, target, attributes }] of graph.edges) {
    if (source === target || !graph.nodes.has(source) || !graph.nodes.has(target)) graph.edges.delete(id);
    const { keywords } = attributes;
    if (Array.isArray(keywords) && keywords.length > maxKeywords)
      attributes['keywords'] = keywords.slice(0, maxKeywords);
  }
}

/** True when an attribute other than id, label and type has content; the class counts. */
export function hasContent(attributes: Attributes): boolean {
  return Object.entries(attributes).some(
    ([key, value]) =>
      (key === '__class__' || !metaAttributes.has(key)) &&
      !isEmpty(value) &&
      !(typeof value === 'string' && value.trim() === ''),
  );
}

function dropContentless(graph: KnowledgeGraph): void {
  const emptyKeys = new Set([...graph.nodes].filter(([, attributes]) => !hasContent(attributes)).map(([key]) => key));
  if (emptyKeys.size === 0) return;
  const edgeIndex = createEdgeIndex(graph);
  const dropped: GraphValue[] = [];
  for (const key of emptyKeys) {
    for (const { source, target, attributes } of [...edgeIndex.into(key), ...edgeIndex.outOf(key)])
      dropped.push({ source: String(source), label: findText(attributes['label']) ?? '', target: String(target) });
    edgeIndex.remove(key);
  }
  if (dropped.length > 0) graph.attributes['dropped_relationships'] = dropped;
}

// A node with the value Unknown is not merged with an equal one.
function mergeEqual(graph: KnowledgeGraph): void {
  const byContent = new Map<string, NodeKey>();
  const moved = new Map<NodeKey, NodeKey>();
  for (const [key, attributes] of graph.nodes) {
    const content = Object.entries(attributes).filter(
      ([name, value]) => (name === '__class__' || !metaAttributes.has(name)) && value !== null,
    );
    if (content.some(([, value]) => value === 'Unknown')) continue;
    const text = writePythonJson(Object.fromEntries(content), { isSorted: true });
    const first = byContent.get(text);
    if (first === undefined) byContent.set(text, key);
    else moved.set(key, first);
  }
  if (moved.size === 0) return;
  const edgeIndex = createEdgeIndex(graph);
  for (const [key, first] of moved) {
    edgeIndex.redirect(key, first);
    const [firstNode, mergedNode] = [graph.nodes.get(first), graph.nodes.get(key)];
    const view = mergeViews(firstNode?.['__provenance__'] ?? null, mergedNode?.['__provenance__'] ?? null);
    if (firstNode && view !== null) firstNode['__provenance__'] = view;
    edgeIndex.remove(key);
  }
}

/** Number of non-empty attributes that describe the content. */
export function countFilled(attributes: Attributes): number {
  return Object.entries(attributes).filter(([key, value]) => !metaAttributes.has(key) && !isEmpty(value)).length;
}
