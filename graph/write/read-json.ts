import { ConfigurationError } from '../core/errors';
import type { Profile } from '../core/identity';
import { parseJsonText } from '../core/json-text';
import { createGraph, type KnowledgeGraph, type NodeKey, putEdge } from '../core/knowledge-graph';
import { type Attributes, type GraphValue, isRecord, setMember, TypedValue } from '../core/value';
import { writePythonText } from '../peer/python-text';

export interface ReadOptions {
  /** The origin of the data, for messages. Default `<dict>`, as for data that did not come from a file. */
  source?: string;
  /** `peer`: merges edges of an ordered pair. `spec`: keeps relations with different labels. Default `spec`. */
  profile?: Profile;
}

/**
 * Reads a parsed export, version 1 (without the member `graph`) or 2. Duplicate nodes are merged; the later value wins. Throws a
 * ConfigurationError if the data is not an export, is empty, or is corrupt.
 */
export function graphFromObject(data: unknown, options: ReadOptions = {}): KnowledgeGraph {
  const source = options.source ?? '<dict>';
  if (!isRecord(data) || !('nodes' in data) || !('edges' in data)) {
    const kind = isRecord(data) ? Object.keys(data).sort() : describeKind(data);
    throw new ConfigurationError('Not a graph export: it must be an object with nodes and edges', {
      source,
      found: kind,
    });
  }
  const { nodes, edges } = data;
  if (!Array.isArray(nodes) || !Array.isArray(edges))
    throw new ConfigurationError('Malformed graph export: nodes and edges must be lists', { source });
  if (nodes.length === 0) throw new ConfigurationError('The graph export has no nodes', { source });
  const graph = createGraph({ isMulti: options.profile !== 'peer' });
  for (const node of nodes) readNode(graph, node, source);
  for (const edge of edges) readEdge(graph, edge, source);
  if (isRecord(data['graph'])) graph.attributes = { ...data['graph'] };
  return graph;
}

/** Reads the bytes or text of a `graph.json`; `path` is for messages. Throws like `graphFromObject`, also for invalid JSON. */
export function graphFromJson(content: string | Uint8Array, path: string, options: ReadOptions = {}): KnowledgeGraph {
  let data: GraphValue;
  try {
    const text =
      typeof content === 'string'
        ? content
        : new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
    data = parseJsonText(text);
  } catch (error) {
    throw new ConfigurationError(`Cannot read graph export: ${path}`, { path }, error);
  }
  return graphFromObject(data, { source: path, ...options });
}

/** Possible names of the export in a folder; the first that exists is used. */
export const exportFiles = ['docling_graph/graph.json', 'graph.json'] as const;

/** Throws a ConfigurationError for the name of an export that cannot be read back: CSV or Cypher. */
export function refuseLossyExport(path: string): void {
  const suffix = /\.(?:csv|cypher)$/i.exec(path)?.[0];
  if (!suffix) return;
  throw new ConfigurationError(`${suffix} exports are lossy and cannot be read back`, {
    path,
    hint: `Name the graph.json of the same run (${exportFiles[0]}) instead.`,
  });
}

function readNode(graph: KnowledgeGraph, node: GraphValue, source: string): void {
  const shown = () => writePythonText(node).slice(0, 200);
  if (!isRecord(node) || !('id' in node))
    throw new ConfigurationError('Malformed graph export: every node needs an id', { source, node: shown() });
  const key = findKey(node['id'] ?? null, graph);
  if (key === undefined)
    throw new ConfigurationError('Malformed graph export: the id of a node must be a string, number or boolean', {
      source,
      node: shown(),
    });
  const existing = graph.nodes.get(key);
  if (existing) Object.assign(existing, node);
  else graph.nodes.set(key, node);
}

function readEdge(graph: KnowledgeGraph, edge: GraphValue, source: string): void {
  if (!isRecord(edge) || !('source' in edge) || !('target' in edge))
    throw new ConfigurationError('Malformed graph export: every edge needs source and target', {
      source,
      edge: writePythonText(edge).slice(0, 200),
    });
  const [from, to] = [edge['source'] ?? null, edge['target'] ?? null];
  const [start, end] = [findKey(from, graph), findKey(to, graph)];
  if (start === undefined || end === undefined || !graph.nodes.has(start) || !graph.nodes.has(end))
    throw new ConfigurationError('Malformed graph export: an edge points to a node that is not there', {
      source,
      edge_source: writePythonText(from),
      edge_target: writePythonText(to),
    });
  const attributes: Attributes = {};
  for (const key of Object.keys(edge))
    if (key !== 'source' && key !== 'target') setMember(attributes, key, edge[key] ?? null);
  putEdge(graph, { source: start, target: end, attributes });
}

// For the peer, as in Python, true is the number 1.
function findKey(value: GraphValue, graph: KnowledgeGraph): NodeKey | undefined {
  if (typeof value === 'boolean' && !graph.isMulti) return Number(value);
  if (value instanceof TypedValue) return value.kind === 'float' ? Number(value.text) : undefined;
  return value === null || typeof value === 'object' ? undefined : value;
}

function describeKind(data: unknown): string {
  if (Array.isArray(data)) return 'list';
  if (data === null || data === undefined) return 'NoneType';
  if (typeof data === 'string') return 'str';
  if (typeof data === 'boolean') return 'bool';
  if (isRecord(data)) return 'dict';
  return typeof data === 'bigint' || Number.isInteger(data) ? 'int' : 'float';
}
