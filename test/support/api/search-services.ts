import { randomUUID } from 'node:crypto';
import { parameterExamples } from '../../../api/http/examples';
import type { ApiServices } from '../../../api/services';
import type { User } from '../../../model/access';
import { readConfig } from '../../../model/config';
import type { JudgedQuery, SearchMeasurement } from '../../../model/search/wire-judged';
import { createAnswers } from '../../../services/answer/answers';
import { createTemplateModel } from '../../../services/graph/template-model';
import type { SavedSearch } from '../../../services/search/saved-searches';

/** Saved searches in memory, and suggestions that contain the name of the user. */
export function memorySearches(): Pick<
  ApiServices,
  'searchOptions' | 'savedSearches' | 'judgedQueries' | 'suggest' | 'answers' | 'templateModel'
> {
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
  const noModel = { chat: () => Promise.reject(new Error('no model')) };
  return {
    searchOptions: { rerank: false },
    savedSearches,
    judgedQueries: memoryJudged(),
    suggest: async ({ username }, { text }) => [{ text: `${text} of-${username}`, kind: 'words' }],
    answers: createAnswers(noModel, readConfig({})),
    templateModel: createTemplateModel(noModel, readConfig({})),
  };
}

/** Judged queries in memory; the first has the id of the examples. */
function memoryJudged(): ApiServices['judgedQueries'] {
  const queries: (JudgedQuery & { owner: string })[] = [];
  const measured: { owner: string; measurement: SearchMeasurement }[] = [];
  const toReply = ({ owner: _owner, ...query }: JudgedQuery & { owner: string }): JudgedQuery => query;
  return {
    mark: async (owner, { query, document_id, is_relevant }, updated_at) => {
      const known = queries.find((candidate) => candidate.owner === owner && candidate.query === query);
      const item = known ?? {
        owner,
        query_id: queries.length === 0 ? (parameterExamples['query_id'] ?? '') : randomUUID().replaceAll('-', ''),
        query,
        relevant: [],
        not_relevant: [],
        updated_at,
      };
      if (!known) queries.push(item);
      const others = (ids: string[]) => ids.filter((id) => id !== document_id);
      item.relevant = [...others(item.relevant), ...(is_relevant === true ? [document_id] : [])];
      item.not_relevant = [...others(item.not_relevant), ...(is_relevant === false ? [document_id] : [])];
      item.updated_at = updated_at;
      return toReply(item);
    },
    list: async (owner, { limit, offset, isMeasurable }) => {
      const found = queries.filter((item) => item.owner === owner && (!isMeasurable || item.relevant.length > 0));
      return { items: found.slice(offset, offset + limit).map(toReply), total: found.length };
    },
    remove: async (owner, id) => {
      const at = queries.findIndex((query) => query.owner === owner && query.query_id === id);
      return at >= 0 && queries.splice(at, 1).length > 0;
    },
    addMeasurement: async (owner, measurement) => void measured.push({ owner, measurement }),
    listMeasurements: async (owner) =>
      measured.filter((item) => item.owner === owner).map(({ measurement }) => measurement),
  };
}
