import { countFilled } from '../core/clean';
import { compareCodePoints } from '../core/json-text';
import {
  createGraph,
  getEdgeKey,
  edgesOf,
  type GraphEdge,
  type KnowledgeGraph,
  type NodeKey,
} from '../core/knowledge-graph';
import { mergeNodeViews, weighProvenance } from '../core/provenance-views';
import { type Attributes, type GraphValue, setMember } from '../core/value';
import { foldAttributes } from './fold';
import { addFolded, getClassName, isVariant, uniteRecords, buildVariantId } from './identity';
import type { Merging } from './merging';

interface Occurrence {
  position: number;
  attributes: Attributes;
}
/** Differing values of one source for a node. */
interface Suppressed {
  base: NodeKey;
  position: number;
  dropped: Attributes;
  view: GraphValue;
}

/** The union of all parts: nodes with equal ids become one, and so do their edges. */
export function foldAll(merging: Merging): KnowledgeGraph {
  const { parts, report, profile } = merging;
  const occurrences = new Map<NodeKey, Occurrence[]>();
  for (const { graph, index } of parts)
    for (const [key, attributes] of graph.nodes) {
      const earlier = occurrences.get(key);
      if (earlier) earlier.push({ position: index, attributes });
      else occurrences.set(key, [{ position: index, attributes }]);
    }
  const merged = createGraph({ isMulti: profile === 'spec' });
  const suppressed: Suppressed[] = [];
  for (const [key, sameNodes] of occurrences) {
    report.nodes_folded += sameNodes.length - 1;
    const [only] = sameNodes;
    const isAlone = sameNodes.length === 1 && only;
    merged.nodes.set(key, isAlone ? { ...only.attributes } : foldNode(merging, key, sameNodes, suppressed));
  }
  foldEdges(merging, merged);
  if (merging.policy.conflicts === 'variants') for (const item of suppressed) addVariant(merging, merged, item);
  return merged;
}

function foldNode(merging: Merging, key: NodeKey, occurrences: Occurrence[], suppressed: Suppressed[]): Attributes {
  const { policy, parts, report } = merging;
  const ordered = policy.precedence === 'richest' ? [...occurrences].sort(compareRichness) : occurrences;
  const [first, ...others] = ordered;
  const base: Attributes = { ...first?.attributes };
  let view = base['__provenance__'] ?? null;
  let records = uniteRecords(base['merged_from'], []);
  let aliases = uniteRecords(base['merged_aliases'], []);
  let conflictRecords = uniteRecords(base['__conflicts__'], []);
  for (const { position, attributes } of others) {
    const conflicts = foldAttributes(base, attributes, { policy, source: parts[position]?.source ?? '' });
    report.field_conflicts.push(...conflicts);
    if (conflicts.length > 0 && !isVariant(base)) {
      const dropped: Attributes = {};
      for (const conflict of conflicts) setMember(dropped, conflict.field, conflict.dropped);
      suppressed.push({ base: key, position, dropped, view: attributes['__provenance__'] ?? null });
    }
    view = mergeNodeViews(view, attributes['__provenance__'] ?? null);
    records = uniteRecords(records, attributes['merged_from']);
    aliases = uniteRecords(aliases, attributes['merged_aliases']);
    conflictRecords = uniteRecords(uniteRecords(conflictRecords, base['__conflicts__']), attributes['__conflicts__']);
  }
  if (view !== null) base['__provenance__'] = view;
  if (conflictRecords.length > 0) base['__conflicts__'] = conflictRecords;
  if (aliases.length > 0) base['merged_aliases'] = aliases;
  const sources = ordered.map(({ position }) => ({
    document_id: parts[position]?.documentId ?? '',
    source: parts[position]?.source ?? '',
  }));
  base['merged_from'] = uniteRecords(records, sources);
  return base;
}

function compareRichness(left: Occurrence, right: Occurrence): number {
  const weight = ({ attributes }: Occurrence) => weighProvenance(attributes['__provenance__'] ?? null);
  const filled = countFilled(right.attributes) - countFilled(left.attributes);
  return filled || weight(right) - weight(left) || left.position - right.position;
}

// Edge by edge, so that the report groups all contradictions of an edge.
function foldEdges({ parts, report }: Merging, merged: KnowledgeGraph): void {
  const occurrences = new Map<string, { edge: GraphEdge; source: string }[]>();
  for (const { graph, source } of parts) {
    for (const edge of edgesOf(graph)) {
      const key = getEdgeKey(merged, edge);
      const earlier = occurrences.get(key);
      if (earlier) earlier.push({ edge, source });
      else occurrences.set(key, [{ edge, source }]);
    }
  }
  for (const occurrence of occurrences.values()) {
    for (const { edge, source } of occurrence) {
      const conflict = addFolded(merged, edge, source);
      if (conflict) report.edge_label_conflicts.push(conflict);
    }
  }
}

// A second merge of the same source finds the existing node.
function addVariant({ parts, report }: Merging, merged: KnowledgeGraph, item: Suppressed): void {
  const { base, position, dropped, view } = item;
  const stamp = parts[position]?.documentId || `input-${position}`;
  const id = buildVariantId(base, stamp);
  if (merged.nodes.has(id)) return;
  const name = getClassName(merged.nodes.get(base) ?? {});
  merged.nodes.set(id, {
    id,
    label: name ? `${name}Variant` : 'ConflictVariant',
    type: 'variant',
    __class__: name,
    ...dropped,
    variant_of: String(base),
    variant_document_id: stamp,
    ...(view === null ? {} : { __provenance__: view }),
  });
  const fields = Object.keys(dropped).sort(compareCodePoints);
  addFolded(
    merged,
    { source: base, target: id, attributes: { label: 'HAS_CONFLICT_VARIANT', document_id: stamp, fields } },
    stamp,
  );
  report.conflict_variants++;
}
