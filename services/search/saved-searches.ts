import type { User } from '../../model/access';
import type { SearchRequestBody } from '../../model/search/wire';
import { guard, type Mongo, createWhenReady } from '../storage/mongo';
import { readPage } from '../storage/read-page';

/** A saved search. It stores no results, so each sender gets what they may read. */
export interface SavedSearch {
  search_id: string;
  name: string;
  request: SearchRequestBody;
  owner: string;
  readers: string[];
  created_at: string;
  updated_at: string;
}

/**
 * Saved searches of a user, and those that others share with them. Queries are private, so administrators have no additional
 * access.
 */
export interface SavedSearches {
  create(search: SavedSearch): Promise<SavedSearch>;
  get(user: User, searchId: string): Promise<SavedSearch | undefined>;
  /** By name. */
  list(user: User, page: { limit: number; offset: number }): Promise<{ items: SavedSearch[]; total: number }>;
  /** Undefined if the user owns no such search. */
  replace(
    user: User,
    searchId: string,
    change: Pick<SavedSearch, 'name' | 'request' | 'readers' | 'updated_at'>,
  ): Promise<SavedSearch | undefined>;
  /** False if the user owns no such search. */
  remove(user: User, searchId: string): Promise<boolean>;
}

/** The request is stored as text, because the database would interpret some names in its filters. */
type Stored = Omit<SavedSearch, 'search_id' | 'request'> & { _id: string; request: string };

/** Saved searches in MongoDB. */
export function createSavedSearches(mongo: Mongo): SavedSearches {
  const searches = mongo.collection<Stored>('saved_searches');
  const ready = createWhenReady(() => searches.createIndex({ owner: 1, name: 1 }));
  const buildVisibleFilter = ({ username }: User) => ({ $or: [{ owner: username }, { readers: username }] });
  return {
    create: (search) =>
      guard(async () => {
        await ready();
        const { search_id: _id, request, ...members } = search;
        await searches.insertOne({ _id, ...members, request: JSON.stringify(request) });
        return search;
      }),
    get: (user, searchId) =>
      guard(async () => {
        const stored = await searches.findOne({ _id: searchId, ...buildVisibleFilter(user) });
        return stored ? readStored(stored) : undefined;
      }),
    list: (user, { limit, offset }) =>
      guard(() =>
        readPage(searches, buildVisibleFilter(user), { sort: { name: 1, _id: 1 }, limit, offset }, readStored),
      ),
    replace: (user, searchId, { request, ...change }) =>
      guard(async () => {
        const stored = await searches.findOneAndUpdate(
          { _id: searchId, owner: user.username },
          { $set: { ...change, request: JSON.stringify(request) } },
          { returnDocument: 'after' },
        );
        return stored ? readStored(stored) : undefined;
      }),
    remove: (user, searchId) =>
      guard(async () => (await searches.deleteOne({ _id: searchId, owner: user.username })).deletedCount > 0),
  };
}

function readStored({ _id, request, ...search }: Stored): SavedSearch {
  return { search_id: _id, ...search, request: JSON.parse(request) as SearchRequestBody };
}
