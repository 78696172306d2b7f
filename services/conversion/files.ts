import type { FilesStore } from '../storage/files';
import type { NewConversionTask } from './ports';
import type { ConversionStore } from './store';

/**
 * Keys of uploads contain the hour of their arrival, so that the sweep can find uploads of requests that were never submitted.
 */
function buildSourcesPrefix(taskId: string, at: Date): string {
  return `uploads/${at.toISOString().slice(0, 13)}/${taskId}/`;
}

/** Key for an upload of a task that arrives at `now`. */
export function buildUploadKey(taskId: string, index: number, now: Date): string {
  return `${buildSourcesPrefix(taskId, now)}${index}`;
}

/** The key prefixes of a task's uploads. */
export function listUploadPrefixes({ sources }: Pick<NewConversionTask, 'sources'>): string[] {
  const keys = sources.flatMap((source) => (source.kind === 'file' ? [source.key] : []));
  return [...new Set(keys.map((key) => key.slice(0, key.lastIndexOf('/') + 1)))];
}

/** Key prefix of everything that a task has written. */
export function buildResultsPrefix(taskId: string): string {
  return `conversions/${taskId}/`;
}

/** Key of a document's output. It is known before the work starts, so a repeated conversion writes one file. */
export function buildOutputKey(taskId: string, index: number, name: string): string {
  return `${buildResultsPrefix(taskId)}${index}/${name}`;
}

/** Key prefix of the pages that are kept while the documents of a task, or the one with this index, are converted. */
export function buildPagesPrefix(taskId: string, index?: number): string {
  return `${buildResultsPrefix(taskId)}pages/${index === undefined ? '' : `${index}/`}`;
}

/** Deletes a task and its outputs. Idempotent. */
export async function removeTask(
  { store, files }: { store: Pick<ConversionStore, 'remove'>; files: Pick<FilesStore, 'removePrefix'> },
  id: string,
): Promise<void> {
  await files.removePrefix(buildResultsPrefix(id));
  await store.remove(id);
}
