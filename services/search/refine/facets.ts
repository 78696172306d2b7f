import { getExactPath, findSearchField } from '../fields';
import type { Facet, SearchRequest } from '../ports';

const defaultLimit = 10;

/** The answer of the engine to `buildFacetAggregations`. */
export interface FacetAnswers {
  [name: string]: {
    sum_other_doc_count?: number;
    buckets: { key: string | number; key_as_string?: string; doc_count: number }[];
  };
}

/** Counts of values among the matches of a query; empty if none are requested. */
export function buildFacetAggregations({ facets = [] }: SearchRequest): Record<string, unknown> {
  if (facets.length === 0) return {};
  const aggs = facets.map(({ field: name, limit = defaultLimit, interval }, position) => {
    const field = findSearchField('facets', name);
    const path = getExactPath(field);
    const aggregation =
      field.kind === 'date' || interval !== undefined
        ? {
            date_histogram: {
              field: field.path,
              calendar_interval: interval ?? 'month',
              format: 'yyyy-MM-dd',
              min_doc_count: 1,
              order: { _key: 'desc' },
            },
          }
        : { terms: { field: path, size: limit, order: [{ _count: 'desc' }, { _key: 'asc' }] } };
    return [`facet_${position}`, aggregation];
  });
  return { aggs: Object.fromEntries(aggs) };
}

/** The counts in the order of the request; undefined if none were requested. */
export function readFacets({ facets }: SearchRequest, answers: FacetAnswers | undefined): Facet[] | undefined {
  if (!facets || facets.length === 0) return undefined;
  return facets.map(({ field, limit = defaultLimit }, position) => {
    const { buckets = [], sum_other_doc_count: other = 0 } = answers?.[`facet_${position}`] ?? {};
    const keptBuckets = buckets.slice(0, limit);
    return {
      field,
      values: keptBuckets.map(({ key, key_as_string: text, doc_count: count }) => ({
        value: text ?? String(key),
        count,
      })),
      other: other + buckets.slice(limit).reduce((sum, { doc_count: count }) => sum + count, 0),
    };
  });
}
