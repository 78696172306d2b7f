import type { ApiServices } from '../../../api/services';
import { readConfig } from '../../../model/config';
import type { User } from '../../../model/access';
import { createAnswers } from '../../../services/answer/answers';
import type { SavedSearch } from '../../../services/search/saved-searches';

/** Saved searches in memory, and suggestions that contain the name of the user. */
export function memorySearches(): Pick<ApiServices, 'savedSearches' | 'suggest' | 'answers'> {
  const searches = new Map<string, SavedSearch>();
  const visible = ({ username }: User) =>
    [...searches.values()].filter(({ owner, readers }) => owner === username || readers.includes(username));
  const own = (user: User, id: string) =>
    visible(user).find((search) => search.search_id === id && search.owner === user.username);
  const savedSearches: ApiServices['savedSearches'] = {
    create: async (search) => {
      searches.set(search.search_id, search);
      return search;
    },
    get: async (user, id) => visible(user).find(({ search_id }) => search_id === id),
    list: async (user, { limit, offset }) => {
      const found = visible(user);
      return { items: found.slice(offset, offset + limit), total: found.length };
    },
    replace: async (user, id, change) => {
      const before = own(user, id);
      if (before) searches.set(id, { ...before, ...change });
      return before && searches.get(id);
    },
    remove: async (user, id) => own(user, id) !== undefined && searches.delete(id),
  };
  return {
    savedSearches,
    suggest: async ({ username }, { text }) => [{ text: `${text} of-${username}`, kind: 'words' }],
    answers: createAnswers({ chat: () => Promise.reject(new Error('no model')) }, readConfig({})),
  };
}
