import type { HitReason, SearchRequest } from '../ports';

/** How the engine explains a score. */
export interface Explanation {
  description: string;
  details?: Explanation[];
}

/** The part of a search body that requests explanations of hits. */
export function buildExplainBody({ explain }: SearchRequest): Record<string, unknown> {
  return explain ? { explain: true } : {};
}

/** One term of one field, as `weight(words.en:tide in 7)` names it, or a phrase, as in `weight(words.en:"tide gaug"~2 in 7)`. */
const namedTerm =
  /(?:^|[\s(])(words\.[a-z]+|titles\.[a-z]+|content|title|metadata_text|metadata\.[^\s:()"]+):(?:"([^"]+)"|([^\s:()"]+))/g;

/**
 * The matched words, by field. The engine also returns their frequency in all documents, which is only for readers of all of
 * them.
 */
export function findMatchedWords(explanation: Explanation | undefined): NonNullable<HitReason['words']> {
  const names = new Map<string, Set<string>>();
  const pending = explanation ? [explanation] : [];
  for (let explanation = pending.pop(); explanation; explanation = pending.pop()) {
    pending.push(...(explanation.details ?? []));
    if (!explanation.description.startsWith('weight(')) continue;
    const clause = explanation.description.slice('weight('.length).replace(/ in \d+\).*$/s, '');
    for (const [, path = '', phrase, term = ''] of clause.matchAll(namedTerm)) {
      const field = getShownName(path);
      const terms = names.get(field) ?? new Set();
      for (const one of phrase?.match(/[^\s()]+/g) ?? [term]) terms.add(one);
      names.set(field, terms);
    }
  }
  return [...names]
    .map(([field, terms]) => ({ field, terms: [...terms].toSorted() }))
    .toSorted((item, other) => (item.field < other.field ? -1 : 1));
}

/** Language fields contain the text and the title again. */
function getShownName(path: string): string {
  if (path.startsWith('words.')) return 'content';
  if (path.startsWith('titles.')) return 'title';
  return path === 'metadata_text' ? 'metadata' : path;
}

/** The places of ranked records, from 1, and how near their vectors are: by record. */
export function findPlaces<Ranked extends { id: string; index: string; score: number }>(
  words: readonly Ranked[] | undefined,
  vectors: readonly (readonly Ranked[])[],
): (record: { id: string; index: string }) => Pick<HitReason, 'ranks' | 'similarity'> {
  const getKey = ({ id, index }: { id: string; index: string }) => JSON.stringify([id, index]);
  const placed = (hits: readonly Ranked[]) =>
    new Map(hits.map((hit, position) => [getKey(hit), { rank: position + 1, score: hit.score }]));
  const [byWords, ...byVectors] = [words ?? [], ...vectors].map(placed);
  return (record) => {
    const near = byVectors.map((places) => places.get(getKey(record))).find((place) => place !== undefined);
    const word = byWords?.get(getKey(record));
    return {
      ranks: { ...(word ? { words: word.rank } : {}), ...(near ? { vectors: near.rank } : {}) },
      ...(near ? { similarity: near.score } : {}),
    };
  };
}
