import { ConfigurationError } from '../core/errors';
import type { GraphEdge, KnowledgeGraph, NodeKey } from '../core/knowledge-graph';
import { type Attributes, type GraphValue, TypedValue } from '../core/value';
import { writePythonText } from '../peer/python-text';
import { readGraphRecords } from './read-records';

/** A graph that is read piece by piece, as often as needed, so that it need not fit into memory. */
export interface GraphStream {
  nodes(): AsyncIterable<readonly [NodeKey, Attributes]> | Iterable<readonly [NodeKey, Attributes]>;
  edges(): AsyncIterable<GraphEdge> | Iterable<GraphEdge>;
  /** Graph-level data; known when the whole graph has been read. */
  attributes(): Promise<Attributes>;
}

/** A graph in memory as a stream. */
export const streamOfGraph = ({ nodes, edges, attributes }: KnowledgeGraph): GraphStream => ({
  nodes: () => nodes,
  edges: () => edges.values(),
  attributes: async () => attributes,
});

/**
 * A `graph.json` as a stream; `open` opens the file from its beginning. A node without an id and an edge without ends
 * are a ConfigurationError. A node that occurs twice is yielded twice.
 */
export function streamOfFile(open: () => AsyncIterable<Uint8Array>, path: string): GraphStream {
  const read = (list: 'nodes' | 'edges' | 'graph') => readGraphRecords(open(), path, [list]);
  return {
    async *nodes() {
      for await (const records of read('nodes'))
        for (const { value } of records) yield [readKey(value, 'id', path), value] as const;
    },
    async *edges() {
      for await (const records of read('edges'))
        for (const { value } of records) {
          const { source: _source, target: _target, ...attributes } = value;
          yield { source: readKey(value, 'source', path), target: readKey(value, 'target', path), attributes };
        }
    },
    async attributes() {
      for await (const [graphRecord] of read('graph')) if (graphRecord) return graphRecord.value;
      return {};
    },
  };
}

function readKey(record: Attributes, member: string, source: string): NodeKey {
  const value: GraphValue = record[member] ?? null;
  if (value instanceof TypedValue && value.kind === 'float') return Number(value.text);
  if (value !== null && typeof value !== 'object') return value;
  throw new ConfigurationError(`Malformed graph export: '${member}' must be a string, number or boolean`, {
    source,
    record: writePythonText(record).slice(0, 200),
  });
}
