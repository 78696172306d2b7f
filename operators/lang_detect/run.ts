import { detectAll } from 'tinyld';
import type { Row, RowSkip } from '../../model/row';
import { inSteps } from '../in-steps';
import type { OperatorContext, OperatorResult } from '../operator';
import type { LangDetectConfig } from './schema';

const unknown = { lang_name: 'UNKNOWN', lang_score: 0 };
/** Characters of each sample of a long text: its beginning, its middle and its end. */
const sample = 700;
/** Below this the detector found only what any text shows. */
const leastAccuracy = 0.01;

/** The language of each text, told by samples of it, so that a long text costs no more than a page. */
export async function run(
  rows: readonly Row[],
  { doc_column: column = 'content', filter_unknown_language: filter = false }: LangDetectConfig,
  context: OperatorContext<never>,
): Promise<OperatorResult> {
  let unknowns = 0;
  const told = await inSteps(rows, context, (row): Row => {
    const text = row[column];
    const language = typeof text === 'string' ? languageOf(text) : unknown;
    if (language === unknown) unknowns += 1;
    return { ...row, ...language };
  });
  const metrics = { unknown_languages: unknowns };
  if (!filter) return { rows: told, metrics };
  const skipped: RowSkip[] = told
    .filter(({ lang_name: name }) => name === unknown.lang_name)
    .map(({ id, name }) => ({ id, name, reason: 'Its language cannot be told' }));
  return { rows: told.filter(({ lang_name: name }) => name !== unknown.lang_name), skipped, metrics };
}

/** The ISO 639-1 code of the language and how sure it is; `UNKNOWN` and 0 for texts without words of a known one. */
export function languageOf(text: string): { lang_name: string; lang_score: number } {
  // Languages that people do not write documents in have codes of three letters here.
  const [best, next] = detectAll(sampleOf(text)).filter(({ lang }) => lang.length === 2);
  if (!best || best.accuracy < leastAccuracy) return unknown;
  const score = best.accuracy / (best.accuracy + (next?.accuracy ?? 0));
  return { lang_name: best.lang, lang_score: Math.round(score * 10_000) / 10_000 };
}

function sampleOf(text: string): string {
  if (text.length <= 3 * sample) return text;
  const middle = (text.length - sample) >> 1;
  return [text.slice(0, sample), text.slice(middle, middle + sample), text.slice(-sample)].join('\n');
}
