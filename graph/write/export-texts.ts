import { type GraphFormat, graphFormats } from '../../model/graph/graph-build';
import type { Profile } from '../core/identity';
import { type KnowledgeGraph, simpleGraph } from '../core/knowledge-graph';
import { graphStatistics } from '../core/statistics';
import { writeEdgesCsv, writeNodesCsv } from './csv';
import { writeCypher } from './cypher';
import { graphHtml } from './html';
import { writeJson } from './json';
import { writeJsonLd, writeTurtle } from './rdf';
import { type ExtractionFacts, graphReport } from './report';
import { writeGexf, writeGraphml } from './xml';

/** The text formats. */
export type TextFormat = Exclude<GraphFormat, 'parquet'>;
/** In display order. */
export const textFormats = graphFormats.filter((format): format is TextFormat => format !== 'parquet');

/** Facts for the files of a graph that are not in the graph itself. */
export interface ExportFacts {
  profile: Profile;
  /** Number of root instances the graph was built from. */
  sourceModels: number;
  /** ISO 8601; shown in reports and statistics. */
  createdAt: string;
  /** For the report of a graph built by a pipeline. */
  extraction?: ExtractionFacts;
}

/**
 * The files of one format by name, as chunks of text generated while they are read. The Cypher script is written in the
 * profile's default style, and in the other style under a second name.
 */
export function exportTexts(
  format: TextFormat,
  graph: KnowledgeGraph,
  { profile, sourceModels, createdAt, extraction }: ExportFacts,
): [string, Iterable<string>][] {
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
    case 'report': {
      const generatedAt = profile === 'peer' ? `${createdAt.slice(0, 19).replace('T', ' ')} UTC` : createdAt;
      return [['report.md', [graphReport(graph, { profile, sourceModels, generatedAt, extraction })]]];
    }
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

/** The text of `stats.json`. */
export function statisticsText(graph: KnowledgeGraph, { profile, sourceModels, createdAt }: ExportFacts): string {
  const counts = graphStatistics(profile === 'peer' ? simpleGraph(graph) : graph, { profile });
  const { node_count, edge_count, node_types, edge_types, average_degree, ...more } = counts;
  const shared = { node_count, edge_count, node_types, edge_types };
  const created = { created_at: createdAt, source_models: sourceModels, average_degree };
  return `${JSON.stringify({ ...shared, ...created, ...(profile === 'peer' ? {} : more) }, null, 2)}\n`;
}
