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
const contextLength = 160;

/** Reads a `graph.json`. Never throws: data of a different form is skipped. */
export function readGraph(data: unknown): Knowledge {
  const { nodes, edges } = toMembers(data);
  const knowledgeNodes = toList(nodes).map(readNode);
  const nodeIds = new Set(knowledgeNodes.map(({ id }) => id));
  const linked = toList(edges)
    .map(({ source, target, label }) => ({ source: toKey(source), target: toKey(target), label: toText(label) }))
    .filter(({ source, target }) => nodeIds.has(source) && nodeIds.has(target));
  const counts = new Map<string, number>();
  for (const { type } of knowledgeNodes) counts.set(type, (counts.get(type) ?? 0) + 1);
  const types = [...counts].toSorted(([, count], [, other]) => other - count).map(([type]) => type);
  return { nodes: knowledgeNodes, edges: linked, types };
}

/** Converts a node for display; its id is the id in the API. */
export function toKnowledgeNode({
  id,
  label,
  properties,
}: Pick<GraphNode, 'id' | 'label' | 'properties'>): KnowledgeNode {
  const attributes = Object.entries(properties).filter(([, value]) => !isEmpty(value));
  return { id, type: label, title: findTitle(attributes) || id, attributes };
}

/** Returns the passages that state the values of a node, each once, from a `provenance.json`. */
export function listPassages(node: KnowledgeNode, ledger: unknown): Passage[] {
  const { nodes, chunks } = toMembers(ledger);
  const attributes = new Map(node.attributes);
  const isOfNode = ({ node_type: type, ids }: Members) =>
    type === node.type &&
    Object.keys(toMembers(ids)).length > 0 &&
    Object.entries(toMembers(ids)).every(([field, value]) => toText(attributes.get(field)) === toText(value));
  const values = Object.values(toMembers(nodes))
    .map(toMembers)
    .filter(isOfNode)
    .flatMap((members) => toList(members['values']));
  const passages = values.flatMap((value) => readPassage(value, toMembers(chunks)));
  const seen = new Set<string>();
  return passages.filter(({ field, before, said, page }) => {
    const key = JSON.stringify([field, before, said, page]);
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
}

/** Returns the node and its nearest nodes, at most `maxNodes`; without a node, those around the node with the most edges. */
export function nearest({ nodes, edges }: Knowledge, from: string | undefined, maxNodes: number): Set<string> {
  if (nodes.length <= maxNodes) return new Set(nodes.map(({ id }) => id));
  const neighbours = buildNeighbours(edges);
  const byEdges = nodes
    .map(({ id }) => id)
    .toSorted((value, other) => (neighbours.get(other)?.length ?? 0) - (neighbours.get(value)?.length ?? 0));
  const nearIds = new Set<string>();
  // When one part of the graph is exhausted, the search continues at the centre of the next one.
  for (const start of from === undefined ? byEdges : [from]) {
    const waiting = [start];
    for (const id of waiting) {
      if (nearIds.size >= maxNodes) return nearIds;
      if (nearIds.has(id)) continue;
      nearIds.add(id);
      waiting.push(...(neighbours.get(id) ?? []));
    }
  }
  return nearIds;
}

function buildNeighbours(edges: readonly KnowledgeEdge[]): Map<string, string[]> {
  const neighbours = new Map<string, string[]>();
  const add = (from: string, to: string) => neighbours.set(from, [...(neighbours.get(from) ?? []), to]);
  for (const { source, target } of edges) {
    add(source, target);
    add(target, source);
  }
  return neighbours;
}

function readNode(record: Members): KnowledgeNode {
  const attributes = Object.entries(record).filter(([name, value]) => !reservedAttributes.has(name) && !isEmpty(value));
  const id = toKey(record['id']);
  return { id, type: toText(record['label']), title: findTitle(attributes) || toText(record['id']), attributes };
}

function findTitle(attributes: KnowledgeNode['attributes']): string {
  const texts = attributes.filter(([, value]) => typeof value === 'string' && value.trim() !== '');
  const named = texts.find(([name]) => name === 'name' || name === 'title') ?? texts[0];
  return toText(named?.[1]);
}

function readPassage(value: Members, chunks: Members): Passage[] {
  const { field, chunk_id: chunk, page, span } = value;
  const [start, end] = Array.isArray(span) ? span.map(Number) : [];
  const { text } = toMembers(chunks[String(chunk)]);
  if (typeof text !== 'string' || start === undefined || end === undefined) return [];
  // Positions count code points.
  const characters = Array.from(text);
  const cut = (from: number, to: number) =>
    decodeEntities(characters.slice(Math.max(0, from), Math.max(0, to)).join(''));
  return [
    {
      field: toText(field),
      before: (start > contextLength ? '… ' : '') + cut(start - contextLength, start),
      said: cut(start, end),
      after: cut(end, end + contextLength) + (characters.length > end + contextLength ? ' …' : ''),
      page: typeof page === 'number' ? page : null,
    },
  ];
}

const entities: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>' };

/** Passages are cut from Markdown, which writes these signs as entities. */
function decodeEntities(markdown: string): string {
  return markdown.replace(/&(?:amp|lt|gt);/g, (entity) => entities[entity] ?? entity);
}

function toMembers(value: unknown): Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : {};
}

function toList(value: unknown): Members[] {
  return Array.isArray(value) ? value.map(toMembers) : [];
}

/** A text that identifies a node: ids are texts, numbers or booleans, and `1` is not `"1"`. */
function toKey(id: unknown): string {
  return JSON.stringify(id) ?? '';
}

function toText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return value === null || value === undefined ? '' : JSON.stringify(value);
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
