import { createHash } from 'node:crypto';
import { getAccessKey } from '../../model/access-list';
import type { Row, RowSkip } from '../../model/flow/row';
import type { OperatorContext, OperatorResult } from '../operator';
import { runInSteps } from '../rows/steps';
import type { EdedupConfig } from './schema';

type Context = OperatorContext<never>;

/** Same as `runParts`, for one part. */
export async function run(rows: readonly Row[], config: EdedupConfig, context: Context): Promise<OperatorResult> {
  return dedup(rows, config, context, new Map());
}

/** Keeps the first of all rows of a run with the same text. Stores a hash of each text, never the texts. */
export async function* runParts(
  parts: AsyncIterable<readonly Row[]>,
  config: EdedupConfig,
  context: Context,
): AsyncGenerator<OperatorResult> {
  const seen = new Map<string, string>();
  for await (const rows of parts) yield await dedup(rows, config, { ...context, progress: () => undefined }, seen);
}

/** `seen` maps the hashes so far to the names of their documents. */
async function dedup(
  rows: readonly Row[],
  { doc_column: column = 'content', across_access_lists: isAcrossLists = false }: EdedupConfig,
  context: Context,
  seen: Map<string, string>,
): Promise<OperatorResult> {
  const keptRows: Row[] = [];
  const skipped: RowSkip[] = [];
  await runInSteps(rows, context, (row) => {
    const key = findKey(row, column, isAcrossLists);
    const first = key === undefined ? undefined : seen.get(key);
    if (first !== undefined) {
      skipped.push({ id: row.id, name: row.name, reason: `Its text is that of '${first}'` });
      return;
    }
    if (key !== undefined) seen.set(key, row.name);
    keptRows.push(row);
  });
  return { rows: keptRows, skipped, metrics: { duplicates_removed: skipped.length } };
}

/** Undefined for a row without text, which is never a duplicate. */
function findKey(row: Row, column: string, isAcrossLists: boolean): string | undefined {
  const text = row[column];
  if (typeof text !== 'string') return undefined;
  const hash = createHash('sha256').update(text);
  if (!isAcrossLists) hash.update('\0').update(getAccessKey(row));
  return hash.digest('base64');
}
