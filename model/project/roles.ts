/** The rights of a member in a project, from the least to the most. Each role includes those before it. */
export const projectRoles = ['viewer', 'runner', 'editor', 'manager'] as const;
export type ProjectRole = (typeof projectRoles)[number];

/** The role of one member. */
export interface MemberRole {
  user: string;
  role: ProjectRole;
}

/** The facts that determine the roles in a project. */
export interface RolesOfProject {
  owner: string;
  members: readonly string[];
  /** Members without an entry are editors, as all members were before roles existed. */
  roles?: readonly MemberRole[];
}

/** The role of a user: `manager` for the owner, undefined for users who are not members. */
export function findRole({ owner, members, roles = [] }: RolesOfProject, username: string): ProjectRole | undefined {
  if (owner === username) return 'manager';
  if (!members.includes(username)) return undefined;
  return roles.find(({ user }) => user === username)?.role ?? 'editor';
}

/** True for a role that includes the needed one. */
export function includesRole(role: ProjectRole | undefined, needed: ProjectRole): boolean {
  return role !== undefined && projectRoles.indexOf(role) >= projectRoles.indexOf(needed);
}
