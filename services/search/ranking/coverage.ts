import type { User } from '../../../model/access';
import type { Send } from '../connection';
import { buildHeadSearch, type SearchLines, sendChecked } from '../knowledge';
import type { SearchRequest } from '../ports';
import { isFunctionWord } from '../refine/function-words';
import { buildAccessRule } from '../request';
import { languageFields, splitWords } from '../text-query';
import type { Ranked } from './fusion';

/** In shorter questions, one missing word says little; texts that answer longer ones lack most of their words. */
const [minWords, maxWords] = [4, 8];

/**
 * The share of the words of a question that its best hit by words has. Undefined for questions for which it says nothing. It is read
 * during the search by vectors.
 */
export async function measureCoverage(
  send: Send,
  user: User,
  { query = '' }: SearchRequest,
  [best]: readonly Ranked[],
): Promise<number | undefined> {
  const words = splitWords(query).filter((word) => !isFunctionWord(word));
  if (!best || words.length < minWords || words.length > maxWords) return undefined;
  const searches = [buildOccurrences(user, best, words)];
  const { answers } = await sendChecked(send, searches, { user, alias: best.index, suspects: [] });
  const [answer] = answers;
  const hit = answer?.error ? undefined : answer?.hits.hits[0];
  return hit && (hit.matched_queries?.length ?? 0) / words.length;
}

/** Looks for each word in one record, in any form. The access rule applies again: lists may have changed since the ranking. */
function buildOccurrences(
  user: User,
  { index, id }: Pick<Ranked, 'index' | 'id'>,
  words: readonly string[],
): SearchLines {
  const fields = ['content', 'title', languageFields.words, languageFields.titles];
  const should = words.map((word) => ({ multi_match: { query: word, fields, _name: word } }));
  const query = { bool: { filter: [{ term: { id: { value: id } } }, buildAccessRule(user)], should } };
  return [buildHeadSearch([index], user), { query, size: 1, stored_fields: '_none_', track_total_hits: false }];
}
