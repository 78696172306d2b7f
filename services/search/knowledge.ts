import type { User } from '../../model/access';
import type { SearchRequest } from './ports';
import type { Send } from './connection';
import { accessRule } from './request';
import { mayBeTypo, type TextKnowledge, wordsOf } from './text-query';

/** Longer questions are not looked through for typing errors: their other words tell what is meant. */
const mostChecked = 8;

/** What the indexes tell before a question is asked: their languages, and which of its words nobody wrote. */
export async function know(send: Send, index: string, user: User, { query }: SearchRequest): Promise<TextKnowledge> {
  if (query === undefined || query.trim() === '') return { languages: [] };
  const languages = await readLanguages(send, index);
  const words = wordsOf(query);
  const suspects = words.length > mostChecked ? [] : words.filter(mayBeTypo);
  if (suspects.length === 0) return { languages };
  return { languages, unknown: await unknownWords(send, index, { user, suspects, languages }) };
}

/** When nothing was found, every word may be a typing error, and words that say nothing count. */
export function lastResort(knowledge: TextKnowledge, { query = '' }: SearchRequest): TextKnowledge {
  return { ...knowledge, unknown: wordsOf(query).slice(0, mostChecked).filter(mayBeTypo), isLastResort: true };
}

/** Fields of languages are made when the first text of a language is written. */
async function readLanguages(send: Send, index: string): Promise<string[]> {
  const answer = (await send({
    method: 'GET',
    path: `/${index}/_field_caps`,
    query: { fields: 'words.*', ignore_unavailable: true, allow_no_indices: true },
  })) as { fields: Record<string, unknown> } | undefined;
  return Object.keys(answer?.fields ?? {})
    .filter((name) => name.startsWith('words.'))
    .map((name) => name.slice('words.'.length))
    .toSorted();
}

/** Counted in what the user may read, so that nobody learns of words in other documents. */
async function unknownWords(
  send: Send,
  index: string,
  { user, suspects, languages }: { user: User; suspects: readonly string[]; languages: readonly string[] },
): Promise<string[]> {
  const fields = ['content', 'title', 'metadata_text', ...languages.map((code) => `words.${code}`)];
  const filters = suspects.map((one) => ({
    bool: { should: fields.map((field) => ({ match: { [field]: one } })), minimum_should_match: 1 },
  }));
  const answer = (await send({
    method: 'POST',
    path: '/_msearch',
    bulk: filters.flatMap((filter) => [
      JSON.stringify({ index: decodeURIComponent(index), ignore_unavailable: true, allow_no_indices: true }),
      JSON.stringify({
        size: 0,
        track_total_hits: 1,
        terminate_after: 1,
        query: { bool: { filter: [accessRule(user), filter] } },
      }),
    ]),
  })) as { responses: { hits?: { total: { value: number } } }[] } | undefined;
  return suspects.filter((_, position) => answer?.responses[position]?.hits?.total.value === 0);
}
