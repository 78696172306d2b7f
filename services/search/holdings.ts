import { exactPath, searchField } from './fields';
import type { Holdings } from './ports';

const mostReaders = 1_000;
const mostIndexes = 100;
const rulePath = 'metadata.access_rule';

interface Bucket {
  key: string;
  doc_count: number;
}
/** An answer of the engine to `holdingsSearch`. */
export interface HoldingAnswer {
  hits: { total: { value: number } };
  aggregations?: { readers: { buckets: Bucket[] }; indexes: { buckets: Bucket[] }; rules: { buckets: Bucket[] } };
}

/** Counts the records of a document by reader, index and rule; no text leaves the engine. */
export function holdingsSearch(documentId: string): Record<string, unknown> {
  return {
    query: { bool: { filter: [{ term: { document_id: { value: documentId } } }] } },
    size: 0,
    track_total_hits: true,
    aggs: {
      readers: { terms: { field: 'allowed_users', size: mostReaders } },
      indexes: { terms: { field: '_index', size: mostIndexes } },
      rules: { terms: { field: exactPath(searchField('facets', rulePath)), size: 1 } },
    },
  };
}

/** What an answer says; an alias that does not exist yet holds nothing. */
export function holdingsOf(answer: HoldingAnswer | undefined): Holdings {
  const buckets = (name: 'readers' | 'indexes' | 'rules') => answer?.aggregations?.[name].buckets ?? [];
  return {
    records: answer?.hits.total.value ?? 0,
    readers: buckets('readers').map(({ key, doc_count: records }) => ({ user: key, records })),
    indexes: buckets('indexes').map(({ key, doc_count: records }) => ({ name: key, records })),
    accessRule: buckets('rules')[0]?.key,
  };
}
