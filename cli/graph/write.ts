import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import {
  exportTexts,
  type ExtractionFacts,
  type KnowledgeGraph,
  type Profile,
  statisticsText,
  ValueError,
  writeJson,
} from '../../graph';
import { defaultGraphFormats, graphFormats, type GraphFormat } from '../../model/graph/graph-build';
import type { Row } from '../../model/flow/row';
import { writePieces } from './files';

export { graphFormats, type GraphFormat };

/** Written when no format is named. */
export const defaultFormats = defaultGraphFormats;

export interface WriteRequest {
  graph: KnowledgeGraph;
  profile: Profile;
  formats: readonly GraphFormat[];
  /** How many instances of the root the graph was built of. */
  sourceModels: number;
  /** How the instances were read, for the report. */
  extraction?: ExtractionFacts;
}

/** Writes a graph into a folder; gives the names of the files, in order. A graph without nodes is a ValueError. */
export async function writeGraphFiles(folder: string, request: WriteRequest): Promise<string[]> {
  const { graph, formats, profile, sourceModels, extraction } = request;
  if (graph.nodes.size === 0) throw new ValueError('Cannot export empty graph');
  const facts = { profile, sourceModels, createdAt: new Date().toISOString(), extraction };
  const written: string[] = [];
  for (const format of graphFormats.filter((one) => formats.includes(one))) {
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

// One row for a node or an edge; a column for an attribute, as in the CSV files, but typed.
async function writeParquet(folder: string, graph: KnowledgeGraph): Promise<string[]> {
  const { writeGraphParquet } = await import('../../services/table/parquet-file');
  await mkdir(folder, { recursive: true });
  return writeGraphParquet(folder, JSON.parse([...writeJson(graph)].join('')) as Record<'nodes' | 'edges', Row[]>);
}
