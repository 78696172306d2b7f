import { setTimeout } from 'node:timers/promises';
import type { Row } from '../../model/flow/row';
import type { OperatorContext, OperatorResult } from '../operator';
import type { NoopConfig } from './schema';

/** Returns the rows unchanged. */
export async function run(
  rows: readonly Row[],
  { sleep_sec: seconds = 0 }: NoopConfig,
  { signal, progress }: OperatorContext<never>,
): Promise<OperatorResult> {
  signal.throwIfAborted();
  if (seconds > 0) await setTimeout(seconds * 1_000, undefined, { signal });
  progress(rows.length, rows.length);
  return { rows: [...rows] };
}
