import { createHash } from 'node:crypto';
import { metaAttributes } from '../core/clean';
import { ConfigurationError } from '../core/errors';
import { canonicalizeValue, type Profile } from '../core/identity';
import {
  addEdge,
  createGraph,
  edgesOf,
  type GraphEdge,
  type KnowledgeGraph,
  type NodeKey,
} from '../core/knowledge-graph';
import { mergeNodeViews } from '../core/provenance-views';
import { type Attributes, type GraphValue, isRecord } from '../core/value';
import { writePythonJson, writePythonText } from '../peer/python-text';
import { type EdgeConflict, type FieldConflict, foldAttributes, foldEdge, type Folding, areEqual } from './fold';

/** The id fields of each class. */
export type IdFields = ReadonlyMap<string, readonly string[]>;

/** The class of a node; empty when it has none. */
export const getClassName = ({ __class__: name }: Attributes) => (name ? writePythonText(name) : '');

/** True for nodes that hold values a merge could not combine. */
export const isVariant = ({ type }: Attributes) => type === 'variant';

/** The id of the node that holds one source's differing values for another node. */
export function buildVariantId(base: NodeKey, stamp: string): string {
  const suffix = stamp.startsWith('input-')
    ? `in${stamp.slice('input-'.length)}`
    : Array.from(stamp).slice(0, shownIdLength).join('');
  return `${String(base)}__var_${suffix}`;
}

const shownIdLength = 8;

const isoTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:?\d{2})?$/;

// Ids were computed from times with a space; exports have a T.
function restoreTimes(value: GraphValue): GraphValue {
  if (Array.isArray(value)) return value.map(restoreTimes);
  return typeof value === 'string' && isoTime.test(value) ? value.replace('T', ' ') : value;
}

/** Recomputes the id of an exported node from its identity. Throws a ConfigurationError for a node without class. */
function recomputeId(attributes: Attributes, idFields: readonly string[], profile: Profile): string {
  const name = getClassName(attributes);
  if (name === '')
    throw new ConfigurationError('A node has no __class__; its id cannot be recomputed', {
      node: attributes['id'] ? writePythonText(attributes['id']) : '',
    });
  const content: Attributes = {};
  for (const field of idFields)
    if (Object.hasOwn(attributes, field))
      content[field] = canonicalizeValue(field, restoreTimes(attributes[field] ?? null), profile);
  if (idFields.length === 0)
    for (const [field, value] of Object.entries(attributes))
      if (!metaAttributes.has(field) && isFilledScalar(value)) content[field] = restoreTimes(value);
  const split = attributes['skolem_document_id'];
  if (split) content['skolem_document_id'] = writePythonText(split);
  content['__class__'] = name;
  const text = writePythonJson(content, { isSorted: true, isAscii: true });
  return `${name}_${createHash('blake2b512').update(text).digest('hex').slice(0, 16)}`;
}

const isFilledScalar = (value: GraphValue) =>
  !Array.isArray(value) && !isRecord(value) && !areEqual(value, 0) && !!value;

/** A graph with recomputed ids, and the conflicts between nodes that became one. */
export interface Rekeyed {
  graph: KnowledgeGraph;
  changed: number;
  fieldConflicts: FieldConflict[];
  edgeConflicts: EdgeConflict[];
}

