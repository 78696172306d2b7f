import type { SearchRequestBody } from '../../client';

export type Mode = 'text' | 'vector' | 'hybrid';
export const modes: readonly Mode[] = ['text', 'vector', 'hybrid'];
/** Hits of one ranking. */
export const limit = 20;
/** Members of the address that the form sets. */
export const formFields = ['q', 'mode', 'from', 'to', 'flow', 'set', 'group', 'expand'] as const;
/** Fields whose values are offered as filters. */
export const facetFields = ['metadata.extension', 'metadata.library', 'metadata.language'] as const;

/** The search that an address of the screen stands for, in whatever mode. */
export function requestOf(place: URLSearchParams): SearchRequestBody {
  const text = (name: string) => place.get(name) ?? '';
  const filters: NonNullable<SearchRequestBody['filters']> = {};
  for (const one of place.getAll('f')) {
    const at = one.indexOf(':');
    const field = one.slice(0, at);
    const before = filters[field];
    if (at > 0) filters[field] = [...(Array.isArray(before) ? before : []), one.slice(at + 1)];
  }
  const range = {
    ...(text('from') ? { gte: text('from') } : {}),
    ...(text('to') ? { lte: `${text('to')}T23:59:59.999Z` } : {}),
  };
  if (Object.keys(range).length > 0) filters['created_at'] = range;
  const words = text('q');
  const phrase = /"([^"]+)"/.exec(words)?.[1]?.trim();
  if (phrase) filters['content'] = { phrase };
  return {
    ...(text('like') ? { like: text('like') } : words ? { query: words.replaceAll('"', ' ').trim() } : {}),
    ...(Object.keys(filters).length > 0 ? { filters } : {}),
    ...(text('flow') ? { flow: text('flow') } : {}),
    ...(text('set') ? { document_set: text('set') } : {}),
    ...(place.has('group') ? { group: true } : {}),
    ...(place.has('expand') ? { expand: 1 } : {}),
  };
}

/** The query of the address for what the form says; filters by facets stay. */
export function searchQuery(form: FormData, place: URLSearchParams): URLSearchParams {
  const query = new URLSearchParams();
  for (const name of formFields) {
    const value = form.get(name);
    if (typeof value === 'string' && value !== '' && !(name === 'mode' && value === 'text')) query.set(name, value);
  }
  for (const one of place.getAll('f')) query.append('f', one);
  return query;
}

/** The query of the address with a filter more, or without it if it was there. */
export function toggleFilter(place: URLSearchParams, filter: string): URLSearchParams {
  const query = new URLSearchParams(place);
  const others = query.getAll('f').filter((one) => one !== filter);
  const isOn = others.length < query.getAll('f').length;
  query.delete('f');
  for (const one of isOn ? others : [...others, filter]) query.append('f', one);
  return query;
}
