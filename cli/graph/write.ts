import path from 'node:path';
import { createFolder } from '../../embedded/paths';
import {
  exportTexts,
  type ExtractionFacts,
  type KnowledgeGraph,
  type Profile,
  statisticsText,
  ValueError,
  writeJson,
} from '../../graph';
import type { Row } from '../../model/flow/row';
import { defaultGraphFormats, graphFormats, type GraphFormat } from '../../model/graph/graph-build';
import { writePieces } from './files';

export { graphFormats, type GraphFormat };

/** Written when the command names no format. */
export const defaultFormats = defaultGraphFormats;

export interface WriteRequest {
  graph: KnowledgeGraph;
  profile: Profile;
  formats: readonly GraphFormat[];
  /** Number of root instances the graph was built from. */
  sourceModels: number;
  /** How the instances were extracted, for the report. */
  extraction?: ExtractionFacts;
}

/** Writes a graph to a folder and returns the names of the files, in order. Throws a ValueError for a graph without nodes. */
export async function writeGraphFiles(folder: string, request: WriteRequest): Promise<string[]> {
  const { graph, formats, profile, sourceModels, extraction } = request;
  if (graph.nodes.size === 0) throw new ValueError('Cannot export empty graph');
  const facts = { profile, sourceModels, createdAt: new Date().toISOString(), extraction };
  const written: string[] = [];
  for (const format of graphFormats.filter((graphFormat) => formats.includes(graphFormat))) {
    if (format === 'parquet') {
      written.push(...(await writeParquet(folder, graph)));
      continue;
    }
    for (const [name, pieces] of exportTexts(format, graph, facts)) {
      await writePieces(path.join(folder, name), pieces);
      written.push(name);
    }
  }
  await writePieces(path.join(folder, 'stats.json'), [statisticsText(graph, facts)]);
  return [...written, 'stats.json'];
}

// One row per node or edge and one typed column per attribute, otherwise as in the CSV files.
async function writeParquet(folder: string, graph: KnowledgeGraph): Promise<string[]> {
  const { writeGraphParquet } = await import('../../services/table/parquet-file');
  createFolder(folder);
  return writeGraphParquet(folder, JSON.parse([...writeJson(graph)].join('')) as Record<'nodes' | 'edges', Row[]>);
}
