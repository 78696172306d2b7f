import { createHash } from 'node:crypto';
import { jsonText } from '../core/json-text';
import type { Attributes, GraphValue } from '../core/value';

/**
 * The seam by which an extraction goes on after a crash. A unit of work is one chunk, one page, or one batch of the contract
 * `dense`, with all questions that it takes. Its key names the unit and a hash of what it is about, so that a result is never
 * taken for that of another text, template or option; it holds letters, digits and hyphens only. Results are plain JSON: keep
 * them with `jsonText` and read them with `parseJsonText`, which lose no digits.
 */
export interface FinishedWork {
  /** Results of an earlier attempt: units whose key is in it are not sent to the model again. */
  finished?: ReadonlyMap<string, Attributes>;
  /** Called once with the result of each unit of this attempt, before the same worker starts its next unit. */
  onChunkDone?: (key: string, result: Attributes) => Promise<void> | void;
}

/** The key of a unit: its name, and a hash of everything that its result depends on. */
export function workKey(name: string, ...about: GraphValue[]): string {
  const hash = createHash('sha256')
    .update(jsonText(about, { isSorted: true }))
    .digest('hex');
  return `${name.replace(/[^A-Za-z0-9-]+/g, '-')}-${hash.slice(0, 16)}`;
}

/** The kept result of a unit, else that of `work`, which is then reported. */
export async function onceFinished(
  key: string,
  { finished, onChunkDone }: FinishedWork,
  work: () => Promise<Attributes>,
): Promise<Attributes> {
  const known = finished?.get(key);
  if (known) return known;
  const result = await work();
  await onChunkDone?.(key, result);
  return result;
}
