import { hash } from 'node:crypto';
import type { FilesStore } from '../storage/files';
import type { GraphRecord, GraphStore } from './store';

/** Key prefix of everything that belongs to a graph. */
export function buildGraphPrefix(id: string): string {
  return `graph-builds/${id}/`;
}

/**
 * Keys of the source and template, stored before the start, and of the results of chunks. All are deleted when the graph has
 * ended.
 */
export function locateGraphInput(id: string): { prefix: string; source: string; template: string; work: string } {
  const prefix = `${buildGraphPrefix(id)}input/`;
  return { prefix, source: `${prefix}source`, template: `${prefix}template.json`, work: `${prefix}work/` };
}

/**
 * Keys of an update of a corpus graph: the texts of the documents that it reads, part by part, the ids of removed documents,
 * and the results of chunks of a document.
 */
export function locateUpdateInput(id: string) {
  const { prefix, work } = locateGraphInput(id);
  return {
    prefix,
    part: (part: number) => `${prefix}parts/${part}.json`,
    removed: `${prefix}removed.json`,
    work: (documentId: string) => `${work}${hash('sha256', documentId).slice(0, 32)}/`,
  };
}

/** Key of a file of a graph. It is known before the work starts, so a repeated build writes one file. */
export function buildGraphFileKey(id: string, name: string): string {
  return `${buildGraphPrefix(id)}files/${name}`;
}

/** Removes the input of a finished graph, and also its files unless it was completed. */
export async function tidyGraph(
  files: Pick<FilesStore, 'removePrefix'>,
  id: string,
  state: GraphRecord['state'] | undefined,
): Promise<void> {
  await files.removePrefix(state === 'COMPLETED' ? locateGraphInput(id).prefix : buildGraphPrefix(id));
}

/** The error of a graph whose workflow no longer exists. */
const lostGraph = {
  code: 'GRAPH_PIPELINE_FAILED',
  message: 'The workflow of the graph ended before its files were written.',
} as const;

/** Ends a graph whose workflow no longer exists, unless it has already ended. */
export async function failOrphanedGraph(
  { store, files }: { store: Pick<GraphStore, 'end'>; files: Pick<FilesStore, 'removePrefix'> },
  id: string,
): Promise<GraphRecord | undefined> {
  const { graph, ended } = await store.end(id, { state: 'FAILED', error: lostGraph });
  if (ended) await tidyGraph(files, id, 'FAILED');
  return graph;
}
