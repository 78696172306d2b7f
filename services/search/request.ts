import type { User } from '../../model/access';
import { AppError } from '../../model/errors';
import type { SearchRequest } from './ports';
import { type TextKnowledge, textQuery } from './text-query';

/** A search as the engine takes it, without paging. `sortNames` are the fields whose types must be known for sorting. */
export interface PreparedSearch {
  query: Record<string, unknown>;
  /** The full text of `query`, empty where none is asked for; what highlights are made of. */
  fullText: Record<string, unknown>[];
  /** The access rule and the filters of `query`. */
  filter: Record<string, unknown>[];
  sort: { field: SearchField | '_score'; order: 'asc' | 'desc' }[];
  limit: number;
  offset: number;
}

/** A field that requests may name. */
export interface SearchField {
  /** As the request has it. */
  given: string;
  /** In the index. */
  path: string;
  kind: 'keyword' | 'title' | 'date' | 'metadata';
}

/** Deeper pages than this are refused. */
const deepestHit = 100_000;
const defaultLimit = 10;
const mostValues = 10_000;
const mostFilters = 100;
const mostSorts = 20;

/** Fields outside metadata that filters and sorts may name; any other name is a key of metadata. */
const topFields: Record<string, SearchField['kind']> = {
  id: 'keyword',
  document_id: 'keyword',
  job_id: 'keyword',
  run_id: 'keyword',
  title: 'title',
  created_at: 'date',
  updated_at: 'date',
};
const isoDate = /^\d{4}(-\d{2}(-\d{2}(T\d{2}(:\d{2}(:\d{2}([.,]\d{1,9})?)?)?(Z|[+-]\d{2}:?\d{2})?)?)?)?$/;

/**
 * Builds the query of a request for a user. The access rule is part of it and stands in the filter context; no part of a
 * request can reach `allowed_users`. VALIDATION_ERROR (answered as 422) says which member is wrong and why.
 */
export function prepareSearch(
  user: User,
  request: SearchRequest,
  knowledge: TextKnowledge = { languages: [] },
): PreparedSearch {
  const limit = wholeNumber('limit', request.limit ?? defaultLimit, 1, 100);
  const offset = wholeNumber('offset', request.offset ?? 0, 0, Number.MAX_SAFE_INTEGER);
  if (offset + limit > deepestHit) {
    throw invalid(
      'offset',
      `offset plus limit is ${offset + limit}; pages end at ${deepestHit}. Narrow the search by query or filters.`,
    );
  }
  const filters = Object.entries(request.filters ?? {});
  if (filters.length > mostFilters)
    throw invalid('filters', `filters has ${filters.length} members; at most ${mostFilters} are allowed.`);
  if ((request.sort?.length ?? 0) > mostSorts)
    throw invalid('sort', `sort has ${request.sort?.length} entries; at most ${mostSorts} are allowed.`);
  const sort = (request.sort ?? []).map(sortEntry);
  const restriction = [accessRule(user), ...filters.map(([name, value]) => filter(name, value))];
  const words = fullText(request.query, knowledge);
  return {
    query: { bool: { must: words, filter: restriction } },
    fullText: words,
    filter: restriction,
    sort,
    limit,
    offset,
  };
}

/** The access rule of documents as a query: listed by name. Absent and empty lists match nobody. */
export function accessRule(user: User): Record<string, unknown> {
  return { term: { allowed_users: { value: user.username } } };
}

function fullText(query: string | undefined, knowledge: TextKnowledge): Record<string, unknown>[] {
  return query === undefined || query.trim() === '' ? [] : [textQuery(query, knowledge)];
}

function filter(name: string, value: unknown): Record<string, unknown> {
  const field = searchField('filters', name);
  const values = Array.isArray(value) ? (value as unknown[]) : [value];
  if (values.length > mostValues)
    throw invalid(
      'filters',
      `The filter '${name}' has ${values.length} values; at most ${mostValues} are allowed.`,
      name,
    );
  const wrong = values.find((one) => !['string', 'number', 'boolean'].includes(typeof one));
  if (wrong !== undefined || values.includes(undefined)) {
    throw invalid(
      'filters',
      `The filter '${name}' has the value ${excerpt(wrong)}; values are texts, numbers or booleans, or an array of them.`,
      name,
    );
  }
  if (values.length === 0) return { match_none: {} };
  const texts = values.map(String);
  if (field.kind === 'date') {
    const bad = texts.find((text) => !isoDate.test(text) || Number.isNaN(Date.parse(text.replace(',', '.'))));
    if (bad !== undefined)
      throw invalid('filters', `The filter '${name}' has the value ${excerpt(bad)}, which is no ISO 8601 date.`, name);
    return {
      bool: { should: texts.map((text) => ({ term: { [field.path]: { value: text } } })), minimum_should_match: 1 },
    };
  }
  const exact = exactPath(field);
  const [only] = texts;
  return texts.length === 1 && only !== undefined
    ? { term: { [exact]: { value: only } } }
    : { terms: { [exact]: texts } };
}

/** Where the exact text of a field's values is kept. */
export function exactPath(field: SearchField): string {
  return field.kind === 'keyword' || field.kind === 'date' ? field.path : `${field.path}.keyword`;
}

function sortEntry(entry: Record<string, unknown>): PreparedSearch['sort'][number] {
  const [pair, ...more] = Object.entries(entry ?? {});
  if (!pair || more.length > 0)
    throw invalid('sort', `A sort entry is ${excerpt(entry)}; each names one field and 'asc' or 'desc'.`);
  const [name, order] = pair;
  if (order !== 'asc' && order !== 'desc')
    throw invalid('sort', `The order of '${name}' is ${excerpt(order)}; it must be 'asc' or 'desc'.`, name);
  return { field: name === '_score' ? '_score' : searchField('sort', name), order };
}

function searchField(member: 'filters' | 'sort', given: string): SearchField {
  const name = given.startsWith('metadata.') ? given : given.trim();
  const bare = name.replace(/^metadata\./, '');
  if (/^allowed_users(\.|$)/i.test(bare))
    throw invalid(
      member,
      `'${given}' cannot be named in ${member}: access lists are applied to every search and never shown.`,
      given,
    );
  if (bare === '' || given.length > 512)
    throw invalid(member, `${member} names the field ${excerpt(given)}; a name has 1 to 512 characters.`, given);
  if (name === 'content')
    throw invalid(
      member,
      member === 'filters'
        ? "The content has no exact matches; search it by 'query'."
        : "Documents cannot be sorted by 'content': it is full text and has no order; sort by title, a date or a key of metadata.",
      given,
    );
  const kind = Object.hasOwn(topFields, name) ? topFields[name] : undefined;
  if (kind) return { given, path: name, kind };
  return { given, path: `metadata.${bare}`, kind: 'metadata' };
}

function wholeNumber(name: string, value: unknown, least: number, most: number): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value;
  throw invalid(
    name,
    `${name} is ${excerpt(value)}; it must be a whole number from ${least}${most === Number.MAX_SAFE_INTEGER ? '' : ` to ${most}`}.`,
  );
}

/** The VALIDATION_ERROR of one member of a search request. */
export function invalid(member: string, message: string, name?: string): AppError {
  const field = name === undefined ? member : `${member}.${name.slice(0, 512)}`;
  return new AppError('VALIDATION_ERROR', message, { target: { type: 'field', name: field } });
}

function excerpt(value: unknown): string {
  const text = JSON.stringify(value) ?? 'undefined';
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}
