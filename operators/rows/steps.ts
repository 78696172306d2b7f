import { setImmediate } from 'node:timers/promises';
import type { Row } from '../../model/flow/row';
import type { OperatorContext } from '../operator';

/** Rows, and characters of text in them, after which others get their turn: a few milliseconds of work. */
const rowsPerStep = 256;
const charactersPerStep = 500_000;

/**
 * What `work` makes of each row, in order. Between steps the process can do other things, so that a cancellation is noticed
 * and heartbeats go out; progress is reported by the way.
 */
export async function inSteps<Result>(
  rows: readonly Row[],
  { signal, progress }: Pick<OperatorContext, 'signal' | 'progress'>,
  work: (row: Row) => Result,
): Promise<Result[]> {
  signal.throwIfAborted();
  const results: Result[] = [];
  let characters = 0;
  for (const [index, row] of rows.entries()) {
    characters += row.content?.length ?? 0;
    if ((index > 0 && index % rowsPerStep === 0) || characters > charactersPerStep) {
      progress(index, rows.length);
      await setImmediate();
      signal.throwIfAborted();
      characters = 0;
    }
    results.push(work(row));
  }
  progress(rows.length, rows.length);
  return results;
}
