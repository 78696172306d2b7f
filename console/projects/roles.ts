import type { ProjectReply } from '../../client';

/** The roles of members, from the least to the most powerful. */
export const memberRoles = ['viewer', 'runner', 'editor', 'manager'] as const;
export type Role = (typeof memberRoles)[number];

/** A member with the effective role. */
export interface Member {
  user: string;
  role: Role;
}

/** The members of a project by name; those without a role are editors. */
export function listMembers({ members, roles }: Pick<ProjectReply, 'members' | 'roles'>): Member[] {
  const byUser = new Map(roles.map(({ user, role }) => [user, role]));
  return members
    .map((user) => ({ user, role: byUser.get(user) ?? ('editor' as const) }))
    .toSorted((item, other) => item.user.localeCompare(other.user));
}

/** The role of a user in a project that they can see; `none` means an administrator who is neither owner nor member. */
export function findOwnRole(
  project: Pick<ProjectReply, 'owner' | 'members' | 'roles'>,
  username: string,
): Role | 'owner' | 'none' {
  if (project.owner === username) return 'owner';
  return listMembers(project).find(({ user }) => user === username)?.role ?? 'none';
}
