import { type GraphFormat, graphFormats } from '../../model/graph/graph-build';
import { graphHtml } from './html';
import type { Profile } from '../core/identity';
import { type KnowledgeGraph, simpleGraph } from '../core/knowledge-graph';
import { type ExtractionFacts, graphReport } from './report';
import { graphStatistics } from '../core/statistics';
import { writeEdgesCsv, writeNodesCsv } from './csv';
import { writeCypher } from './cypher';
import { writeJson } from './json';
import { writeJsonLd, writeTurtle } from './rdf';
import { writeGexf, writeGraphml } from './xml';

/** The formats that are texts. */
export type TextFormat = Exclude<GraphFormat, 'parquet'>;
/** In the order in which surfaces list them. */
export const textFormats = graphFormats.filter((format): format is TextFormat => format !== 'parquet');

/** What the files of a graph say beside the graph. */
export interface ExportFacts {
  profile: Profile;
  /** How many instances of the root the graph was built of. */
  sourceModels: number;
  /** ISO 8601; reports and statistics tell it. */
  createdAt: string;
  /** For the report, where a pipeline read them. */
  extraction?: ExtractionFacts;
}

/**
 * The files of one format by their names, as pieces of text that are made while they are read. The Cypher script comes in the
 * profile's own style, and in the other under a name that says which.
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
