import type { Row } from '../../model/flow/row';
import type { OperatorContext, OperatorResult } from '../operator';
import { runInSteps } from '../rows/steps';
import { countText, measure } from './measure';
import type { ReadabilityConfig } from './schema';

/** Adds the measures to each row. If the language of a text has no formula, only the LIX is added. */
export async function run(
  rows: readonly Row[],
  { language, doc_column: column = 'content' }: ReadabilityConfig,
  context: OperatorContext<never>,
): Promise<OperatorResult> {
  const measured = await runInSteps(rows, context, (row): Row => {
    const text = row[column];
    const textLanguage = language ?? readLanguage(row);
    return { ...row, ...measure(countText(typeof text === 'string' ? text : '', textLanguage), textLanguage) };
  });
  return { rows: measured };
}

function readLanguage({ lang_name: detected }: Row): string {
  return typeof detected === 'string' ? detected : 'en';
}
