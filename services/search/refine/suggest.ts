import type { User } from '../../../model/access';
import { createFieldError } from '../fields';
import type { Hits } from '../hits';
import type { Suggestion, SuggestRequest } from '../ports';
import { buildAccessRule, buildScope } from '../request';
import { splitWords } from '../text-query';

/** How many readable records are examined, those with the words in their titles first. */
export const maxRecords = 100;
const maxWords = 20;
const fragments = 3;
const fragmentLength = 120;
const titleBoost = 4;
/** Placed around a found word. Private-use characters, which ordinary text does not contain. */
const [before, after] = ['\uE000', '\uE001'];
const marked = new RegExp(`${before}([^${before}${after}]*)${after}`, 'g');

/**
 * The search for suggestions. They come only from its hits, all of which the user may read: not even the order of the words
 * depends on other documents. Undefined if there is nothing to complete.
 */
export function suggestBody(user: User, request: SuggestRequest): Record<string, unknown> | undefined {
  const words = listCompletedWords(request);
  const last = words.at(-1);
  if (last === undefined) return undefined;
  const isOpen = isOpenWord(request);
  const value = foldAccents(last);
  const beginning = (field: string) => (isOpen ? { prefix: { [field]: { value } } } : { match: { [field]: last } });
  const earlier = words.slice(0, -1).map((query) => ({
    bool: {
      should: ['content', 'title'].map((field) => ({ match: { [field]: { query, zero_terms_query: 'all' } } })),
      minimum_should_match: 1,
    },
  }));
  const clauses = [
    { constant_score: { filter: beginning('title'), boost: titleBoost } },
    { constant_score: { filter: beginning('content'), boost: 1 } },
  ];
  return {
    size: maxRecords,
    _source: ['title'],
    track_total_hits: false,
    query: {
      bool: {
        filter: [buildAccessRule(user), ...buildScope(request), ...earlier],
        should: clauses,
        minimum_should_match: 1,
      },
    },
    sort: [{ _score: { order: 'desc' } }, { id: { order: 'asc', unmapped_type: 'keyword' } }],
    highlight: {
      fields: { content: { number_of_fragments: fragments, fragment_size: fragmentLength } },
      highlight_query: beginning('content'),
      pre_tags: [before],
      post_tags: [after],
      max_analyzer_offset: 1_000_000,
    },
  };
}

/** The words typed so far. Throws VALIDATION_ERROR if there are too many. */
export function listCompletedWords({ text }: SuggestRequest): string[] {
  const words = splitWords(text);
  if (words.length > maxWords)
    throw createFieldError('q', `q has ${words.length} words; at most ${maxWords} are completed.`);
  return words;
}

/** True if the last word may continue. */
export function isOpenWord({ text }: SuggestRequest): boolean {
  return /[\p{L}\p{M}\p{N}_]$/u.test(text);
}

/** Titles with all words, then completions of the last word, each from most records to fewest. */
export function listSuggestions(hits: Hits | undefined, { text, limit = 10 }: SuggestRequest): Suggestion[] {
  const words = splitWords(text).map(foldAccents);
  const last = words.at(-1) ?? '';
  const titles = new Map<string, number>();
  const completions = new Map<string, number>();
  for (const { _source, highlight } of hits?.hits.hits ?? []) {
    const title = typeof _source['title'] === 'string' ? _source['title'].trim() : '';
    if (startsAll(title, words)) count(titles, title);
    const written = [...(highlight?.['content'] ?? []), ...(startsAll(title, [last]) ? markWords(title, last) : [])];
    const inRecord = new Set(written.flatMap((passage) => [...passage.matchAll(marked)].map(([, word = '']) => word)));
    for (const candidate of new Set([...inRecord].map((word) => word.toLowerCase())))
      if (foldAccents(candidate).startsWith(last)) count(completions, candidate);
  }
  const head = text.slice(0, text.length - (/[\p{L}\p{M}\p{N}_]*$/u.exec(text)?.[0].length ?? 0));
  const isOpen = head.length < text.length;
  return [
    ...orderByCount(titles).map((value): Suggestion => ({ text: value, kind: 'title' })),
    ...(isOpen ? orderByCount(completions) : []).map((value): Suggestion => ({
      text: `${head}${value}`,
      kind: 'words',
    })),
  ].slice(0, limit);
}

/** True if each word is the beginning of a word of the title. */
function startsAll(title: string, words: readonly string[]): boolean {
  const titleWords = splitWords(title).map(foldAccents);
  return title !== '' && words.every((word) => titleWords.some((value) => value.startsWith(word)));
}

/** The words of a text with this beginning, as highlights mark them. */
export function markWords(text: string, beginning: string): string[] {
  return splitWords(text)
    .filter((word) => foldAccents(word).startsWith(beginning))
    .map((word) => `${before}${word}${after}`);
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function orderByCount(counts: ReadonlyMap<string, number>): string[] {
  return [...counts]
    .toSorted(([one, many], [other, more]) => more - many || (one < other ? -1 : 1))
    .map(([text]) => text);
}

/** Words in the form of the index: lower case, without accents. */
function foldAccents(word: string): string {
  return word.toLowerCase().normalize('NFD').replaceAll(/\p{M}/gu, '');
}
