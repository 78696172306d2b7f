import type { SavedSearchBody, SavedSearchPage, SavedSearchReply } from '../model/search/wire-saved';
import type { Call } from './http';

/** Saved searches. */
export interface SavedSearchMethods {
  savedSearches: {
    create(search: SavedSearchBody): Promise<SavedSearchReply>;
    get(searchId: string): Promise<SavedSearchReply>;
    list(query?: { limit?: number; offset?: number }): Promise<SavedSearchPage>;
    replace(searchId: string, search: SavedSearchBody): Promise<SavedSearchReply>;
    remove(searchId: string): Promise<void>;
  };
}

/** Implements these methods over `send`. */
export function createSavedSearchMethods(send: <T>(call: Call) => Promise<T>): SavedSearchMethods {
  const all = '/api/v1/saved-searches';
  const buildPath = (id: string) => `${all}/${encodeURIComponent(id)}`;
  return {
    savedSearches: {
      create: (body) => send({ method: 'POST', path: all, body }),
      get: (id) => send({ method: 'GET', path: buildPath(id) }),
      list: (query) => send({ method: 'GET', path: all, query: { ...query } }),
      replace: (id, body) => send({ method: 'PUT', path: buildPath(id), body }),
      remove: (id) => send({ method: 'DELETE', path: buildPath(id) }),
    },
  };
}
