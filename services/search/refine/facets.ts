import { createFieldError, type FieldTypes, findSearchField, getExactPath, type SearchField } from '../fields';
import type { Facet, SearchRequest } from '../ports';

const defaultLimit = 10;

/** The answer of the engine to `buildFacetAggregations`. */
export interface FacetAnswers {
  [name: string]: {
    sum_other_doc_count?: number;
    buckets: { key: string | number; key_as_string?: string; doc_count: number }[];
  };
}

/** The paths of fields below metadata that are counted by interval, whose types must be known. */
export function listIntervalFields({ facets = [] }: SearchRequest): string[] {
  return facets.flatMap(({ field: name, interval }) => {
    const { kind, path } = findSearchField('facets', name);
    return interval !== undefined && kind === 'metadata' ? [path] : [];
  });
}

/**
 * Counts of values among the matches of a query; empty if none are requested. `types` has those of `listIntervalFields`. Throws
 * VALIDATION_ERROR for an interval of a field that does not hold dates.
 */
export function buildFacetAggregations({ facets = [] }: SearchRequest, types: FieldTypes): Record<string, unknown> {
  if (facets.length === 0) return {};
  const aggs = facets.map(({ field: name, limit = defaultLimit, interval }, position) => {
    const field = findSearchField('facets', name);
    const isByInterval = field.kind === 'date' || (interval !== undefined && hasDates(field, types));
    const aggregation = isByInterval
      ? {
          date_histogram: {
            field: field.path,
            calendar_interval: interval ?? 'month',
            format: 'yyyy-MM-dd',
            min_doc_count: 1,
            order: { _key: 'desc' },
          },
        }
      : { terms: { field: getExactPath(field), size: limit, order: [{ _count: 'desc' }, { _key: 'asc' }] } };
    return [`facet_${position}`, aggregation];
  });
  return { aggs: Object.fromEntries(aggs) };
}

/** False for a field without a value that the user may read: it has nothing to count, whatever its type. */
function hasDates({ given, path }: SearchField, types: FieldTypes): boolean {
  const held = path.startsWith('metadata.') ? types.get(path) : new Set(['keyword']);
  if (held === undefined) return false;
  if ([...held].every((type) => type === 'date')) return true;
  throw createFieldError(
    'facets',
    `The facet '${given}' has an interval, but not all of its values are indexed as dates. Leave out interval to count the values.`,
    given,
  );
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
