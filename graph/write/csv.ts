import type { AnyGraph } from '../core/graphology';
import type { Profile } from '../core/identity';
import { jsonText } from '../core/json-text';
import { edgesOf } from '../core/knowledge-graph';
import { type Attributes, formatFloat, type GraphValue, TypedValue } from '../core/value';
import { writePeerCells, writePeerHeader } from '../peer/csv';
import { joinPieces, createEdgeRecord, toExportable, createNodeRecord, type WriteOptions } from './json';

/** Writes `nodes.csv` in chunks: `id,label,type`, then the properties in order of first occurrence. */
export function writeNodesCsv(graph: AnyGraph, options: WriteOptions = {}): Generator<string> {
  const profile = options.profile ?? 'spec';
  const exported = toExportable(graph, profile);
  const records = [...exported.nodes].map(([key, attributes]) => createNodeRecord(key, attributes, profile));
  return joinPieces(iterateRows(records, profile, nodeColumns));
}

/** Writes `edges.csv` in chunks: `source,target,type`, where type is the label. The peer names that column label. */
export function writeEdgesCsv(graph: AnyGraph, options: WriteOptions = {}): Generator<string> {
  const profile = options.profile ?? 'spec';
  const records = edgesOf(toExportable(graph, profile)).map((edge) => createEdgeRecord(edge, profile));
  if (profile === 'peer') return joinPieces(iterateRows(records, profile, []));
  return joinPieces(iterateRows(records.map(addEdgeType), profile, edgeColumns));
}

/** The first columns of `nodes.csv` and `edges.csv`. */
export const nodeColumns: readonly string[] = ['id', 'label', 'type'];
export const edgeColumns: readonly string[] = ['source', 'target', 'type'];

/** An edge as a record of `edges.csv`, where the label is called type. */
export function addEdgeType({ source = null, target = null, label = null, ...others }: Attributes): Attributes {
  const { type, ...properties } = others;
  return { source, target, type: label, ...properties, ...(type === undefined ? {} : { type_: type }) };
}

/** The line with the names of the columns. */
export const writeCsvHeader = (columns: readonly string[]): string =>
  `${columns.map((column) => quoteCell(column)).join(',')}\n`;

/** The line of a record. */
export const writeCsvRow = (record: Attributes, columns: readonly string[]): string =>
  `${columns.map((column) => formatCell(record[column])).join(',')}\n`;

function* iterateRows(records: readonly Attributes[], profile: Profile, first: readonly string[]): Generator<string> {
  const columns = listColumns(records, profile === 'peer' ? [] : first);
  if (profile === 'peer') {
    yield writePeerHeader(columns);
    yield* writePeerCells(records, columns);
    return;
  }
  yield writeCsvHeader(columns);
  for (const record of records) yield writeCsvRow(record, columns);
}

function listColumns(records: readonly Attributes[], first: readonly string[]): string[] {
  const columns = new Set(first);
  for (const record of records) for (const key of Object.keys(record)) columns.add(key);
  return [...columns];
}

// Null is an empty cell, the empty string is two quotes: importers can distinguish them.
function formatCell(value: GraphValue | undefined): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value === '' ? '""' : quoteCell(value);
  if (typeof value === 'number') return Number.isInteger(value) ? String(value) : quoteCell(formatFloat(value));
  if (value instanceof TypedValue) return quoteCell(value.text);
  return typeof value === 'object' ? quoteCell(jsonText(value, { nonFinite: 'null' })) : String(value);
}

// Texts that look like formulas are quoted too, but never changed.
function quoteCell(text: string): string {
  return /[",\r\n]|^[=+@\t-]|^\s|\s$/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}
