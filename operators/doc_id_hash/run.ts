import { hash } from 'node:crypto';
import { countNouns } from '../../model/count-nouns';
import type { Row } from '../../model/flow/row';
import type { OperatorContext, OperatorResult } from '../operator';
import { runInSteps } from '../rows/steps';
import type { DocIdHashConfig } from './schema';

/** Adds a hash of each text. Rows without text get none; a warning counts them. */
export async function run(
  rows: readonly Row[],
  { doc_column: from = 'content', doc_id_hash_column: to = 'doc_id_hash' }: DocIdHashConfig,
  context: OperatorContext<never>,
): Promise<OperatorResult> {
  let blankRows = 0;
  const hashed = await runInSteps(rows, context, (row) => {
    const text = row[from];
    if (typeof text === 'string') return { ...row, [to]: hash('sha256', text) };
    blankRows += 1;
    return { ...row };
  });
  return {
    rows: hashed,
    warnings: blankRows > 0 ? [`${countNouns(blankRows, 'row')} without text in the column ${from} got no hash.`] : [],
  };
}
