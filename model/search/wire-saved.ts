import { type Static, Type } from '@sinclair/typebox';
import { closedObject } from '../closed-object';
import { UserName } from '../login/user-name';
import { pageSchema } from '../wire-parts';
import { SearchRequestBody } from './wire';

const name = Type.String({ minLength: 1, maxLength: 128, pattern: '\\S' });
const readers = Type.Array(UserName, {
  maxItems: 1_000,
  description: 'Login names of the users who may see and run it. They find only what they may read.',
});

/** A search to save. */
export const SavedSearchBody = closedObject('SavedSearchBody', {
  name,
  request: SearchRequestBody,
  readers: Type.Optional(readers),
});
export type SavedSearchBody = Static<typeof SavedSearchBody>;

/** A saved search. Only its owner sees with whom it is shared. */
export const SavedSearchReply = closedObject('SavedSearch', {
  search_id: Type.String(),
  name,
  request: SearchRequestBody,
  owner: Type.String(),
  readers: Type.Optional(readers),
  created_at: Type.String(),
  updated_at: Type.String(),
});
export type SavedSearchReply = Static<typeof SavedSearchReply>;

/** A page of saved searches. */
export const SavedSearchPage = pageSchema(SavedSearchReply, 'SavedSearchPage');
export type SavedSearchPage = Static<typeof SavedSearchPage>;
