import type { Filter } from 'mongodb';
import type { Reader } from '../../model/access';
import { listKnownPrincipals, type StoredAccess } from '../../model/access-list';

/** The access rule of documents, `mayRead`, as a filter of records with an access list. */
export function createReadableFilter<T extends Partial<StoredAccess>>(reader: Reader): Filter<T> {
  const principals = [...listKnownPrincipals(reader)];
  const rule = {
    $or: [{ allowed_users: reader.username }, { allowed_principals: { $in: principals } }],
    denied_principals: reader.principals ? { $nin: principals } : { $exists: false },
    required_lists: { $not: { $elemMatch: { principals: { $nin: principals } } } },
  };
  return rule as Filter<unknown> as Filter<T>;
}
