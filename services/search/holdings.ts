import type { Reader } from '../../model/access';
import { listKnownPrincipals } from '../../model/access-list';
import { getExactPath, findSearchField } from './fields';
import type { Holdings, Judgement } from './ports';
import { buildAccessRule } from './request';

const maxReaders = 1_000;
const maxIndexes = 100;
const rulePath = 'metadata.access_rule';

interface Bucket {
  key: string;
  doc_count: number;
}
/** An answer of the engine to `buildHoldingsSearch`. */
export interface HoldingAnswer {
  hits: { total: { value: number } };
  aggregations?: Record<'readers' | 'principals' | 'denied' | 'indexes' | 'rules', { buckets: Bucket[] }>;
}

/** Builds the search that counts the records of a document by reader, index and rule, without reading their texts. */
export function buildHoldingsSearch(documentId: string): Record<string, unknown> {
  return {
    query: { bool: { filter: [{ term: { document_id: { value: documentId } } }] } },
    size: 0,
    track_total_hits: true,
    aggs: {
      readers: { terms: { field: 'allowed_users', size: maxReaders } },
      principals: { terms: { field: 'allowed_principals', size: maxReaders } },
      denied: { terms: { field: 'denied_principals', size: maxReaders } },
      indexes: { terms: { field: '_index', size: maxIndexes } },
      rules: { terms: { field: getExactPath(findSearchField('facets', rulePath)), size: 1 } },
    },
  };
}

/** The total of an answer; an alias that does not exist yet has no records. */
export function readHoldings(answer: HoldingAnswer | undefined): Holdings {
  const listBuckets = (name: 'readers' | 'principals' | 'denied' | 'indexes' | 'rules') =>
    answer?.aggregations?.[name].buckets ?? [];
  return {
    records: answer?.hits.total.value ?? 0,
    readers: listBuckets('readers').map(({ key, doc_count: records }) => ({ user: key, records })),
    principals: listBuckets('principals').map(({ key, doc_count: records }) => ({ principal: key, records })),
    denied: listBuckets('denied').map(({ key, doc_count: records }) => ({ principal: key, records })),
    indexes: listBuckets('indexes').map(({ key, doc_count: records }) => ({ name: key, records })),
    accessRule: listBuckets('rules')[0]?.key,
  };
}

/** An answer of the engine to `buildJudgementSearch`. */
export interface JudgementAnswer {
  hits: { total: { value: number } };
  aggregations?: Record<'allowed' | 'denied' | 'rules', { buckets: Bucket[] }> &
    Record<'named' | 'denying' | 'forGroups', { doc_count: number }> & {
      readable: { doc_count: number } & Record<'allowed' | 'rules', { buckets: Bucket[] }>;
    };
}

/** Maximum number of principals of each kind in the reply. */
const maxPrincipals = 10;

/** Builds the search that counts the records of a document by a reader's access to them, without reading their texts. */
export function buildJudgementSearch(documentId: string, reader: Reader): Record<string, unknown> {
  const principals = [...listKnownPrincipals(reader)];
  const buildTerms = (field: string) => ({ terms: { field, include: principals, size: maxPrincipals } });
  const allowed = buildTerms('allowed_principals');
  const rules = { terms: { field: getExactPath(findSearchField('facets', rulePath)), size: 1 } };
  return {
    query: { bool: { filter: [{ term: { document_id: { value: documentId } } }] } },
    size: 0,
    track_total_hits: true,
    aggs: {
      readable: { filter: buildAccessRule(reader), aggs: { allowed, rules } },
      named: { filter: { term: { allowed_users: reader.username } } },
      denying: { filter: { exists: { field: 'denied_principals' } } },
      forGroups: { filter: { prefix: { allowed_principals: 'g:' } } },
      allowed,
      denied: buildTerms('denied_principals'),
      rules,
    },
  };
}

/** The reader's access according to the answer. What decided it comes from the records that the reader may read, if there are any. */
export function readJudgement(answer: JudgementAnswer | undefined): Judgement {
  const aggregations = answer?.aggregations;
  const count = (name: 'readable' | 'named' | 'denying' | 'forGroups') => aggregations?.[name].doc_count ?? 0;
  const readable = count('readable');
  const deciding = readable > 0 ? aggregations?.readable : aggregations;
  return {
    records: answer?.hits.total.value ?? 0,
    readable,
    named: count('named'),
    allowedBy: deciding?.allowed.buckets.map(({ key }) => key) ?? [],
    deniedBy: aggregations?.denied.buckets.map(({ key }) => key) ?? [],
    denying: count('denying'),
    forGroups: count('forGroups'),
    accessRule: deciding?.rules.buckets[0]?.key,
  };
}
