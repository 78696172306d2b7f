import { metaAttributes } from '../core/clean';
import { createEdgeIndex } from '../core/edge-index';
import type { KnowledgeGraph, NodeKey } from '../core/knowledge-graph';
import { type Attributes, type GraphValue, isRecord } from '../core/value';
import { listConflictingFields } from './fold';
import { getClassName } from './identity';
import type { Merging, Part } from './merging';

/** Number of characters of a document id in the new id of a node. */
const shownIdLength = 8;

/**
 * Keeps roots of different documents separate if their common identity is only a file name, as in documents without a title.
 * Roots with an identity from the content stay merged.
 */
export function splitRoots(merging: Merging): void {
  const owners = new Map<NodeKey, Part>();
  const roots = merging.parts.map(({ graph }) => collectRoots(graph));
  for (const part of merging.parts) {
    const renames = new Map<NodeKey, NodeKey>();
    for (const key of part.graph.nodes.keys()) {
      const owner = owners.get(key);
      if (!owner || !roots[part.index]?.has(key) || !roots[owner.index]?.has(key)) continue;
      const renamed = splitRoot(merging, { part, owner, key });
      if (renamed !== undefined) renames.set(key, renamed);
    }
    rename(part.graph, renames);
    if (renames.size > 0) roots[part.index] = collectRoots(part.graph);
    for (const key of part.graph.nodes.keys()) if (!owners.has(key)) owners.set(key, part);
  }
}

interface Collision {
  part: Part;
  owner: Part;
  key: NodeKey;
}

function splitRoot({ idFields, report }: Merging, { part, owner, key }: Collision): string | undefined {
  const both = `Root node ${String(key)} appears in both ${owner.source} and ${part.source}`;
  if (!part.ledger || !owner.ledger) {
    report.warnings.push(`${both}; no provenance ledgers to verify distinct documents — merging them`);
    return undefined;
  }
  if (part.documentId === owner.documentId) return undefined;
  const attributes = part.graph.nodes.get(key) ?? {};
  const fields = idFields.get(getClassName(attributes)) ?? [];
  const stems = new Set([findStem(part.ledger), findStem(owner.ledger)].filter((stem) => stem !== undefined));
  const named = fields.length > 0 ? fields : Object.keys(attributes).filter((field) => !metaAttributes.has(field));
  const value = named.map((field) => attributes[field]).find((item) => typeof item === 'string' && stems.has(item));
  if (value === undefined) {
    if (fields.length === 0)
      report.warnings.push(
        `${both} (distinct documents per their ledgers), but its class declares no id fields and no attribute matches a ` +
          'source filename stem — cannot rule out cross-document fusion; merging them',
      );
    return undefined;
  }
  const id = `${String(key)}__doc_${Array.from(part.documentId).slice(0, shownIdLength).join('')}`;
  attributes['skolem_document_id'] = part.documentId;
  report.root_skolemized.push({
    original_id: String(key),
    skolemized_id: id,
    identity_value: value,
    document_id: part.documentId,
    source: part.source,
    collided_with: owner.source,
  });
  return id;
}

// The file name without its last extension.
function findStem(ledger: Attributes): string | undefined {
  const document = ledger['document'];
  const source = isRecord(document) ? document['source'] : undefined;
  if (typeof source !== 'string' || source === '') return undefined;
  const name =
    source
      .split('/')
      .filter((part) => part !== '' && part !== '.')
      .at(-1) ?? '';
  const dot = name.lastIndexOf('.');
  return dot > 0 && dot < name.length - 1 ? name.slice(0, dot) : name;
}

/** The nodes without incoming edges. */
function collectRoots(graph: KnowledgeGraph): Set<NodeKey> {
  const roots = new Set(graph.nodes.keys());
  for (const { target } of graph.edges.values()) roots.delete(target);
  return roots;
}

interface JudgedCollision extends Collision {
  conflicts: string[];
  name: string;
}

/**
 * Keeps nodes with equal ids separate if they share no root and contradict each other: identities such as line numbers are unique
 * only within one document. One such pair separates all nodes of the class in these two inputs.
 */
