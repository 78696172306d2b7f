import { countFilled } from '../core/clean';
import { canonicalText, type Profile } from '../core/identity';
import { compareCodePoints } from '../core/json-text';
import { type KnowledgeGraph, type NodeKey, removeNodes, findText } from '../core/knowledge-graph';
import { weighProvenance } from '../core/provenance-views';
import type { Attributes, GraphValue } from '../core/value';
import type { GraphTemplate, TemplateClass } from '../template/model';

/** Marks edges of closed-catalogue fields with their label, until `dropClosedCatalogs` has processed them. */
export const closedMark = '_closed_catalog';

/**
 * Removes choices that are only catalogue entries: edges to nodes reached only through closed-catalogue fields, and those nodes
 * if nothing else references them. A class keeps its nodes if it would lose all. `closed_catalog_drops` counts by label.
 */
export function dropClosedCatalogs(graph: KnowledgeGraph): void {
  const drops = new Map<string, number>();
  const doomed = new Set(listClosedNodes(graph));
  const held = new Set<NodeKey>();
  for (const [id, { source, target, attributes }] of doomed.size > 0 ? graph.edges : []) {
    if (doomed.has(target)) {
      const label = findText(attributes['label']) ?? '';
      drops.set(label, (drops.get(label) ?? 0) + 1);
      graph.edges.delete(id);
    } else if (doomed.has(source)) held.add(source);
  }
  for (const key of doomed) if (!held.has(key)) graph.nodes.delete(key);
  if (drops.size > 0) graph.attributes['closed_catalog_drops'] = Object.fromEntries(drops);
  for (const { attributes } of graph.edges.values()) delete attributes[closedMark];
}

// An edge overwritten by a later field carries the mark of another label.
const isMarked = ({ label, [closedMark]: mark }: Attributes) => mark !== undefined && mark === label;

function listClosedNodes(graph: KnowledgeGraph): NodeKey[] {
  const open = new Set<NodeKey>();
  const marked = new Set<NodeKey>();
  for (const { target, attributes } of graph.edges.values()) (isMarked(attributes) ? marked : open).add(target);
  if (marked.size === 0) return [];
  const byClass = new Map<string, { all: number; doomed: NodeKey[] }>();
  for (const [key, attributes] of graph.nodes) {
    const name = findText(attributes['__class__']) ?? '';
    const group = byClass.get(name) ?? { all: 0, doomed: [] };
    byClass.set(name, group);
    group.all++;
    if (marked.has(key) && !open.has(key)) group.doomed.push(key);
  }
  return [...byClass.values()].flatMap(({ all, doomed }) => (doomed.length < all ? doomed : []));
}

interface Bounds {
  template: GraphTemplate;
  /** The classes with known identity fields. */
  classes: readonly TemplateClass[];
  profile: Profile;
}

/** Removes the weakest nodes of a class limited by `graph_max_instances`, and records them in `demoted_nodes`. */
export function limitInstances(graph: KnowledgeGraph, { template, classes, profile }: Bounds): void {
  const demoted: GraphValue[] = [];
  const bounded = classes.filter(({ maxInstances }) => maxInstances !== undefined);
  for (const templateClass of bounded.sort((left, right) => compareCodePoints(left.name, right.name))) {
    const members = [...graph.nodes].filter(([, attributes]) => attributes['__class__'] === templateClass.name);
    const incoming = collectIncomingCounts(graph, template.root);
    const ranked = members
      .map(([key, attributes]) => ({
        key,
        attributes,
        filled: countFilled(attributes),
        chunks: weighProvenance(attributes['__provenance__'] ?? null),
        incoming: incoming.get(key) ?? 0,
        identity: templateClass.idFields
          .map((field) => canonicalText(field, attributes[field] ?? null, profile))
          .join(''),
      }))
      .sort(
        (left, right) =>
          right.filled - left.filled ||
          right.chunks - left.chunks ||
          right.incoming - left.incoming ||
          compareCodePoints(left.identity, right.identity) ||
          compareCodePoints(String(left.key), String(right.key)),
      );
    const weak = new Set<NodeKey>();
    for (const { key, attributes, filled, chunks, incoming: count } of ranked.slice(templateClass.maxInstances)) {
      const identity = Object.fromEntries(templateClass.idFields.map((field) => [field, attributes[field] ?? null]));
      const facts = { identity, filled, chunks, ext_in: count, reason: 'cardinality_bound' };
      demoted.push({ id: String(key), class: templateClass.name, ...facts });
      weak.add(key);
    }
    removeNodes(graph, weak);
  }
  if (demoted.length > 0) graph.attributes['demoted_nodes'] = demoted;
}

function collectIncomingCounts(graph: KnowledgeGraph, root: string): Map<NodeKey, number> {
  const counts = new Map<NodeKey, number>();
  for (const { source, target } of graph.edges.values())
    if (graph.nodes.get(source)?.['__class__'] !== root) counts.set(target, (counts.get(target) ?? 0) + 1);
  return counts;
}
