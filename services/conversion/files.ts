import type { ConversionStore } from './store';
import type { NewConversionTask } from './ports';
import type { FilesStore } from '../storage/files';

/** Uploads stand below the hour of their arrival, so that those of requests that were never submitted are found again. */
function sourcesPrefix(taskId: string, at: Date): string {
  return `uploads/${at.toISOString().slice(0, 13)}/${taskId}/`;
}

/** Where an upload of a task is put that arrives now. */
export function uploadKey(taskId: string, index: number, now: Date): string {
  return `${sourcesPrefix(taskId, now)}${index}`;
}

/** The prefixes below which the uploads of a task stand. */
export function uploadPrefixes({ sources }: Pick<NewConversionTask, 'sources'>): string[] {
  const keys = sources.flatMap((source) => (source.kind === 'file' ? [source.key] : []));
  return [...new Set(keys.map((key) => key.slice(0, key.lastIndexOf('/') + 1)))];
}

/** Below this is everything that a task has written. */
export function resultsPrefix(taskId: string): string {
  return `conversions/${taskId}/`;
}

/** Where a document's output stands; chosen before the work, so that doing it twice writes one file. */
export function outputKey(taskId: string, index: number, name: string): string {
  return `${resultsPrefix(taskId)}${index}/${name}`;
}

/** Forgets a task and what it has written; more calls are harmless. */
export async function removeTask(
  { store, files }: { store: Pick<ConversionStore, 'remove'>; files: Pick<FilesStore, 'removePrefix'> },
  id: string,
): Promise<void> {
  await files.removePrefix(resultsPrefix(id));
  await store.remove(id);
}
