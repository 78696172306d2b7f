import type { User } from '../../../model/access';
import { AppError } from '../../../model/errors';
import { splitQueryWord } from '../compounds/mark';
import { buildHeadSearch, type SearchLines, sendTogether } from '../knowledge';
import type { SearchRequest } from '../ports';
import { detectQuestionLanguage, dropFunctionWords } from '../refine/function-words';
import { buildAccessRule } from '../request';
import { allowTypos, compoundFields, languageFields, splitWords } from '../text-query';
import { isUnspaced, isCodes, type Ranked } from './fusion';
import type { RankingTools } from './tools';

/** In shorter questions, one missing word says little; texts that answer longer ones lack most of their words. */
const [minWords, maxWords] = [4, 8];
/** The same for models that know many languages: a text in another language lacks all words. A question of one word is mostly a name. */
const minTranslatedWords = 2;

/**
 * The share of the words of a question that its best hit by words has. Undefined for questions for which it says nothing, such as those in
 * scripts without spaces or with synonyms, and if the engine does not answer. It is read during the search by vectors. Words in similar forms
 * count as well, but not for models that know many languages: in texts of another language, similar words are accidental.
 */
export async function measureCoverage(
  { send, signal, knowledge, isMultilingual }: CoverageTools,
  user: User,
  { query = '' }: SearchRequest,
  [best]: readonly Ranked[],
): Promise<number | undefined> {
  if (isUnspaced(query) || isCodes(query) || (knowledge.alternatives ?? []).length > 0) return undefined;
  const own = detectQuestionLanguage(query);
  // In English, "die" is a tool: only function words of the question's language, or else of the hit's, say nothing.
  const words = splitWords(dropFunctionWords(query, own ?? best?.language));
  const least = isMultilingual ? minTranslatedWords : minWords;
  if (!best || words.length < least || words.length > maxWords) return undefined;
  const asked = words.map((word) => {
    const isTypo = !isMultilingual && (knowledge.unknown?.includes(word) ?? false);
    return buildOccurrence(word, { isTypo, mayBeGerman: own === undefined || own === 'de' });
  });
  const [answer] = await sendTogether(send, [buildOccurrences(user, best, asked)]).catch((error: unknown) => {
    signal.throwIfAborted();
    // The hits are there, so the search does not fail.
    if (error instanceof AppError) return [];
    throw error;
  });
  const hit = answer?.error ? undefined : answer?.hits.hits[0];
  return hit && (hit.matched_queries?.length ?? 0) / words.length;
}

interface CoverageTools extends Pick<RankingTools, 'send' | 'signal' | 'knowledge'> {
  /** True if all models are known to know many languages. */
  isMultilingual?: boolean;
}

/** Looks for words in one record. The access rule applies again: lists may have changed since the ranking. */
function buildOccurrences(
  user: User,
  { index, id }: Pick<Ranked, 'index' | 'id'>,
  should: readonly Record<string, unknown>[],
): SearchLines {
  const query = { bool: { filter: [{ term: { id: { value: id } } }, buildAccessRule(user)], should } };
  return [buildHeadSearch([index], user), { query, size: 1, stored_fields: '_none_', track_total_hits: false }];
}

/** A word in any form, or all parts of a German compound; as in the search, an unknown word also in similar forms. */
function buildOccurrence(
  word: string,
  { isTypo, mayBeGerman }: { isTypo: boolean; mayBeGerman: boolean },
): Record<string, unknown> {
  const fields = ['content', 'title', 'metadata_text', languageFields.words, languageFields.titles];
  const parts = mayBeGerman ? splitQueryWord(word) : [];
  const inParts = parts.map((part) => ({ multi_match: { query: part, fields: compoundFields } }));
  return {
    bool: {
      should: [
        { multi_match: { query: word, fields } },
        ...(inParts.length > 0 ? [{ bool: { must: inParts } }] : []),
        ...(isTypo ? allowTypos(word) : []),
      ],
      _name: word,
    },
  };
}
