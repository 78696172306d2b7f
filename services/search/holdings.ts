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
    Record<'readable' | 'named' | 'denying' | 'forGroups', { doc_count: number }>;
}

/** Maximum number of principals of each kind in the reply. */
const maxPrincipals = 10;

/** Builds the search that counts the records of a document by a reader's access to them, without reading their texts. */
export function buildJudgementSearch(documentId: string, reader: Reader): Record<string, unknown> {
  const principals = [...listKnownPrincipals(reader)];
  const buildTerms = (field: string) => ({ terms: { field, include: principals, size: maxPrincipals } });
  const rules = getExactPath(findSearchField('facets', rulePath));
  return {
    query: { bool: { filter: [{ term: { document_id: { value: documentId } } }] } },
    size: 0,
    track_total_hits: true,
    aggs: {
      readable: { filter: buildAccessRule(reader) },
      named: { filter: { term: { allowed_users: reader.username } } },
      denying: { filter: { exists: { field: 'denied_principals' } } },
      forGroups: { filter: { prefix: { allowed_principals: 'g:' } } },
      allowed: buildTerms('allowed_principals'),
      denied: buildTerms('denied_principals'),
      rules: { terms: { field: rules, size: 1 } },
    },
  };
}

/** The reader's access according to the answer. */
export function readJudgement(answer: JudgementAnswer | undefined): Judgement {
  const aggregations = answer?.aggregations;
  const count = (name: 'readable' | 'named' | 'denying' | 'forGroups') => aggregations?.[name].doc_count ?? 0;
  return {
    records: answer?.hits.total.value ?? 0,
    readable: count('readable'),
    named: count('named'),
    allowedBy: aggregations?.allowed.buckets.map(({ key }) => key) ?? [],
    deniedBy: aggregations?.denied.buckets.map(({ key }) => key) ?? [],
    denying: count('denying'),
    forGroups: count('forGroups'),
    accessRule: aggregations?.rules.buckets[0]?.key,
  };
}
