import { type AnyGraph, ownGraph } from '../core/graphology';
import { jsonText } from '../core/json-text';
import { edgesOf, type NodeKey, getText } from '../core/knowledge-graph';
import { pythonText } from '../peer/python-text';
import { type Attributes, type GraphValue, TypedValue } from '../core/value';

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
export function databaseRows(given: AnyGraph): { nodes: DatabaseNode[]; edges: DatabaseEdge[] } {
  const graph = ownGraph(given);
  const ends = new Map<NodeKey, { label: string; id: DatabaseValue }>();
  const nodes = [...graph.nodes].map(([key, attributes]): DatabaseNode => {
    const end = { label: getText(attributes['label']) || 'Node', id: idValue(key) };
    ends.set(key, end);
    return { ...end, properties: getProperties(attributes, ['id', 'label']) };
  });
  const edges = edgesOf(graph).flatMap(({ source, target, attributes }): DatabaseEdge[] => {
    const [from, to] = [ends.get(source), ends.get(target)];
    const type = getText(attributes['label']) || 'RELATED_TO';
    return from && to ? [{ type, source: from, target: to, properties: getProperties(attributes, ['label']) }] : [];
  });
  return { nodes, edges };
}

const idValue = (key: NodeKey): DatabaseValue => (typeof key === 'boolean' ? pythonText(key) : scalar(key));

function getProperties(attributes: Attributes, without: readonly string[]): Record<string, DatabaseValue> {
  const properties: Record<string, DatabaseValue> = {};
  for (const [key, value] of Object.entries(attributes))
    if (value !== null && !without.includes(key)) properties[key] = getValue(value);
  return properties;
}

// A list of one type stays a list; every other structure becomes JSON text.
function getValue(value: GraphValue): DatabaseValue {
  if (!Array.isArray(value)) return isOpen(value) ? jsonText(value, { nonFinite: 'null' }) : scalar(value);
  const items = value.map((item) => (isOpen(item) ? undefined : scalar(item)));
  const kinds = new Set(items.map((item) => typeof item));
  if (kinds.size === 2 && kinds.has('bigint') && kinds.has('number')) return items.map(Number);
  const isPlain = kinds.size <= 1 && !kinds.has('undefined');
  return isPlain ? items.filter((item) => item !== undefined) : jsonText(value, { nonFinite: 'null' });
}

const isOpen = (value: GraphValue) => value === null || (typeof value === 'object' && !(value instanceof TypedValue));

function scalar(value: GraphValue): string | bigint | number | boolean {
  if (typeof value === 'bigint') return BigInt.asIntN(64, value) === value ? value : value.toString();
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : finite(value);
  if (value instanceof TypedValue) return isNumber(value) ? Number(value.text) : value.text;
  return typeof value === 'boolean' ? value : pythonText(value);
}

const isNumber = ({ kind, text }: TypedValue) =>
  (kind === 'float' || kind === 'decimal') && Number.isFinite(Number(text));

// Databases do not accept NaN as a property.
const finite = (value: number) => (Number.isFinite(value) ? value : pythonText(value));
