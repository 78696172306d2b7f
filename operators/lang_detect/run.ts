import type { Row, RowSkip } from '../../model/flow/row';
import type { OperatorContext, OperatorResult } from '../operator';
import { runInSteps } from '../rows/steps';
import type { LangDetectConfig } from './schema';
import { createWordVotes } from './word-votes';

const unknownLanguage = { lang_name: 'UNKNOWN', lang_score: 0 };
/** Length in characters of each of the three samples of a long text: beginning, middle and end. */
const sampleLength = 700;
/** Characters between words, in any script. */
const noLetters = /[^\p{L}\p{M}'’]+/u;
const longestWord = 40;
/** Longer tokens in these scripts are not words. Other scripts may have no blanks between words. */
const alphabetic = /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]/u;
/** Average weight per word below which the detection is noise. */
const minWeight = 0.3;
const readVotes = createWordVotes();

/** Detects the language of each text from samples, so that a long text costs no more than a page. */
export async function run(
  rows: readonly Row[],
  { doc_column: column = 'content', filter_unknown_language: filter = false }: LangDetectConfig,
  context: OperatorContext<never>,
): Promise<OperatorResult> {
  let unknowns = 0;
  const detected = await runInSteps(rows, context, (row): Row => {
    const text = row[column];
    const language = typeof text === 'string' ? detectLanguage(text) : unknownLanguage;
    if (language === unknownLanguage) unknowns += 1;
    return { ...row, ...language };
  });
  const metrics = { unknown_languages: unknowns };
  if (!filter) return { rows: detected, metrics };
  const skipped: RowSkip[] = detected
    .filter(({ lang_name: name }) => name === unknownLanguage.lang_name)
    .map(({ id, name }) => ({ id, name, reason: 'Its language cannot be detected' }));
  return { rows: detected.filter(({ lang_name: name }) => name !== unknownLanguage.lang_name), skipped, metrics };
}

/**
 * The ISO 639-1 code of the language for which most words vote, and its confidence; `UNKNOWN` and 0 for texts in which words of a
 * known language weigh less than `minShare` on average.
 */
export function detectLanguage(text: string, minShare = minWeight): { lang_name: string; lang_score: number } {
  const sums = new Map<string, number>();
  let words = 0;
  for (const word of takeSample(text).toLowerCase().split(noLetters)) {
    if (word === '' || (word.length > longestWord && alphabetic.test(word))) continue;
    words += 1;
    for (const [language, weight] of readVotes(word.slice(0, longestWord)))
      sums.set(language, (sums.get(language) ?? 0) + weight);
  }
  const [best, next] = [...sums].toSorted((sum, other) => other[1] - sum[1]);
  if (!best || best[1] / words < minShare) return unknownLanguage;
  return { lang_name: best[0], lang_score: Math.round((best[1] / (best[1] + (next?.[1] ?? 0))) * 10_000) / 10_000 };
}

function takeSample(text: string): string {
  if (text.length <= 3 * sampleLength) return text;
  const middle = (text.length - sampleLength) >> 1;
  return [text.slice(0, sampleLength), text.slice(middle, middle + sampleLength), text.slice(-sampleLength)].join('\n');
}
