import { createHash } from 'node:crypto';
import { jsonText } from '../core/json-text';
import type { Attributes, GraphValue } from '../core/value';

/**
 * Lets an extraction resume after a crash. A unit of work is one chunk, one page, or one batch of the contract `dense`, with all
 * its requests. Its key consists of the name of the unit and a hash of its input, so that a result is never reused for another
 * text, template or option. It contains only letters, digits and hyphens. Results are plain JSON: write them with `jsonText`
 * and read them with `parseJsonText`, which keep all digits.
 */
export interface Checkpoints {
  /** Results of an earlier attempt. Units with a key in it are not sent to the model again. */
  finished?: ReadonlyMap<string, Attributes>;
  /** Called once with the result of each unit of this attempt, before the same worker starts its next unit. */
  onChunkDone?: (key: string, result: Attributes) => Promise<void> | void;
}

/** The key of a unit: its name, and a hash of everything that its result depends on. */
export function checkpointKey(name: string, ...about: GraphValue[]): string {
  const hash = createHash('sha256')
    .update(jsonText(about, { isSorted: true }))
    .digest('hex');
  return `${name.replace(/[^A-Za-z0-9-]+/g, '-')}-${hash.slice(0, 16)}`;
}

/** Returns the stored result of a unit, or runs `work` and reports its result. */
export async function runOnce(
  key: string,
  { finished, onChunkDone }: Checkpoints,
  work: () => Promise<Attributes>,
): Promise<Attributes> {
  const stored = finished?.get(key);
  if (stored) return stored;
  const result = await work();
  await onChunkDone?.(key, result);
  return result;
}
