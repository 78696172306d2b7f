import type { AnyGraph } from '../core/graphology';
import { jsonText } from '../core/json-text';
import { edgesOf, type GraphEdge, type KnowledgeGraph, type NodeKey, findText } from '../core/knowledge-graph';
import { type Attributes, formatFloat, type GraphValue, TypedValue } from '../core/value';
import { joinPieces, toExportable } from './json';

export interface RdfOptions {
  /** Prefix of all IRIs, followed by `node/`, `class/` or `property/`. Default `urn:docloom:`. */
  base?: string;
}

const xsd = 'http://www.w3.org/2001/XMLSchema#';
const hiddenAttributes = new Set(['id', 'label', 'type', '__class__']);

/**
 * Writes `graph.ttl` in chunks. Without a library, because only texts need escaping, and quads as objects cost memory. Labels become classes, attributes literals with XML Schema types, edges triples. Properties of
 * an edge are on an `rdf:Statement`; objects are JSON literals.
 */
export function writeTurtle(graph: AnyGraph, options: RdfOptions = {}): Generator<string> {
  return joinPieces(streamTurtle(toExportable(graph, 'spec'), createNaming(options)));
}

/** Writes `graph.jsonld` in chunks, in expanded form without a context. Does not contain properties of edges. */
export function writeJsonLd(graph: AnyGraph, options: RdfOptions = {}): Generator<string> {
  return joinPieces(streamJsonLd(toExportable(graph, 'spec'), createNaming(options)));
}

interface Naming {
  node(key: NodeKey): string;
  type(label: GraphValue | undefined): string;
  property(name: string): string;
}

// A number and the string of its digits are two different nodes.
function createNaming({ base = 'urn:docloom:' }: RdfOptions): Naming {
  return {
    node: (key) => `${base}node/${typeof key === 'string' ? encode(key) : `${typeof key}/${encode(String(key))}`}`,
    type: (label) => `${base}class/${encode(findText(label) || 'Node')}`,
    property: (name) => `${base}property/${encode(name)}`,
  };
}

// Slashes in ids are encoded, so that only ours are separators.
const encode = (text: string) =>
  encodeURIComponent(text.replace(/\p{Cs}/gu, '\ufffd')).replace(
    /['()*!]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );

function* streamTurtle(graph: KnowledgeGraph, names: Naming): Generator<string> {
  yield '@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .\n';
  yield `@prefix xsd: <${xsd}> .\n\n`;
  for (const [key, attributes] of graph.nodes) {
    const facts = listLiterals(attributes).map(
      ([name, literal]) => ` ;\n  <${names.property(name)}> ${writeTurtleLiteral(literal)}`,
    );
    yield `<${names.node(key)}> a <${names.type(attributes['label'])}>${facts.join('')} .\n`;
  }
  for (const edge of edgesOf(graph)) yield formatTurtleEdge(edge, names);
}

function formatTurtleEdge({ source, target, attributes }: GraphEdge, names: Naming): string {
  const [from, to] = [`<${names.node(source)}>`, `<${names.node(target)}>`];
  const predicate = `<${names.property(findText(attributes['label']) || 'RELATED_TO')}>`;
  const facts = listLiterals(attributes).map(
    ([name, literal]) => `<${names.property(name)}> ${writeTurtleLiteral(literal)}`,
  );
  const triple = `${from} ${predicate} ${to} .\n`;
  if (facts.length === 0) return triple;
  const statement = [`rdf:subject ${from}`, `rdf:predicate ${predicate}`, `rdf:object ${to}`, ...facts];
  return `${triple}[] a rdf:Statement ; ${statement.join(' ; ')} .\n`;
}

function* streamJsonLd(graph: KnowledgeGraph, names: Naming): Generator<string> {
  const outgoing = new Map<NodeKey, GraphEdge[]>();
  for (const edge of edgesOf(graph)) {
    const earlierEdges = outgoing.get(edge.source);
    if (earlierEdges) earlierEdges.push(edge);
    else outgoing.set(edge.source, [edge]);
  }
  let separator = '[\n';
  for (const [key, attributes] of graph.nodes) {
    const node: Attributes = { '@id': names.node(key), '@type': [names.type(attributes['label'])] };
    const add = (name: string, value: GraphValue) => {
      const values = node[names.property(name)];
      if (Array.isArray(values)) values.push(value);
      else node[names.property(name)] = [value];
    };
    for (const [name, { text, type }] of listLiterals(attributes)) add(name, { '@value': text, '@type': type });
    for (const edge of outgoing.get(key) ?? [])
      add(findText(edge.attributes['label']) || 'RELATED_TO', { '@id': names.node(edge.target) });
    yield `${separator}${jsonText(node)}`;
    separator = ',\n';
  }
  yield '\n]\n';
}

interface Literal {
  text: string;
  type: string;
}

// A list becomes several triples with one predicate; null becomes none.
function listLiterals(attributes: Attributes): [string, Literal][] {
  return Object.entries(attributes).flatMap(([name, value]) =>
    hiddenAttributes.has(name)
      ? []
      : (Array.isArray(value) ? value : [value])
          .filter((value) => value !== null)
          .map((item): [string, Literal] => [name, buildLiteral(item)]),
  );
}

function buildLiteral(value: GraphValue): Literal {
  if (typeof value === 'string') return { text: value, type: `${xsd}string` };
  if (typeof value === 'boolean') return { text: String(value), type: `${xsd}boolean` };
  if (typeof value === 'bigint') return { text: String(value), type: `${xsd}integer` };
  if (typeof value === 'number')
    return Number.isInteger(value)
      ? { text: String(value), type: `${xsd}integer` }
      : { text: writeDouble(value), type: `${xsd}double` };
  if (value instanceof TypedValue) return buildTypedLiteral(value);
  return { text: jsonText(value, { nonFinite: 'null' }), type: 'http://www.w3.org/1999/02/22-rdf-syntax-ns#JSON' };
}

function buildTypedLiteral({ kind, text }: TypedValue): Literal {
  const types = { date: 'date', datetime: 'dateTime', time: 'time', float: 'double' } as const;
  if (kind !== 'decimal') return { text, type: xsd + (kind in types ? types[kind as keyof typeof types] : 'string') };
  // An XML Schema decimal has no exponent.
  return { text, type: /^[+-]?(\d+(\.\d*)?|\.\d+)$/.test(text) ? `${xsd}decimal` : `${xsd}double` };
}

function writeDouble(value: number): string {
  if (Number.isFinite(value)) return formatFloat(value);
  if (Number.isNaN(value)) return 'NaN';
  return value > 0 ? 'INF' : '-INF';
}

function writeTurtleLiteral({ text, type }: Literal): string {
  const quoted = JSON.stringify(text.replace(/\p{Cs}/gu, '\ufffd'));
  if (type === `${xsd}string`) return quoted;
  return type.startsWith(xsd) ? `${quoted}^^xsd:${type.slice(xsd.length)}` : `${quoted}^^<${type}>`;
}