/** Recomputes all ids; merges nodes with the same identity. */
export function recomputeIds(graph: KnowledgeGraph, idFields: IdFields, folding: Folding, profile: Profile): Rekeyed {
  const ids = collectNewIds(graph, idFields, folding.source, profile);
  const result: Rekeyed = {
    graph: { ...createGraph({ isMulti: graph.isMulti }), attributes: graph.attributes },
    changed: [...ids].filter(([old, id]) => old !== id).length,
    fieldConflicts: [],
    edgeConflicts: [],
  };
  for (const [key, attributes] of graph.nodes) {
    const id = ids.get(key) ?? key;
    const incoming: Attributes = { ...attributes, id };
    const base = isVariant(attributes) ? findBase(attributes, ids) : undefined;
    if (base !== undefined) incoming['variant_of'] = base;
    const existing = result.graph.nodes.get(id);
    if (existing) result.fieldConflicts.push(...foldNode(existing, incoming, folding));
    else result.graph.nodes.set(id, incoming);
  }
  for (const edge of edgesOf(graph)) {
    const [source, target] = [ids.get(edge.source) ?? edge.source, ids.get(edge.target) ?? edge.target];
    const conflict = addFolded(result.graph, { source, target, attributes: edge.attributes }, folding.source);
    if (conflict) result.edgeConflicts.push(conflict);
  }
  return result;
}

// Variants have no identity of their own; they follow their base node.
function collectNewIds(
  graph: KnowledgeGraph,
  idFields: IdFields,
  source: string,
  profile: Profile,
): Map<NodeKey, NodeKey> {
  const ids = new Map<NodeKey, NodeKey>();
  const classes = new Map<NodeKey, string>();
  const nodes = [...graph.nodes];
  for (const [key, attributes] of nodes.filter(([, node]) => !isVariant(node))) {
    const name = getClassName(attributes);
    const id = recomputeId(attributes, idFields.get(name) ?? [], profile);
    const other = classes.get(id);
    if (other !== undefined && other !== name)
      throw new ConfigurationError(`The new id ${id} belongs to the classes ${other} and ${name}`, {
        node_id: String(key),
        source,
      });
    classes.set(id, name);
    ids.set(key, id);
  }
  for (const [key, attributes] of nodes.filter(([, node]) => isVariant(node))) {
    const stamp = attributes['variant_document_id'];
    const base = findBase(attributes, ids);
    ids.set(key, base !== undefined && stamp ? buildVariantId(base, writePythonText(stamp)) : key);
  }
  return ids;
}

function findBase({ variant_of: base }: Attributes, ids: ReadonlyMap<NodeKey, NodeKey>): string | undefined {
  const id = typeof base === 'string' || typeof base === 'number' ? ids.get(base) : undefined;
  return id === undefined ? undefined : String(id);
}

function foldNode(existing: Attributes, incoming: Attributes, folding: Folding): FieldConflict[] {
  const conflicts = foldAttributes(existing, incoming, folding);
  const aliases = uniteRecords(existing['merged_aliases'], incoming['merged_aliases']);
  if (aliases.length > 0) existing['merged_aliases'] = aliases;
  const view = mergeNodeViews(existing['__provenance__'] ?? null, incoming['__provenance__'] ?? null);
  if (view !== null) existing['__provenance__'] = view;
  return conflicts;
}

/** Combines the records of two earlier merges without duplicates. */
export function uniteRecords(existing: GraphValue | undefined, more: GraphValue | undefined): GraphValue[] {
  const united = Array.isArray(existing) ? [...existing] : [];
  for (const entry of Array.isArray(more) ? more : [])
    if (!united.some((record) => areEqual(record, entry))) united.push(entry);
  return united;
}

/** Adds an edge, or merges it into the one with the same ends (and, in a multigraph, label). */
export function addFolded(graph: KnowledgeGraph, edge: GraphEdge, from: string): EdgeConflict | undefined {
  const count = graph.edges.size;
  // Probes with the label only, so that attributes of an existing edge are not overwritten.
  const { label } = edge.attributes;
  const probe: GraphEdge = { ...edge, attributes: graph.isMulti && label !== undefined ? { label } : {} };
  const key = addEdge(graph, probe);
  const existing = graph.edges.get(key);
  if (!existing) return undefined;
  if (graph.edges.size > count) {
    existing.attributes = { ...edge.attributes };
    return undefined;
  }
  return foldEdge(edge, existing.attributes, edge.attributes, from);
}
