import type { Filter } from 'mongodb';
import { isAdmin, type User } from '../../model/access';
import type { ProjectRecord } from './ports';

/** The stored form. `deleting` is set before the flows of the project are deleted; from then on the project is invisible. */
export interface StoredProject extends Omit<ProjectRecord, 'project_id' | 'revision'> {
  _id: string;
  revision: number;
  deleting: boolean;
}

/** The projects that a user sees. */
export function createVisibleFilter(user: User, adminGroups: readonly string[]): Filter<StoredProject> {
  if (isAdmin(user, adminGroups)) return { deleting: false };
  return { deleting: false, $or: [{ owner: user.username }, { members: user.username }] };
}