export function splitConflicts(merging: Merging): void {
  const { parts, report } = merging;
  const scopes = parts.map(({ graph }) => createScopes(graph));
  const owners = new Map<NodeKey, Part>();
  for (const part of parts) {
    const collisions = listCollisions(merging, part, owners, (index, key) => scopes[index]?.(key) ?? new Set());
    const triggers = new Map<string, NodeKey>();
    for (const { owner, conflicts, name, key } of collisions) {
      const group = `${owner.index} ${name}`;
      if (conflicts.length > 0 && name !== '' && !triggers.has(group)) triggers.set(group, key);
    }
    const renames = new Map<NodeKey, NodeKey>();
    for (const candidate of collisions) {
      const trigger = candidate.name === '' ? undefined : triggers.get(`${candidate.owner.index} ${candidate.name}`);
      if (candidate.conflicts.length === 0 && trigger === undefined) continue;
      const { record, id } = buildSplit(candidate, trigger);
      renames.set(candidate.key, id);
      report.cross_document_splits.push(record);
    }
    rename(part.graph, renames);
    if (renames.size > 0) scopes[part.index] = createScopes(part.graph);
    for (const key of part.graph.nodes.keys()) if (!owners.has(key)) owners.set(key, part);
  }
}

function listCollisions(
  { policy }: Merging,
  part: Part,
  owners: ReadonlyMap<NodeKey, Part>,
  scopeOf: (index: number, key: NodeKey) => ReadonlySet<NodeKey>,
): JudgedCollision[] {
  const collisions: JudgedCollision[] = [];
  for (const [key, attributes] of part.graph.nodes) {
    const owner = owners.get(key);
    if (!owner) continue;
    const scope = scopeOf(owner.index, key);
    if ([...scopeOf(part.index, key)].some((root) => scope.has(root))) continue;
    const conflicts = listConflictingFields(owner.graph.nodes.get(key) ?? {}, attributes, policy);
    collisions.push({ part, owner, key, conflicts, name: getClassName(attributes) });
  }
  return collisions;
}

function buildSplit({ part, owner, key, conflicts, name }: JudgedCollision, trigger: NodeKey | undefined) {
  const stamp = part.documentId || `input-${part.index}`;
  const suffix = part.documentId
    ? `doc_${Array.from(part.documentId).slice(0, shownIdLength).join('')}`
    : `src_${part.index}`;
  const id = `${String(key)}__${suffix}`;
  const attributes = part.graph.nodes.get(key);
  if (attributes) attributes['skolem_document_id'] = stamp;
  const hasConflict = conflicts.length > 0;
  const record: { [key: string]: GraphValue } = {
    original_id: String(key),
    split_id: id,
    class: name,
    conflicting_fields: conflicts,
    reason: hasConflict ? 'field-conflict' : 'same-class-conflict',
    document_id: part.documentId,
    source: part.source,
    collided_with: owner.source,
  };
  if (!hasConflict && trigger !== undefined) record['triggered_by'] = String(trigger);
  return { record, id };
}

/** Returns a function for the roots above a node, or the node itself if it is a root. Results are cached. */
function createScopes(graph: KnowledgeGraph): (key: NodeKey) => ReadonlySet<NodeKey> {
  const parents = new Map<NodeKey, NodeKey[]>();
  for (const { source, target } of graph.edges.values()) {
    const parent = parents.get(target);
    if (parent) parent.push(source);
    else parents.set(target, [source]);
  }
  const keys = new Map<NodeKey, ReadonlySet<NodeKey>>();
  return (key) => {
    const existing = keys.get(key);
    if (existing) return existing;
    const above = new Set([key]);
    for (const nodeKey of above) for (const parent of parents.get(nodeKey) ?? []) above.add(parent);
    const roots = new Set([...above].filter((nodeKey) => !parents.has(nodeKey)));
    keys.set(key, roots);
    return roots;
  };
}

/** Gives nodes new ids, one after another. Each node and its edges move to the end, outgoing edges first. */
function rename(graph: KnowledgeGraph, renames: ReadonlyMap<NodeKey, NodeKey>): void {
  if (renames.size === 0) return;
  const edgeIndex = createEdgeIndex(graph);
  for (const [key, id] of renames) {
    const attributes = graph.nodes.get(key) ?? {};
    const edges = [...edgeIndex.outOf(key), ...edgeIndex.into(key)];
    edgeIndex.remove(key);
    graph.nodes.set(id, { ...attributes, id });
    const toNewKey = (end: NodeKey) => (end === key ? id : end);
    for (const { source, target, attributes } of edges)
      edgeIndex.add({ source: toNewKey(source), target: toNewKey(target), attributes });
  }
}
