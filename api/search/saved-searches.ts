import { Type } from '@sinclair/typebox';
import { SavedSearchBody, SavedSearchPage, SavedSearchReply } from '../../model/search/wire-saved';
import { checkRequest } from '../../services/search/request';
import type { SavedSearch } from '../../services/search/saved-searches';
import { buildPage, paging } from '../http/page';
import { authorize, read, savedSearchPolicy } from '../http/policies';
import { reply, route } from '../http/route';
import { toSearchRequest } from './search-request';

const params = Type.Object({ search_id: Type.String({ minLength: 1, maxLength: 64 }) });

export const createSavedSearch = route({
  method: 'POST',
  path: '/api/v1/saved-searches',
  summary: 'Saves a search for yourself and the readers that you name.',
  description:
    'Stores the request body of a search, not its results. Each user who runs it gets only documents that they may read.',
  body: SavedSearchBody,
  replies: { 201: SavedSearchReply },
  handler: async ({ body: { name, request, readers = [] }, user, services }) => {
    checkRequest(user, toSearchRequest(request));
    const now = services.clock().toISOString();
    const saved = await services.savedSearches.create({
      search_id: services.newId(),
      name,
      request,
      owner: user.username,
      readers: [...new Set(readers)],
      created_at: now,
      updated_at: now,
    });
    return reply(201, toReply(saved, user.username));
  },
});

export const listSavedSearches = route({
  method: 'GET',
  path: '/api/v1/saved-searches',
  summary: 'Your saved searches and those that others share with you, sorted by name.',
  query: Type.Object(paging),
  replies: { 200: SavedSearchPage },
  handler: async ({ query: { limit = 100, offset = 0 }, url, user, services }) => {
    const { items, total } = await services.savedSearches.list(user, { limit, offset });
    return buildPage(
      url,
      items.map((saved) => toReply(saved, user.username)),
      { limit, offset, total },
    );
  },
});

export const getSavedSearch = route({
  method: 'GET',
  path: '/api/v1/saved-searches/{search_id}',
  summary: 'One saved search.',
  params,
  replies: { 200: SavedSearchReply },
  errors: ['SAVED_SEARCH_NOT_FOUND'],
  handler: async ({ params: { search_id }, ...context }) =>
    toReply(await read(savedSearchPolicy, search_id, context), context.user.username),
});

export const putSavedSearch = route({
  method: 'PUT',
  path: '/api/v1/saved-searches/{search_id}',
  summary: 'Replaces name, request and readers of a saved search. Only for its owner.',
  params,
  body: SavedSearchBody,
  replies: { 200: SavedSearchReply },
  errors: ['SAVED_SEARCH_NOT_FOUND', 'FORBIDDEN'],
  handler: async ({ params: { search_id }, body: { name, request, readers = [] }, ...context }) => {
    const { user, services } = context;
    await authorize(savedSearchPolicy, 'change', search_id, context);
    checkRequest(user, toSearchRequest(request));
    const change = { name, request, readers: [...new Set(readers)], updated_at: services.clock().toISOString() };
    const saved = await services.savedSearches.replace(user, search_id, change);
    if (!saved) throw savedSearchPolicy.notFound(search_id);
    return toReply(saved, user.username);
  },
});

export const deleteSavedSearch = route({
  method: 'DELETE',
  path: '/api/v1/saved-searches/{search_id}',
  summary: 'Removes a saved search. Only for its owner.',
  params,
  replies: { 204: Type.Null() },
  errors: ['SAVED_SEARCH_NOT_FOUND', 'FORBIDDEN'],
  handler: async ({ params: { search_id }, ...context }) => {
    await authorize(savedSearchPolicy, 'change', search_id, context);
    if (!(await context.services.savedSearches.remove(context.user, search_id)))
      throw savedSearchPolicy.notFound(search_id);
    return null;
  },
});

function toReply({ readers, ...saved }: SavedSearch, username: string): typeof SavedSearchReply.static {
  return saved.owner === username ? { ...saved, readers } : saved;
}
