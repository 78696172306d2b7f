import type { GraphNode } from '../../client';

/** A node of a knowledge graph for display. */
export interface KnowledgeNode {
  id: string;
  type: string;
  title: string;
  attributes: [name: string, value: unknown][];
}

export interface KnowledgeEdge {
  source: string;
  target: string;
  label: string;
}

/** A graph read from its `graph.json`; edges to missing nodes are dropped. */
export interface Knowledge {
  nodes: KnowledgeNode[];
  edges: KnowledgeEdge[];
  /** Each type once, ordered by frequency. */
  types: string[];
}

/** A passage of the document that states the value of a field; `said` is the value itself. */
export interface Passage {
  field: string;
  before: string;
  said: string;
  after: string;
  page: number | null;
}

type Members = Record<string, unknown>;
const reservedAttributes = new Set(['id', 'label', 'type', '__class__', '__provenance__']);
/** Number of characters of a passage around a value. */
const around = 160;

/** Reads a `graph.json`. Never throws: data of a different form is skipped. */
export function readGraph(data: unknown): Knowledge {
  const { nodes, edges } = getMembers(data);
  const read = toList(nodes).map(readNode);
  const nodeIds = new Set(read.map(({ id }) => id));
  const linked = toList(edges)
    .map(({ source, target, label }) => ({ source: getKey(source), target: getKey(target), label: getText(label) }))
    .filter(({ source, target }) => nodeIds.has(source) && nodeIds.has(target));
  const counts = new Map<string, number>();
  for (const { type } of read) counts.set(type, (counts.get(type) ?? 0) + 1);
  const types = [...counts].toSorted(([, one], [, other]) => other - one).map(([type]) => type);
  return { nodes: read, edges: linked, types };
}

/** Converts a node for display; its id is the id in the API. */
export function toKnowledgeNode({
  id,
  label,
  properties,
}: Pick<GraphNode, 'id' | 'label' | 'properties'>): KnowledgeNode {
  const attributes = Object.entries(properties).filter(([, value]) => !isEmpty(value));
  return { id, type: label, title: getTitle(attributes) || id, attributes };
}

/** Returns the passages that support the data of a node, from a `provenance.json`. */
export function listPassages(node: KnowledgeNode, ledger: unknown): Passage[] {
  const { nodes, chunks } = getMembers(ledger);
  const attributes = new Map(node.attributes);
  const isOfNode = ({ node_type: type, ids }: Members) =>
    type === node.type &&
    Object.keys(getMembers(ids)).length > 0 &&
    Object.entries(getMembers(ids)).every(([field, value]) => getText(attributes.get(field)) === getText(value));
  const values = Object.values(getMembers(nodes))
    .map(getMembers)
    .filter(isOfNode)
    .flatMap((members) => toList(members['values']));
  const passages = values.flatMap((value) => getPassage(value, getMembers(chunks)));
  const seen = new Set<string>();
  return passages.filter(({ field, before, said, page }) => {
    const key = JSON.stringify([field, before, said, page]);
    return seen.size < seen.add(key).size;
  });
}

/** Returns the node and its nearest nodes, at most `most`; without a node, those around the node with the most edges. */
export function nearest({ nodes, edges }: Knowledge, from: string | undefined, maxNodes: number): Set<string> {
  if (nodes.length <= maxNodes) return new Set(nodes.map(({ id }) => id));
  const next = buildNeighbours(edges);
  const byEdges = nodes
    .map(({ id }) => id)
    .toSorted((value, other) => (next.get(other)?.length ?? 0) - (next.get(value)?.length ?? 0));
  const nearIds = new Set<string>();
  // When one part of the graph is exhausted, the search continues at the centre of the next one.
  for (const start of from === undefined ? byEdges : [from]) {
    const waiting = [start];
    for (const id of waiting) {
      if (nearIds.size >= maxNodes) return nearIds;
      if (nearIds.has(id)) continue;
      nearIds.add(id);
      waiting.push(...(next.get(id) ?? []));
    }
  }
  return nearIds;
}

function buildNeighbours(edges: readonly KnowledgeEdge[]): Map<string, string[]> {
  const next = new Map<string, string[]>();
  const add = (from: string, to: string) => next.set(from, [...(next.get(from) ?? []), to]);
  for (const { source, target } of edges) {
    add(source, target);
    add(target, source);
  }
  return next;
}

function readNode(record: Members): KnowledgeNode {
  const attributes = Object.entries(record).filter(([name, value]) => !reservedAttributes.has(name) && !isEmpty(value));
  const id = getKey(record['id']);
  return { id, type: getText(record['label']), title: getTitle(attributes) || getText(record['id']), attributes };
}

function getTitle(attributes: KnowledgeNode['attributes']): string {
  const texts = attributes.filter(([, value]) => typeof value === 'string' && value.trim() !== '');
  const named = texts.find(([name]) => name === 'name' || name === 'title') ?? texts[0];
  return getText(named?.[1]);
}

function getPassage(value: Members, chunks: Members): Passage[] {
  const { field, chunk_id: chunk, page, span } = value;
  const [start, end] = Array.isArray(span) ? span.map(Number) : [];
  const { text } = getMembers(chunks[String(chunk)]);
  if (typeof text !== 'string' || start === undefined || end === undefined) return [];
  // Positions count code points.
  const letters = Array.from(text);
  const cut = (from: number, to: number) => letters.slice(Math.max(0, from), Math.max(0, to)).join('');
  return [
    {
      field: getText(field),
      before: (start > around ? '… ' : '') + cut(start - around, start),
      said: cut(start, end),
      after: cut(end, end + around) + (letters.length > end + around ? ' …' : ''),
      page: typeof page === 'number' ? page : null,
    },
  ];
}

function getMembers(value: unknown): Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : {};
}

function toList(value: unknown): Members[] {
  return Array.isArray(value) ? value.map(getMembers) : [];
}

/** Graph ids are texts, numbers or booleans, and `1` is not `"1"`. */
function getKey(id: unknown): string {
  return JSON.stringify(id) ?? '';
}

function getText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return value === null || value === undefined ? '' : JSON.stringify(value);
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
