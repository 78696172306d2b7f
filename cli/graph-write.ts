import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import {
  graphHtml,
  graphReport,
  graphStatistics,
  type KnowledgeGraph,
  type Profile,
  simpleGraph,
  ValueError,
  writeCypher,
  writeEdgesCsv,
  writeGexf,
  writeGraphml,
  writeJson,
  writeJsonLd,
  writeNodesCsv,
  writeTurtle,
} from '../graph';
import type { Row } from '../model/row';
import { writePieces } from './graph-files';

/** The formats that `--format` names, each with the files it makes. */
export const graphFormats = [
  'json',
  'csv',
  'cypher',
  'report',
  'html',
  'graphml',
  'gexf',
  'turtle',
  'jsonld',
  'parquet',
] as const;
export type GraphFormat = (typeof graphFormats)[number];

/** Written when no format is named. */
export const defaultFormats: readonly GraphFormat[] = ['json', 'csv', 'cypher', 'report', 'html'];

export interface WriteRequest {
  graph: KnowledgeGraph;
  profile: Profile;
  formats: readonly GraphFormat[];
  /** How many instances of the root the graph was built of. */
  sourceModels: number;
}

/** Writes a graph into a folder; gives the names of the files, in order. A graph without nodes is a ValueError. */
export async function writeGraphFiles(folder: string, request: WriteRequest): Promise<string[]> {
  const { graph, formats } = request;
  if (graph.nodes.size === 0) throw new ValueError('Cannot export empty graph');
  const written: string[] = [];
  for (const format of graphFormats.filter((one) => formats.includes(one))) {
    if (format === 'parquet') {
      written.push(...(await writeParquet(folder, graph)));
      continue;
    }
    for (const [name, pieces] of filesOf(format, request)) {
      await writePieces(path.join(folder, name), pieces);
      written.push(name);
    }
  }
  await writePieces(path.join(folder, 'stats.json'), [statisticsText(request)]);
  return [...written, 'stats.json'];
}

// The Cypher script in the profile's own style, and in the other under a name that says which.
function filesOf(format: Exclude<GraphFormat, 'parquet'>, request: WriteRequest): [string, Iterable<string>][] {
  const { graph, profile, sourceModels } = request;
  switch (format) {
    case 'json':
      return [['graph.json', writeJson(graph, { profile })]];
    case 'csv':
      return [
        ['nodes.csv', writeNodesCsv(graph, { profile })],
        ['edges.csv', writeEdgesCsv(graph, { profile })],
      ];
    case 'cypher': {
      const other = profile === 'peer' ? 'create' : 'merge';
      return [
        ['graph.cypher', writeCypher(graph, { profile })],
        [`graph.${other}.cypher`, writeCypher(graph, { profile, style: other })],
      ];
    }
    case 'report':
      return [['report.md', [graphReport(graph, { profile, sourceModels, generatedAt: now(profile) })]]];
    case 'html':
      return [['graph.html', [graphHtml(graph)]]];
    case 'graphml':
      return [['graph.graphml', writeGraphml(graph)]];
    case 'gexf':
      return [['graph.gexf', writeGexf(graph)]];
    case 'turtle':
      return [['graph.ttl', writeTurtle(graph)]];
    case 'jsonld':
      return [['graph.jsonld', writeJsonLd(graph)]];
  }
}

function statisticsText({ graph, profile, sourceModels }: WriteRequest): string {
  const counts = graphStatistics(profile === 'peer' ? simpleGraph(graph) : graph, { profile });
  const { node_count, edge_count, node_types, edge_types, average_degree, ...more } = counts;
  const shared = { node_count, edge_count, node_types, edge_types };
  const created = { created_at: new Date().toISOString(), source_models: sourceModels, average_degree };
  return `${JSON.stringify({ ...shared, ...created, ...(profile === 'peer' ? {} : more) }, null, 2)}\n`;
}

const now = (profile: Profile) =>
  profile === 'peer' ? `${new Date().toISOString().slice(0, 19).replace('T', ' ')} UTC` : new Date().toISOString();

// One row for a node or an edge; a column for an attribute, as in the CSV files, but typed.
async function writeParquet(folder: string, graph: KnowledgeGraph): Promise<string[]> {
  const { writeParquetFile } = await import('../services/parquet-file');
  await mkdir(folder, { recursive: true });
  const { nodes, edges } = JSON.parse([...writeJson(graph)].join('')) as Record<'nodes' | 'edges', Row[]>;
  await writeParquetFile(path.join(folder, 'nodes.parquet'), nodes);
  if (edges.length === 0) return ['nodes.parquet'];
  await writeParquetFile(path.join(folder, 'edges.parquet'), edges);
  return ['nodes.parquet', 'edges.parquet'];
}
