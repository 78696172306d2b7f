import type { AnyGraph } from '../core/graphology';
import { jsonText } from '../core/json-text';
import { edgesOf, type KnowledgeGraph, type NodeKey, findText } from '../core/knowledge-graph';
import { type Attributes, formatFloat, type GraphValue, TypedValue } from '../core/value';
import { joinPieces, toExportable } from './json';

/** Writes `graph.graphml` in chunks: every attribute is a typed key; lists and objects are JSON text. */
export function writeGraphml(graph: AnyGraph): Generator<string> {
  return joinPieces(streamGraphml(toExportable(graph, 'spec')));
}

/** Writes `graph.gexf` (1.3) in chunks, with labels, for Gephi and similar programs; graphology-gexf returns one string. */
export function writeGexf(graph: AnyGraph): Generator<string> {
  return joinPieces(streamGexf(toExportable(graph, 'spec')));
}

type ColumnType = 'string' | 'long' | 'double' | 'boolean';
interface Column {
  id: string;
  name: string;
  type: ColumnType;
}

function prepareGraph(graph: KnowledgeGraph) {
  const edges = edgesOf(graph);
  return {
    ids: dedupeIds(graph),
    edges,
    nodeColumns: buildColumns(graph.nodes.values(), 'n'),
    edgeColumns: buildColumns(
      edges.map(({ attributes }) => attributes),
      'e',
    ),
  };
}

function* streamGraphml(graph: KnowledgeGraph): Generator<string> {
  const { ids, edges, nodeColumns, edgeColumns } = prepareGraph(graph);
  yield '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n';
  for (const [kind, columns] of [
    ['node', nodeColumns],
    ['edge', edgeColumns],
  ] as const)
    for (const { id, name, type } of columns.values())
      yield `  <key id="${id}" for="${kind}" attr.name="${escapeXml(name)}" attr.type="${type}"/>\n`;
  yield '  <graph edgedefault="directed">\n';
  for (const [key, attributes] of graph.nodes)
    yield `    <node id="${escapeXml(ids.get(key) ?? '')}">${writeData(attributes, nodeColumns)}</node>\n`;
  for (const [index, { source, target, attributes }] of edges.entries()) {
    const ends = `source="${escapeXml(ids.get(source) ?? '')}" target="${escapeXml(ids.get(target) ?? '')}"`;
    yield `    <edge id="e${index}" ${ends}>${writeData(attributes, edgeColumns)}</edge>\n`;
  }
  yield '  </graph>\n</graphml>\n';
}

function* streamGexf(graph: KnowledgeGraph): Generator<string> {
  const { ids, edges, nodeColumns, edgeColumns } = prepareGraph(graph);
  yield '<?xml version="1.0" encoding="UTF-8"?>\n<gexf xmlns="http://gexf.net/1.3" version="1.3">\n';
  yield '  <graph defaultedgetype="directed">\n';
  for (const [kind, columns] of [
    ['node', nodeColumns],
    ['edge', edgeColumns],
  ] as const) {
    yield `    <attributes class="${kind}">\n`;
    for (const { id, name, type } of columns.values())
      yield `      <attribute id="${id}" title="${escapeXml(name)}" type="${type}"/>\n`;
    yield '    </attributes>\n';
  }
  yield '    <nodes>\n';
  for (const [key, attributes] of graph.nodes) {
    const label = findText(attributes['label']) ?? 'Node';
    yield `      <node id="${escapeXml(ids.get(key) ?? '')}" label="${escapeXml(label)}">${writeValues(attributes, nodeColumns)}</node>\n`;
  }
  yield '    </nodes>\n    <edges>\n';
  for (const [index, { source, target, attributes }] of edges.entries()) {
    const ends = `source="${escapeXml(ids.get(source) ?? '')}" target="${escapeXml(ids.get(target) ?? '')}"`;
    const label = escapeXml(findText(attributes['label']) ?? 'RELATED_TO');
    yield `      <edge id="${index}" ${ends} label="${label}">${writeValues(attributes, edgeColumns)}</edge>\n`;
  }
  yield '    </edges>\n  </graph>\n</gexf>\n';
}

// Ids in XML are strings: a number and the string of its digits must stay different.
function dedupeIds(graph: KnowledgeGraph): Map<NodeKey, string> {
  const ids = new Map<NodeKey, string>();
  const used = new Set<string>([...graph.nodes.keys()].filter((key) => typeof key === 'string'));
  for (const key of graph.nodes.keys()) {
    const id = typeof key === 'string' ? key : findUnusedId(String(key), used);
    used.add(id);
    ids.set(key, id);
  }
  return ids;
}

function findUnusedId(wantedId: string, used: ReadonlySet<string>): string {
  let id = wantedId;
  while (used.has(id)) id += '_';
  return id;
}

function buildColumns(records: Iterable<Attributes>, prefix: string): Map<string, Column> {
  const columns = new Map<string, Column>();
  for (const record of records) {
    for (const [name, value] of Object.entries(record)) {
      if (value === null) continue;
      const type = findColumnType(value);
      const column = columns.get(name);
      if (!column) columns.set(name, { id: `${prefix}${columns.size}`, name, type });
      else if (column.type !== type) column.type = findCommonType(column.type, type);
    }
  }
  return columns;
}

/** The type of a column with values of two different types. */
function findCommonType(left: ColumnType, right: ColumnType): ColumnType {
  return isNumeric(left) && isNumeric(right) ? 'double' : 'string';
}

function isNumeric(type: ColumnType): boolean {
  return type === 'long' || type === 'double';
}

function findColumnType(value: GraphValue): ColumnType {
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value === 'number') return Number.isInteger(value) ? 'long' : 'double';
  if (typeof value === 'bigint') return BigInt.asIntN(64, value) === value ? 'long' : 'string';
  return value instanceof TypedValue && value.kind === 'float' ? 'double' : 'string';
}

function listCells(attributes: Attributes, columns: ReadonlyMap<string, Column>): [Column, string][] {
  return Object.entries(attributes).flatMap(([name, value]): [Column, string][] => {
    const column = columns.get(name);
    return column && value !== null ? [[column, escapeXml(formatValue(value))]] : [];
  });
}

function formatValue(value: GraphValue): string {
  if (value instanceof TypedValue) return value.text;
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return formatNumber(value);
  return typeof value === 'object' ? jsonText(value, { nonFinite: 'null' }) : String(value);
}

// XML Schema's names for infinities.
function formatNumber(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? 'INF' : '-INF';
  return Number.isInteger(value) ? String(value) : formatFloat(value);
}

const writeData = (attributes: Attributes, columns: ReadonlyMap<string, Column>) =>
  listCells(attributes, columns)
    .map(([{ id }, text]) => `<data key="${id}">${text}</data>`)
    .join('');

function writeValues(attributes: Attributes, columns: ReadonlyMap<string, Column>): string {
  const values = listCells(attributes, columns).map(([{ id }, text]) => `<attvalue for="${id}" value="${text}"/>`);
  return values.length === 0 ? '' : `<attvalues>${values.join('')}</attvalues>`;
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

// XML 1.0 forbids most control characters, and line breaks would be normalized.
function escapeXml(text: string): string {
  return text
    .replace(/[&<>"]/g, (char) => entities[char] ?? char)
    .replace(/[\t\n\r]/g, (char) => `&#${char.charCodeAt(0)};`)
    .replace(/[\p{Cc}\p{Cs}\ufffe\uffff]/gu, '\ufffd');
}
