import { canonicalText, type Profile } from './identity';
import { jsonText } from './json-text';
import { addEdge, type KnowledgeGraph, type NodeKey, removeNode, textOf } from './knowledge-graph';
import type { GraphTemplate } from './template';
import { type Attributes, type GraphValue, isEmpty } from './value';

/** Attributes that say how a node came about, not what it is. */
export const metaAttributes: ReadonlySet<string> = new Set([
  'id',
  'label',
  'type',
  '__class__',
  '__provenance__',
  '__conflicts__',
  'merged_aliases',
  'merged_from',
  'skolem_document_id',
  'variant_of',
  'variant_document_id',
]);

/** Merges nodes of equal content, then removes edges without ends and self loops. Changes the graph. */
export function cleanGraph(graph: KnowledgeGraph): void {
  mergeEqual(graph);
  for (const [id, { source, target }] of graph.edges)
    if (source === target || !graph.nodes.has(source) || !graph.nodes.has(target)) graph.edges.delete(id);
}

// A node that has the word Unknown for a value is not known to equal another.
function mergeEqual(graph: KnowledgeGraph): void {
  const byContent = new Map<string, NodeKey>();
  const moved = new Map<NodeKey, NodeKey>();
  for (const [key, attributes] of graph.nodes) {
    const content = Object.fromEntries(
      Object.entries(attributes).filter(([name]) => name === '__class__' || !metaAttributes.has(name)),
    );
    if (Object.values(content).includes('Unknown')) continue;
    const text = jsonText(content, { isSorted: true });
    const first = byContent.get(text);
    if (first === undefined) byContent.set(text, key);
    else moved.set(key, first);
  }
  if (moved.size === 0) return;
  for (const [id, edge] of [...graph.edges]) {
    const source = moved.get(edge.source) ?? edge.source;
    const target = moved.get(edge.target) ?? edge.target;
    if (source === edge.source && target === edge.target) continue;
    graph.edges.delete(id);
    addEdge(graph, { ...edge, source, target });
  }
  for (const key of moved.keys()) graph.nodes.delete(key);
}

/**
 * Removes entries of lists of choices: nodes to which nothing leads but closed-catalogue fields. A class that would lose all
 * its nodes keeps them. `closed_catalog_drops` counts by class.
 */
export function dropClosedCatalogs(graph: KnowledgeGraph, template: GraphTemplate): void {
  const labels = new Map<string, Set<string>>();
  for (const one of template.classes.values())
    for (const field of one.fields)
      if (field.isClosedCatalog && field.model)
        labels.set(field.model, (labels.get(field.model) ?? new Set()).add(field.edgeLabel ?? field.name));
  const drops: Attributes = {};
  for (const [name, closed] of labels) {
    const members = [...graph.nodes].filter(([, attributes]) => attributes['__class__'] === name).map(([key]) => key);
    const doomed = members.filter((key) => isOnlyCatalogued(graph, key, closed));
    if (doomed.length === 0 || doomed.length === members.length) continue;
    for (const key of doomed) removeNode(graph, key);
    drops[name] = doomed.length;
  }
  if (Object.keys(drops).length > 0) graph.attributes['closed_catalog_drops'] = drops;
}

function isOnlyCatalogued(graph: KnowledgeGraph, key: NodeKey, closed: ReadonlySet<string>): boolean {
  let incoming = 0;
  for (const { source, target, attributes } of graph.edges.values()) {
    if (source === key) return false;
    if (target !== key) continue;
    incoming++;
    if (!closed.has(textOf(attributes['label']) ?? '')) return false;
  }
  return incoming > 0;
}

interface Ranked {
  key: NodeKey;
  filled: number;
  chunks: number;
  incoming: number;
  identity: string;
}

/** Removes the weakest nodes of a class that may have only `graph_max_instances`, and notes them in `demoted_nodes`. */
export function boundInstances(graph: KnowledgeGraph, template: GraphTemplate, profile: Profile): void {
  const demoted: GraphValue[] = [];
  for (const { name, maxInstances, idFields } of template.classes.values()) {
    if (!maxInstances) continue;
    const ranked = [...graph.nodes]
      .filter(([, attributes]) => attributes['__class__'] === name)
      .map(([key, attributes]): Ranked => {
        const identity = idFields.map((field) => canonicalText(field, attributes[field] ?? null, profile)).join('|');
        return { key, ...strength(graph, template.root, key), identity, filled: filledCount(attributes) };
      })
      .sort(
        (left, right) =>
          right.filled - left.filled ||
          right.chunks - left.chunks ||
          right.incoming - left.incoming ||
          (left.identity < right.identity ? -1 : 1),
      );
    for (const { key, identity, filled, chunks, incoming } of ranked.slice(maxInstances)) {
      const facts = { identity, filled, chunks, ext_in: incoming, reason: 'cardinality_bound' };
      demoted.push({ id: String(key), class: name, ...facts });
      removeNode(graph, key);
    }
  }
  if (demoted.length > 0) graph.attributes['demoted_nodes'] = demoted;
}

function strength(graph: KnowledgeGraph, root: string, key: NodeKey): { chunks: number; incoming: number } {
  let incoming = 0;
  for (const { source, target } of graph.edges.values())
    if (target === key && graph.nodes.get(source)?.['__class__'] !== root) incoming++;
  const provenance = graph.nodes.get(key)?.['__provenance__'] as Attributes | undefined;
  const chunks = provenance?.['chunks'];
  return { chunks: Array.isArray(chunks) ? chunks.length : 0, incoming };
}

/** How many attributes say something about the thing itself. */
export function filledCount(attributes: Attributes): number {
  return Object.entries(attributes).filter(([key, value]) => !metaAttributes.has(key) && !isEmpty(value)).length;
}
