import type { GraphRecord, GraphStore } from './store';
import type { FilesStore } from '../storage/files';

/** Below this is everything that belongs to a graph. */
export function graphPrefix(id: string): string {
  return `graph-builds/${id}/`;
}

/** Where source and template are put before the start, and what each chunk gave; gone when the graph has ended. */
export function graphInput(id: string): { prefix: string; source: string; template: string; work: string } {
  const prefix = `${graphPrefix(id)}input/`;
  return { prefix, source: `${prefix}source`, template: `${prefix}template.json`, work: `${prefix}work/` };
}

/** Where a file of a graph stands; chosen before the work, so that doing it twice writes one file. */
export function graphFileKey(id: string, name: string): string {
  return `${graphPrefix(id)}files/${name}`;
}

/** Removes what a graph that has ended leaves: its input, and its files too unless it was completed. */
export async function tidyGraph(
  files: Pick<FilesStore, 'removePrefix'>,
  id: string,
  state: GraphRecord['state'] | undefined,
): Promise<void> {
  await files.removePrefix(state === 'COMPLETED' ? graphInput(id).prefix : graphPrefix(id));
}

/** The error of a graph whose workflow is gone. */
const lostGraph = {
  code: 'GRAPH_PIPELINE_FAILED',
  message: 'The workflow of the graph ended before its files were written.',
} as const;

/** Ends a graph whose workflow is gone, unless the workflow has done so. */
export async function endLostGraph(
  { store, files }: { store: Pick<GraphStore, 'end'>; files: Pick<FilesStore, 'removePrefix'> },
  id: string,
): Promise<GraphRecord | undefined> {
  const { graph, ended } = await store.end(id, { state: 'FAILED', error: lostGraph });
  if (ended) await tidyGraph(files, id, 'FAILED');
  return graph;
}
