import { SearchOptions } from '../../model/search/wire-options';
import { route } from '../http/route';

export const getSearchOptions = route({
  method: 'GET',
  path: '/api/v1/search-options',
  scope: 'read',
  operationId: 'getSearchOptions',
  summary: 'What a search may ask for on this server.',
  description: 'Whether `rerank` is available. It is refused (422) on a server without a model for it.',
  replies: { 200: SearchOptions },
  handler: ({ services }) => services.searchOptions,
});
