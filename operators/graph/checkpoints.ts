import { hash } from 'node:crypto';
import type { Checkpoints } from '../../graph/ask/checkpoints';
import { jsonText, parseJsonText } from '../../graph/core/json-text';
import type { Attributes } from '../../graph/core/value';
import { iterateBatches } from '../../model/lists/batches';
import type { FilesStore } from '../../services/storage/files';

type Files = Pick<FilesStore, 'list' | 'get' | 'put'>;

/** Number of files read concurrently. */
const maxConcurrentReads = 16;

/** The JSON results that earlier attempts stored under the prefix, keyed by unit of work. */
export async function readCheckpoints(files: Files, prefix: string): Promise<Map<string, string>> {
  const keys: string[] = [];
  for await (const key of files.list(prefix)) keys.push(key);
  const texts = new Map<string, string>();
  for (const batch of iterateBatches(keys, maxConcurrentReads))
    await Promise.all(
      batch.map(async (key) => {
        const name = key.slice(prefix.length).replace(/\.json$/, '');
        texts.set(name, new TextDecoder().decode(await files.get(key)));
      }),
    );
  return texts;
}

/** Stores the result of a unit of work. Once this resolves, later attempts skip that unit. */
export function writeCheckpoint(files: Pick<Files, 'put'>, prefix: string, key: string, text: string): Promise<void> {
  return files.put(`${prefix}${key}.json`, new TextEncoder().encode(text));
}

/** The results of earlier attempts under the prefix, and a function that stores new results. */
export async function openCheckpoints(files: Files, prefix: string): Promise<Required<Checkpoints>> {
  const texts = await readCheckpoints(files, prefix);
  return {
    finished: new Map([...texts].map(([key, text]) => [key, parseJsonText(text) as Attributes])),
    onChunkDone: (key, result) => writeCheckpoint(files, prefix, key, jsonText(result)),
  };
}

/**
 * The prefix for an operator's work on a document of a run. It is next to the run's tables and is deleted with them. No operator
 * stores tables under a name with a leading dot.
 */
export function buildCheckpointPrefix({ runId }: { runId: string }, operator: string, documentId: string): string {
  const name = hash('sha256', JSON.stringify([operator, documentId]));
  return `run/${runId}/.graph/${name.slice(0, 32)}/`;
}
