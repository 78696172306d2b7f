import { AppError } from '../../../model/errors';
import type { Send } from '../connection';
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
 * Counts of values among the matches of a query; empty if none are requested. `types` has those of `listIntervalFields`. Facets that
 * `countApart` counts are left out. Throws VALIDATION_ERROR for an interval of a field that does not hold dates.
 */
export function buildFacetAggregations(request: SearchRequest, types: FieldTypes): Record<string, unknown> {
  const aggs = listAggregations(request, types).filter(({ onlyIn }) => onlyIn === undefined);
  if (aggs.length === 0) return {};
  return { aggs: Object.fromEntries(aggs.map(({ name, aggregation }) => [name, aggregation])) };
}

/**
 * The answers for intervals of fields that are dates in readable records and something else in other indexes, which would refuse the
 * whole search. Only the indexes of readable records are asked.
 */
export async function countApart(
  send: Send,
  request: SearchRequest,
  { types, query }: { types: FieldTypes; query: unknown },
): Promise<FacetAnswers> {
  const apart = listAggregations(request, types).filter(({ onlyIn }) => onlyIn !== undefined);
  if (apart.length === 0) return {};
  const lines = apart.flatMap(({ name, aggregation, onlyIn }) => [
    { index: onlyIn, ignore_unavailable: true, allow_partial_search_results: false },
    { query, size: 0, track_total_hits: false, aggs: { [name]: aggregation } },
  ]);
  const reply = (await send({ method: 'POST', path: '/_msearch', bulk: lines.map((line) => JSON.stringify(line)) })) as
    | { responses?: { aggregations?: FacetAnswers; error?: unknown }[] }
    | undefined;
  const responses = reply?.responses ?? [];
  if (responses.some(({ error }) => error !== undefined))
    throw new AppError('SEARCH_CONNECTION_FAILED', 'The search server could not count the facets by interval.');
  return Object.assign({}, ...responses.map(({ aggregations }) => aggregations)) as FacetAnswers;
}

/** The counts of a request among the matches of a query, in the order of the request; undefined if none were requested. */
export async function countMatches(
  send: Send,
  alias: string,
  request: SearchRequest,
  { types, query }: { types: FieldTypes; query: unknown },
): Promise<Facet[] | undefined> {
  const aggregations = buildFacetAggregations(request, types);
  const countTogether = async () =>
    (await send({
      method: 'POST',
      path: `/${encodeURIComponent(alias)}/_search`,
      query: { ignore_unavailable: true, allow_no_indices: true, allow_partial_search_results: false },
      body: { query, size: 0, track_total_hits: false, ...aggregations },
    })) as { aggregations?: FacetAnswers } | undefined;
  const [reply, apart] = await Promise.all([
    'aggs' in aggregations ? countTogether() : undefined,
    countApart(send, request, { types, query }),
  ]);
  return readFacets(request, { ...reply?.aggregations, ...apart });
}

/** The aggregation of each facet, and the indexes that it must be limited to. */
function listAggregations({ facets = [] }: SearchRequest, types: FieldTypes) {
  return facets.map(({ field: name, limit = defaultLimit, interval }, position) => {
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
    const onlyIn = isByInterval ? types.get(field.path)?.onlyIn : undefined;
    return { name: `facet_${position}`, aggregation, onlyIn };
  });
}

/**
 * False for a field without a value that the user may read: it has nothing to count, whatever its type. Throws VALIDATION_ERROR for
 * other fields that do not hold dates only.
 */
function hasDates({ given, path }: SearchField, types: FieldTypes): boolean {
  const heldTypes = path.startsWith('metadata.') ? types.get(path) : new Set(['keyword']);
  if (heldTypes === undefined) return false;
  if ([...heldTypes].every((type) => type === 'date')) return true;
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
