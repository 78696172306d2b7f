import type { Hits } from '../hits';
import { listSuspects } from '../knowledge';
import type { SearchRequest } from '../ports';

/** Number of characters of a record that are searched for words of a question. */
const maxLookedAt = 20_000;

/** Possible typing errors that do not occur in the matching records. */
export function findUnseenWords(hits: Hits | undefined, request: SearchRequest): string[] {
  const suspects = new Set(listSuspects(request));
  for (const { _source: record = {} } of hits?.hits.hits ?? [])
    for (const text of [record['title'], record['content']]) {
      if (suspects.size === 0) return [];
      if (typeof text !== 'string') continue;
      const lower = text.slice(0, maxLookedAt).toLowerCase();
      for (const word of suspects) if (hasWord(lower, word)) suspects.delete(word);
    }
  return [...suspects];
}

const partOfWord = /[\p{L}\p{M}\p{N}_]/u;

/** Without splitting the whole text, which would take longer than everything else that a search by words does here. */
function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length))
    if (!partOfWord.test(text.charAt(at - 1)) && !partOfWord.test(text.charAt(at + word.length))) return true;
  return false;
}
