import { createHash } from 'node:crypto';

import { jsonText, parseJsonText } from '../../graph/core/json-text';
import type { FinishedWork } from '../../graph/ask/finished-work';
import type { Attributes } from '../../graph/core/value';
import type { FilesStore } from '../../services/storage/files';

type Files = Pick<FilesStore, 'list' | 'get' | 'put'>;

/** Files that are read at a time. */
const atATime = 16;

/** The JSON texts that earlier attempts have kept below the prefix, by the key of their unit of work. */
export async function keptTexts(files: Files, prefix: string): Promise<Map<string, string>> {
  const keys: string[] = [];
  for await (const key of files.list(prefix)) keys.push(key);
  const texts = new Map<string, string>();
  for (let from = 0; from < keys.length; from += atATime)
    await Promise.all(
      keys.slice(from, from + atATime).map(async (key) => {
        const name = key.slice(prefix.length).replace(/\.json$/, '');
        texts.set(name, new TextDecoder().decode(await files.get(key)));
      }),
    );
  return texts;
}

/** Keeps the result of a unit of work; when this resolves, no later attempt does it again. */
export function keepText(files: Pick<Files, 'put'>, prefix: string, key: string, text: string): Promise<void> {
  return files.put(`${prefix}${key}.json`, new TextEncoder().encode(text));
}

/** What earlier attempts have finished below the prefix, and a place for what this one finishes. */
export async function keptWork(files: Files, prefix: string): Promise<Required<FinishedWork>> {
  const texts = await keptTexts(files, prefix);
  return {
    finished: new Map([...texts].map(([key, text]) => [key, parseJsonText(text) as Attributes])),
    onChunkDone: (key, result) => keepText(files, prefix, key, jsonText(result)),
  };
}

/**
 * Where an operator keeps the work on a document of a run: beside the run's tables, with which it goes. No operator's tables stand
 * under a name that begins with a dot.
 */
export function workPrefix({ runId }: { runId: string }, operator: string, documentId: string): string {
  const name = createHash('sha256')
    .update(JSON.stringify([operator, documentId]))
    .digest('hex');
  return `run/${runId}/.graph/${name.slice(0, 32)}/`;
}
