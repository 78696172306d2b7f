import type { Collection, Filter } from 'mongodb';
import { isAdmin, type User } from '../../model/access';
import { addToList } from '../../model/multi-map';
import { batchReads } from '../pacing/request-batching';
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

/**
 * Finds the ids of the projects that a user owns or is a member of. Every list of flows and runs needs them, so concurrent callers share a
 * query.
 */
export function createProjectFinder(projects: Collection<StoredProject>): (username: string) => Promise<string[]> {
  const find = batchReads(async (names) => {
    const stages = [
      { $match: { deleting: false, $or: [{ owner: { $in: names } }, { members: { $in: names } }] } },
      // A name may begin with `$`.
      { $project: { owner: 1, members: { $setIntersection: ['$members', { $literal: names }] } } },
    ];
    const found = await projects.aggregate<{ _id: string; owner: string; members: string[] | null }>(stages).toArray();
    const idsByUser = new Map<string, string[]>();
    for (const { _id, owner, members } of found)
      for (const name of new Set([owner, ...(members ?? [])])) addToList(idsByUser, name, _id);
    return names.map((_id) => ({ _id, projectIds: idsByUser.get(_id) ?? [] }));
  });
  return async (username) => (await find(username))?.projectIds ?? [];
}
