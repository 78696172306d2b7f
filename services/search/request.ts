import type { Reader, User } from '../../model/access';
import { listKnownPrincipals } from '../../model/access-list';
import { cutExcerpt, type FieldTypes, createFieldError, findSearchField, type SearchField } from './fields';
import { buildFilter } from './filters';
import type { SearchRequest } from './ports';
import { boostQuery } from './refine/boost';
import { type TextKnowledge, buildTextQuery } from './text-query';

/** A search in the form of the engine, without paging. */
export interface PreparedSearch {
  query: Record<string, unknown>;
  /** The full-text part of `query`, empty if the request has none; highlights use it. */
  fullText: Record<string, unknown>[];
  /** The access rule and the filters of `query`. */
  filter: Record<string, unknown>[];
  sort: { field: SearchField | '_score'; order: 'asc' | 'desc' }[];
  limit: number;
  offset: number;
}

/** Deeper pages than this are refused. */
const deepestHit = 100_000;
const defaultLimit = 10;
const maxFilters = 100;
const maxSorts = 20;

/**
 * Builds the query of a request for a user. The access rule is part of its filter context; no part of a request can reach the
 * fields of access lists. Throws VALIDATION_ERROR (answered as 422) with the invalid member and the reason.
 */
export function prepareSearch(
  user: User,
  request: SearchRequest,
  knowledge: TextKnowledge = {},
  types?: FieldTypes,
): PreparedSearch {
  const limit = requireWholeNumber('limit', request.limit ?? defaultLimit, 1, 100);
  const offset = requireWholeNumber('offset', request.offset ?? 0, 0, Number.MAX_SAFE_INTEGER);
  if (offset + limit > deepestHit) {
    throw createFieldError(
      'offset',
      `offset plus limit is ${offset + limit}; pages end at ${deepestHit}. Narrow the search by query or filters.`,
    );
  }
  const filters = Object.entries(request.filters ?? {});
  if (filters.length > maxFilters)
    throw createFieldError('filters', `filters has ${filters.length} members; at most ${maxFilters} are allowed.`);
  if ((request.sort?.length ?? 0) > maxSorts)
    throw createFieldError('sort', `sort has ${request.sort?.length} entries; at most ${maxSorts} are allowed.`);
  const sort = (request.sort ?? []).map(parseSortEntry);
  const restriction = [
    buildAccessRule(user),
    ...buildScope(request),
    ...filters.map(([name, value]) => buildFilter(name, value, types)),
  ];
  const words = buildFullText(request.query, knowledge).map((query) => boostQuery(query, request));
  return {
    query: { bool: { must: words, filter: restriction } },
    fullText: words,
    filter: restriction,
    sort,
    limit,
    offset,
  };
}

/** Throws VALIDATION_ERROR for a request that every search refuses, whatever is indexed. Requests to be saved are checked with it. */
export function checkRequest(user: User, request: SearchRequest): void {
  for (const name of Object.keys(request.filters ?? {})) if (name !== 'content') findSearchField('filters', name);
  for (const { field } of request.facets ?? []) findSearchField('facets', field);
  // The other store has conditions of its own.
  prepareSearch(user, request.store === 'pgvector' ? { ...request, filters: {} } : request);
}

/** The scope of the request: each restriction applies in addition to the access rule, and none widens it. */
export function buildScope({ scope = {}, unlike }: Pick<SearchRequest, 'scope' | 'unlike'>): Record<string, unknown>[] {
  const { indexes, jobs = [], documents = [] } = scope;
  return [
    ...(indexes ? [{ terms: { _index: [...indexes] } }] : []),
    ...jobs.map((ids) => ({ terms: { job_id: [...ids] } })),
    ...documents.map((ids) => ({ terms: { document_id: [...ids] } })),
    ...(unlike === undefined ? [] : [{ bool: { must_not: [{ term: { document_id: { value: unlike } } }] } }]),
  ];
}

/** The access rule of documents, `mayRead`, as a query. Absent and empty lists match nobody. */
export function buildAccessRule(reader: Reader): Record<string, unknown> {
  const principals = [...listKnownPrincipals(reader)];
  const isDenied = reader.principals
    ? { terms: { denied_principals: principals } }
    : { exists: { field: 'denied_principals' } };
  const isOutside = { bool: { must_not: [{ terms: { 'required_lists.principals': principals } }] } };
  return {
    bool: {
      should: [{ term: { allowed_users: { value: reader.username } } }, { terms: { allowed_principals: principals } }],
      minimum_should_match: 1,
      must_not: [isDenied, { nested: { path: 'required_lists', ignore_unmapped: true, query: isOutside } }],
    },
  };
}

function buildFullText(query: string | undefined, knowledge: TextKnowledge): Record<string, unknown>[] {
  return query === undefined || query.trim() === '' ? [] : [buildTextQuery(query, knowledge)];
}

function parseSortEntry(entry: Record<string, unknown>): PreparedSearch['sort'][number] {
  const [pair, ...more] = Object.entries(entry ?? {});
  if (!pair || more.length > 0)
    throw createFieldError('sort', `A sort entry is ${cutExcerpt(entry)}; each names one field and 'asc' or 'desc'.`);
  const [name, order] = pair;
  if (order !== 'asc' && order !== 'desc')
    throw createFieldError('sort', `The order of '${name}' is ${cutExcerpt(order)}; it must be 'asc' or 'desc'.`, name);
  return { field: name === '_score' ? '_score' : findSearchField('sort', name), order };
}

function requireWholeNumber(name: string, value: unknown, min: number, max: number): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value;
  throw createFieldError(
    name,
    `${name} is ${cutExcerpt(value)}; it must be a whole number from ${min}${max === Number.MAX_SAFE_INTEGER ? '' : ` to ${max}`}.`,
  );
}
