import { ValueError } from '../core/errors';
import { jsonText, type JsonStyle } from '../core/json-text';
import type { NodeKey } from '../core/knowledge-graph';
import type { Attributes } from '../core/value';
import { writeCsvHeader, writeCsvRow, edgeColumns, nodeColumns, addEdgeType } from '../write/csv';
import {
  writeEdgeStatement,
  writeEnd,
  getLabel,
  iteratePreamble,
  writeNodeStatement,
  relationshipsComment,
} from '../write/cypher';
import { createEdgeRecord, createGraphRecord, createNodeRecord } from '../write/json';
import type { GraphStream } from './graph-stream';
import { NodeLabels } from './node-numbers';

const profile = 'spec';
/** Formats that can be written without the whole graph in memory. */
export const streamedFormats = ['json', 'csv', 'cypher', 'html'] as const;

/** Writes `graph.json` in pieces, byte for byte like `writeJson`. Throws a ValueError for a graph without nodes. */
export function streamJson(stream: GraphStream): AsyncGenerator<string> {
  return joinPieces(writeJsonPieces(stream));
}

async function* writeJsonPieces(stream: GraphStream): AsyncGenerator<string> {
  const style: JsonStyle = { indent: 2, nonFinite: 'null' };
  const writeRecord = (record: Attributes) => jsonText(record, style, 2);
  let [nodes, edges] = [0, 0];
  for await (const [key, attributes] of stream.nodes())
    yield `${nodes++ === 0 ? '{\n  "nodes": [' : ','}\n    ${writeRecord(createNodeRecord(key, attributes, profile))}`;
  if (nodes === 0) throw new ValueError('Cannot export empty graph');
  yield '\n  ],\n  "edges": ';
  for await (const edge of stream.edges())
    yield `${edges++ === 0 ? '[' : ','}\n    ${writeRecord(createEdgeRecord(edge, profile))}`;
  yield edges === 0 ? '[]' : '\n  ]';
  yield `,\n  "metadata": ${jsonText({ node_count: nodes, edge_count: edges }, style, 1)}`;
  yield `,\n  "graph": ${jsonText(createGraphRecord(await stream.attributes(), profile), style, 1)}\n}\n`;
}

/** Writes `nodes.csv` in pieces, byte for byte like `writeNodesCsv`. Reads the nodes twice: first for the columns. */
export function streamNodesCsv(stream: GraphStream): AsyncGenerator<string> {
  return joinPieces(
    writeCsvPieces(async function* () {
      for await (const [key, attributes] of stream.nodes()) yield createNodeRecord(key, attributes, profile);
    }, nodeColumns),
  );
}

/** Writes `edges.csv` in pieces, byte for byte like `writeEdgesCsv`. Reads the edges twice. */
export function streamEdgesCsv(stream: GraphStream): AsyncGenerator<string> {
  return joinPieces(
    writeCsvPieces(async function* () {
      for await (const edge of stream.edges()) yield addEdgeType(createEdgeRecord(edge, profile));
    }, edgeColumns),
  );
}

async function* writeCsvPieces(
  records: () => AsyncIterable<Attributes>,
  first: readonly string[],
): AsyncGenerator<string> {
  const columnNames = new Set(first);
  for await (const record of records()) for (const key of Object.keys(record)) columnNames.add(key);
  const columns = [...columnNames];
  yield writeCsvHeader(columns);
  for await (const record of records()) yield writeCsvRow(record, columns);
}

/** Writes `graph.cypher` in pieces, byte for byte like `writeCypher`. Keeps one number per node in memory. */
export function streamCypher(stream: GraphStream, style: 'create' | 'merge' = 'create'): AsyncGenerator<string> {
  return joinPieces(writeCypherPieces(stream, style));
}

async function* writeCypherPieces(stream: GraphStream, style: 'create' | 'merge'): AsyncGenerator<string> {
  const writing = { profile, style } as const;
  const labels = new Set<string>();
  for await (const [, attributes] of stream.nodes()) labels.add(getLabel(attributes));
  if (labels.size === 0) throw new ValueError('Cannot export empty graph');
  yield* iteratePreamble(writing, labels);
  const labelsOf = new NodeLabels();
  for await (const [key, attributes] of stream.nodes()) {
    labelsOf.add(key, getLabel(attributes));
    yield writeNodeStatement(key, attributes, writing);
  }
  yield relationshipsComment;
  const ends = {
    get(key: NodeKey) {
      const label = labelsOf.get(key);
      return label === undefined ? undefined : writeEnd(key, { label }, profile);
    },
  };
  for await (const edge of stream.edges()) yield writeEdgeStatement(ends, edge, writing);
}

async function* joinPieces(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let batch: string[] = [];
  let length = 0;
  for await (const piece of pieces) {
    batch.push(piece);
    length += piece.length;
    if (length < 65_536) continue;
    yield batch.join('');
    [batch, length] = [[], 0];
  }
  if (batch.length > 0) yield batch.join('');
}
