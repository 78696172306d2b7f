import { setImmediate } from 'node:timers/promises';
import type { Row } from '../../model/flow/row';
import type { OperatorContext } from '../operator';

/** Rows, and characters of text in them, to process before yielding to other work: a few milliseconds. */
const rowsPerStep = 256;
const charactersPerStep = 500_000;

/**
 * Maps rows with `work`, in order, and reports progress. Yields between steps, so that the process notices cancellation and sends
 * heartbeats.
 */
export async function runInSteps<Result>(
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
