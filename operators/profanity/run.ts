import { countNouns } from '../../model/count-nouns';
import type { Row, RowSkip } from '../../model/flow/row';
import type { OperatorContext, OperatorResult } from '../operator';
import { buildMask, maskRow, replacePassages } from '../rows/mask';
import { runInSteps } from '../rows/steps';
import { findProfanity, prepareList, type WordList } from './find';
import type { ProfanityConfig } from './schema';
import { profanities, profanityLanguages } from './words';

/** Adds counts to each row, and masks or leaves out as configured. */
export async function run(
  rows: readonly Row[],
  config: ProfanityConfig,
  context: OperatorContext<never>,
): Promise<OperatorResult> {
  const {
    doc_column: column = 'content',
    action = 'detect',
    max_count: maxCount = 1,
    masking_character: character = '*',
  } = config;
  const chooseList = createListChooser(config);
  let total = 0;
  const skipped: RowSkip[] = [];
  const keptRows: Row[] = [];
  await runInSteps(rows, context, (row) => {
    const list = chooseList(row['lang_name']);
    const text = row[column];
    const profanity = typeof text === 'string' ? findProfanity(text, list) : [];
    total += profanity.length;
    if (action === 'remove' && profanity.length >= maxCount) {
      const reason = `It holds ${countNouns(profanity.length, 'passage')} of profanity`;
      skipped.push({ id: row.id, name: row.name, reason });
      return;
    }
    const words = typeof text === 'string' ? (text.match(/\S+/g)?.length ?? 0) : 0;
    keptRows.push({
      ...(action === 'mask' ? maskRow(row, column, (value) => hide(value, list, character)) : row),
      profanity_count: profanity.length,
      profanity_ratio: words === 0 ? 0 : Math.round((profanity.length / words) * 1e6) / 1e6,
      profanity_terms: [...new Set(profanity.map(({ term }) => term))],
    });
  });
  return { rows: keptRows, skipped, metrics: { profanity_passages: total } };
}

function hide(text: string, list: WordList, character: string): string {
  return replacePassages(
    text,
    findProfanity(text, list).map(({ start, end }) => ({
      start,
      end,
      by: buildMask(text.slice(start, end), character),
    })),
  );
}

/**
 * Creates a function that returns the list for the language of a row; the list of all configured languages when no list has that
 * language. Lists are prepared once.
 */
function createListChooser({
  languages = [...profanityLanguages],
  words = [],
  allowed_words: allowed = [],
}: ProfanityConfig) {
  const prepare = (chosen: readonly string[]) =>
    prepareList([...chosen.flatMap((value) => profanities[value] ?? []), ...words], allowed);
  const whole = prepare(languages);
  const single = new Map(languages.map((language) => [language, prepare([language])]));
  return (language: unknown): WordList => {
    if (typeof language !== 'string' || !profanityLanguages.includes(language)) return whole;
    return single.get(language) ?? prepare([]);
  };
}
