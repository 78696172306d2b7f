import { createHash } from 'node:crypto';
import type { User } from '../../model/access';
import type { Send } from './connection';
import type { Hits } from './hits';
import type { SearchRequest } from './ports';
import { rememberBriefly } from './remember-briefly';
import type { PreparedSearch } from './request';
import { languageFields, mayBeTypo, type TextKnowledge, splitWords } from './text-query';

/** Longer queries are not checked for typing errors: their other words suffice. */
const maxChecked = 8;

/** Facts about the indexes that a query needs: none for a short one, otherwise their languages, at most five seconds old. */
export function createKnowledge(index: string): (send: Send, request: SearchRequest) => Promise<TextKnowledge> {
  const readKnownLanguages = rememberBriefly((send) => readLanguages(send, index));
  return async (send, { query }) => {
    const isShort = query === undefined || splitWords(query, { isWhole: true }).length <= maxChecked;
    return isShort ? {} : { languages: await readKnownLanguages(send) };
  };
}

/** If nothing was found, every word may be a typing error, and stop words count. */
export function widenKnowledge(knowledge: TextKnowledge, { query = '' }: SearchRequest): TextKnowledge {
  return { ...knowledge, unknown: splitWords(query).slice(0, maxChecked).filter(mayBeTypo), isLastResort: true };
}

/** A language's fields are created with the first text in that language. */
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

/** Words of a short question that may be typing errors. */
export function listSuspects({ query }: SearchRequest): string[] {
  const words = query === undefined ? [] : splitWords(query);
  return words.length > maxChecked ? [] : words.filter(mayBeTypo);
}

/** One part of an answer to several searches. */
interface Answered {
  error?: unknown;
  status: number;
}

/** One of several searches that are sent together: its indexes and its body. */
export type SearchLines = readonly [Record<string, unknown>, Record<string, unknown>];

/** The searched names as a list; missing ones are empty. */
export function buildHeadSearch(index: string | readonly string[], user: User): Record<string, unknown> {
  const preference = chooseCopy(user);
  return { index, ignore_unavailable: true, allow_no_indices: true, allow_partial_search_results: false, preference };
}

/** One user's searches go to the same copy of an index: copies count deleted records differently, and pages would overlap. */
export function chooseCopy({ username }: User): string {
  return createHash('sha256').update(username).digest('hex').slice(0, 16);
}

/** Sends searches together; each is answered in its place. */
export async function sendTogether(send: Send, searches: readonly SearchLines[]): Promise<(Hits & Answered)[]> {
  const bulk = searches.flat().map((line) => JSON.stringify(line));
  const { responses = [] } = ((await send({ method: 'POST', path: '/_msearch', bulk })) ?? {}) as {
    responses?: (Hits & Answered)[];
  };
  return responses;
}

/**
 * Sends searches together with a check whether suspected words exist: most queries have no typing error, and then one call is
 * enough. Only records that the filters leave are counted, access rule included: words of other records are not revealed, and other
 * indexes do not change what a search in one index finds.
 */
export async function sendChecked(
  send: Send,
  searches: readonly SearchLines[],
  { user, alias, suspects, filter }: Suspicion,
): Promise<{ answers: (Hits & Answered)[]; unknown: string[] }> {
  const checks = suspects.map((word): SearchLines => [buildHeadSearch(alias, user), buildOccurrence(filter, word)]);
  const responses = await sendTogether(send, [...searches, ...checks]);
  const counts = responses.slice(searches.length);
  return {
    answers: responses.slice(0, searches.length),
    unknown: suspects.filter((_, position) => counts[position]?.hits?.total.value === 0),
  };
}

/** Words that may be typing errors, and the records in which they may occur. */
interface Suspicion extends Pick<PreparedSearch, 'filter'> {
  user: User;
  alias: string;
  suspects: readonly string[];
}

function buildOccurrence(filter: PreparedSearch['filter'], query: string): Record<string, unknown> {
  const fields = ['content', 'title', 'metadata_text', languageFields.words];
  const found = { bool: { filter: [...filter, { multi_match: { query, fields } }] } };
  return { size: 0, track_total_hits: 1, terminate_after: 1, query: found };
}
