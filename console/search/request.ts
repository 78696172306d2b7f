import type { SearchRequestBody } from '../../client';

export type Mode = 'text' | 'vector' | 'hybrid' | 'graph';
/** The rankings that are compared side by side. */
export const modes = ['text', 'vector', 'hybrid'] as const satisfies readonly Mode[];
/** Maximum number of hits per ranking. */
export const limit = 20;
/** Query parameters set by the form. */
export const formFields = ['q', 'mode', 'graph', 'from', 'to', 'flow', 'set', 'rerank', 'group', 'expand'] as const;
/** Fields whose values are offered as filters. */
export const facetFields = ['metadata.extension', 'metadata.library', 'metadata.language'] as const;

/** The ranking that an address of the screen names; `compare` means all of `modes`. */
export function getMode(place: URLSearchParams): Mode | 'compare' {
  const requestedMode = place.get('mode');
  if (requestedMode === 'compare' || requestedMode === 'graph') return requestedMode;
  return modes.find((mode) => mode === requestedMode) ?? 'text';
}

/** The members of a search request that choose a ranking. A model orders hits by a query, or by the record they are similar to. */
export function readRanking(mode: Mode, place: URLSearchParams): Pick<SearchRequestBody, 'mode' | 'graph' | 'rerank'> {
  const hasQuery = Boolean((place.get('q') ?? '').replaceAll('"', '').trim() || place.get('like'));
  return {
    ...(mode === 'text' ? {} : { mode }),
    ...(mode === 'graph' ? { graph: place.get('graph') ?? '' } : {}),
    ...(place.has('rerank') && hasQuery ? { rerank: true } : {}),
  };
}

/** Converts an address of the screen to a search request, regardless of the mode. */
export function buildRequest(place: URLSearchParams): SearchRequestBody {
  const get = (name: string) => place.get(name) ?? '';
  const filters: NonNullable<SearchRequestBody['filters']> = {};
  for (const value of place.getAll('f')) {
    // Such as `metadata.extension:pdf`; several filters on one field are alternatives.
    const colon = value.indexOf(':');
    const field = value.slice(0, colon);
    const others = filters[field];
    if (colon > 0) filters[field] = [...(Array.isArray(others) ? others : []), value.slice(colon + 1)];
  }
  const range = {
    ...(get('from') ? { gte: get('from') } : {}),
    ...(get('to') ? { lte: `${get('to')}T23:59:59.999Z` } : {}),
  };
  if (Object.keys(range).length > 0) filters['created_at'] = range;
  const words = get('q');
  const phrase = /"([^"]+)"/.exec(words)?.[1]?.trim();
  if (phrase) filters['content'] = { phrase };
  const query = words ? { query: words.replaceAll('"', ' ').trim() } : {};
  return {
    ...(get('like') ? { like: get('like') } : query),
    ...(Object.keys(filters).length > 0 ? { filters } : {}),
    ...(get('flow') ? { flow: get('flow') } : {}),
    ...(get('set') ? { document_set: get('set') } : {}),
    ...(place.has('group') ? { group: true } : {}),
    ...(place.has('expand') ? { expand: 1 } : {}),
  };
}

/** Converts the form to the query of the address; facet filters are kept. */
export function buildQuery(form: FormData, place: URLSearchParams): URLSearchParams {
  const query = new URLSearchParams();
  for (const name of formFields) {
    const value = form.get(name);
    if (typeof value === 'string' && value !== '' && !(name === 'mode' && value === 'text')) query.set(name, value);
  }
  for (const value of place.getAll('f')) query.append('f', value);
  return query;
}

/** Returns the query of the address with the filter added, or removed if it was present. */
export function toggleFilter(place: URLSearchParams, filter: string): URLSearchParams {
  const query = new URLSearchParams(place);
  const others = query.getAll('f').filter((value) => value !== filter);
  const isOn = others.length < query.getAll('f').length;
  query.delete('f');
  for (const value of isOn ? others : [...others, filter]) query.append('f', value);
  return query;
}
