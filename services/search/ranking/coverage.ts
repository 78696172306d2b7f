import type { User } from '../../../model/access';
import { AppError } from '../../../model/errors';
import { buildHeadSearch, type SearchLines, sendChecked } from '../knowledge';
import type { SearchRequest } from '../ports';
import { isFunctionWord } from '../refine/function-words';
import { buildAccessRule } from '../request';
import { allowTypos, languageFields, splitWords } from '../text-query';
import { isUnspaced, isCodes, type Ranked } from './fusion';
import type { RankingTools } from './tools';

/** In shorter questions, one missing word says little; texts that answer longer ones lack most of their words. */
const [minWords, maxWords] = [4, 8];

/**
 * The share of the words of a question that its best hit by words has. Undefined for questions for which it says nothing, such as those in
 * scripts without spaces or with synonyms, and if the engine does not answer. It is read during the search by vectors.
 */
export async function measureCoverage(
  { send, signal, knowledge }: Pick<RankingTools, 'send' | 'signal' | 'knowledge'>,
  user: User,
  { query = '' }: SearchRequest,
  [best]: readonly Ranked[],
): Promise<number | undefined> {
  if (isUnspaced(query) || isCodes(query) || (knowledge.alternatives ?? []).length > 0) return undefined;
  const words = splitWords(query).filter((word) => !isFunctionWord(word));
  if (!best || words.length < minWords || words.length > maxWords) return undefined;
  const searches = [buildOccurrences(user, best, words, knowledge.unknown)];
  const reply = sendChecked(send, searches, { user, alias: best.index, suspects: [] });
  const [answer] = await reply.then(
    ({ answers }) => answers,
    (error: unknown) => {
      signal.throwIfAborted();
      // The hits are there, so the search does not fail.
      if (error instanceof AppError) return [];
      throw error;
    },
  );
  const hit = answer?.error ? undefined : answer?.hits.hits[0];
  return hit && (hit.matched_queries?.length ?? 0) / words.length;
}

/**
 * Looks for each word in one record, in any form; for unknown words, as in the search, also for similar ones. The access rule applies
 * again: lists may have changed since the ranking.
 */
function buildOccurrences(
  user: User,
  { index, id }: Pick<Ranked, 'index' | 'id'>,
  words: readonly string[],
  unknown: readonly string[] = [],
): SearchLines {
  const fields = ['content', 'title', 'metadata_text', languageFields.words, languageFields.titles];
  const should = words.map((word) => {
    const similar = unknown.includes(word) ? allowTypos(word) : [];
    return { bool: { should: [{ multi_match: { query: word, fields } }, ...similar], _name: word } };
  });
  const query = { bool: { filter: [{ term: { id: { value: id } } }, buildAccessRule(user)], should } };
  return [buildHeadSearch([index], user), { query, size: 1, stored_fields: '_none_', track_total_hits: false }];
}
