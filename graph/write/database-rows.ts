import { type AnyGraph, copyGraph } from '../core/graphology';
import { jsonText } from '../core/json-text';
import { edgesOf, type GraphEdge, type NodeKey, findText } from '../core/knowledge-graph';
import { type Attributes, type GraphValue, TypedValue } from '../core/value';
import { writePythonText } from '../peer/python-text';
import type { GraphStream } from '../stream/graph-stream';
import { NodeLabels } from '../stream/node-numbers';

/** A property value of a database. Integers are bigints, so that they stay integers. */
export type DatabaseValue = string | bigint | number | boolean | (string | bigint | number | boolean)[];

export interface DatabaseNode {
  label: string;
  id: DatabaseValue;
  properties: Record<string, DatabaseValue>;
}
export interface DatabaseEdge {
  type: string;
  source: { label: string; id: DatabaseValue };
  target: { label: string; id: DatabaseValue };
  properties: Record<string, DatabaseValue>;
}

/** Converts a graph to rows for a property graph database, with the same values as `graph.cypher` in the profile `spec`. */
export function databaseRows(givenGraph: AnyGraph): { nodes: DatabaseNode[]; edges: DatabaseEdge[] } {
  const graph = copyGraph(givenGraph);
  const ends = new Map<NodeKey, { label: string; id: DatabaseValue }>();
  const nodes = [...graph.nodes].map(([key, attributes]): DatabaseNode => {
    const node = buildDatabaseNode(key, attributes);
    ends.set(key, { label: node.label, id: node.id });
    return node;
  });
  const edges = edgesOf(graph).flatMap((edge): DatabaseEdge[] => {
    const [source, target] = [ends.get(edge.source), ends.get(edge.target)];
    return source && target ? [buildDatabaseEdge(edge, { source, target })] : [];
  });
  return { nodes, edges };
}

/**
 * Like `databaseRows`, for a graph that does not fit into memory: creates rows while they are read, nodes before edges.
 * Keeps one number per node in memory.
 */
export function databaseRowsOfStream(stream: GraphStream): {
  nodes: AsyncIterable<DatabaseNode>;
  edges: AsyncIterable<DatabaseEdge>;
} {
  const labels = new NodeLabels();
  async function* readNodes() {
    for await (const [key, attributes] of stream.nodes()) {
      const node = buildDatabaseNode(key, attributes);
      labels.add(key, node.label);
      yield node;
    }
  }
  async function* readEdges() {
    for await (const edge of stream.edges()) {
      const [from, to] = [labels.get(edge.source), labels.get(edge.target)];
      if (from === undefined || to === undefined) continue;
      const source = { label: from, id: toIdValue(edge.source) };
      yield buildDatabaseEdge(edge, { source, target: { label: to, id: toIdValue(edge.target) } });
    }
  }
  return { nodes: readNodes(), edges: readEdges() };
}

function buildDatabaseNode(key: NodeKey, attributes: Attributes): DatabaseNode {
  const label = findText(attributes['label']) || 'Node';
  return { label, id: toIdValue(key), properties: toProperties(attributes, ['id', 'label']) };
}

function buildDatabaseEdge({ attributes }: GraphEdge, ends: Pick<DatabaseEdge, 'source' | 'target'>): DatabaseEdge {
  const type = findText(attributes['label']) || 'RELATED_TO';
  return { type, ...ends, properties: toProperties(attributes, ['label']) };
}

const toIdValue = (key: NodeKey): DatabaseValue => (typeof key === 'boolean' ? writePythonText(key) : toScalar(key));

function toProperties(attributes: Attributes, without: readonly string[]): Record<string, DatabaseValue> {
  const properties: Record<string, DatabaseValue> = {};
  for (const [key, value] of Object.entries(attributes))
    if (value !== null && !without.includes(key)) properties[key] = toDatabaseValue(value);
  return properties;
}

// A list of one type stays a list; every other structure becomes JSON text.
function toDatabaseValue(value: GraphValue): DatabaseValue {
  if (!Array.isArray(value)) return isStructure(value) ? jsonText(value, { nonFinite: 'null' }) : toScalar(value);
  const items = value.map((item) => (isStructure(item) ? undefined : toScalar(item)));
  const kinds = new Set(items.map((item) => typeof item));
  if (kinds.size === 2 && kinds.has('bigint') && kinds.has('number')) return items.map(Number);
  const isPlain = kinds.size <= 1 && !kinds.has('undefined');
  return isPlain ? items.filter((item) => item !== undefined) : jsonText(value, { nonFinite: 'null' });
}

const isStructure = (value: GraphValue) =>
  value === null || (typeof value === 'object' && !(value instanceof TypedValue));

function toScalar(value: GraphValue): string | bigint | number | boolean {
  if (typeof value === 'bigint') return BigInt.asIntN(64, value) === value ? value : value.toString();
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : toFiniteOrText(value);
  if (value instanceof TypedValue) return isNumber(value) ? Number(value.text) : value.text;
  return typeof value === 'boolean' ? value : writePythonText(value);
}

const isNumber = ({ kind, text }: TypedValue) =>
  (kind === 'float' || kind === 'decimal') && Number.isFinite(Number(text));

// Databases do not accept NaN as a property.
const toFiniteOrText = (value: number) => (Number.isFinite(value) ? value : writePythonText(value));
