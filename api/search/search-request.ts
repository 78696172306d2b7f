import type { SearchRequestBody } from '../../model/search/wire';
import type { SearchRequest } from '../../services/search/ports';

/** What a body asks of the index, without what must be looked up first: its scope, `like` and graphs. */
export function toSearchRequest(body: SearchRequestBody): SearchRequest {
  const { query, filters, sort, limit, offset, embedding, highlight, provenance, group, expand, boost, explain } = body;
  return {
    query: query ?? undefined,
    filters: filters ?? undefined,
    sort: sort ?? undefined,
    limit,
    offset,
    ...(embedding ? { embedding } : {}),
    ...(highlight ? { highlight } : {}),
    ...(provenance ? { provenance } : {}),
    ...(group ? { group } : {}),
    ...(expand ? { expand } : {}),
    ...(boost ? { boost } : {}),
    ...(explain ? { explain } : {}),
    ...(body.rerank ? { rerank: body.rerank } : {}),
    ...(body.store === 'pgvector' ? { store: body.store } : {}),
    ...(body.facets?.length
      ? { facets: body.facets.map((facet) => (typeof facet === 'string' ? { field: facet } : facet)) }
      : {}),
  };
}
