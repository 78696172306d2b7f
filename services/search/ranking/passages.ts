import type { User } from '../../../model/access';
import { buildHeadSearch, type SearchLines } from '../knowledge';
import type { HitFact, SearchRequest } from '../ports';
import type { PreparedSearch } from '../request';
import type { Ranked } from './fusion';

/** Words of a passage by which its record is found in its document. */
const maxCharacters = 500;

/**
 * One search for each passage of the request: the record of its document that is most similar to it. The access rule and the filters
 * of the request apply, so a passage adds nothing that the search could not return.
 */
export function createPassageLines(
  alias: string,
  user: User,
  { filter }: PreparedSearch,
  { passages = [], group }: SearchRequest,
): SearchLines[] {
  return passages.map(({ documentId, text }) => {
    const ofDocument = [{ term: { document_id: { value: documentId } } }, { term: { id: { value: documentId } } }];
    const query = {
      bool: {
        filter: [...filter, { bool: { should: ofDocument, minimum_should_match: 1 } }],
        should: [{ match: { content: { query: text.slice(0, maxCharacters) } } }],
      },
    };
    const sort = [{ _score: { order: 'desc' } }, { id: { order: 'asc', unmapped_type: 'keyword' } }];
    const docvalue_fields = ['id', ...(group ? ['document_id'] : [])];
    return [
      buildHeadSearch([alias], user),
      { query, sort, size: 1, stored_fields: '_none_', docvalue_fields, track_total_hits: false },
    ];
  });
}

/** The records of passages, the nearest first, and the facts that each record supports. */
export function rankByFacts(
  rankedFacts: readonly (readonly Ranked[])[],
  { passages = [] }: SearchRequest,
): { order: Ranked[]; factsOf: (record: Pick<Ranked, 'id' | 'index'>) => HitFact[] } {
  const facts = new Map<string, { hit: Ranked; facts: HitFact[] }>();
  for (const [at, hits] of rankedFacts.entries())
    for (const hit of hits) {
      const supported = facts.get(getKey(hit)) ?? { hit, facts: [] };
      const fact = passages[at]?.fact;
      if (fact) supported.facts.push(fact);
      facts.set(getKey(hit), supported);
    }
  return {
    order: [...facts.values()].map(({ hit }) => hit),
    factsOf: (record) => facts.get(getKey(record))?.facts ?? [],
  };
}

const getKey = ({ id, index }: Pick<Ranked, 'id' | 'index'>) => JSON.stringify([id, index]);
