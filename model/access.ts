/** Who asks. `username` is the identity that access lists name. */
export interface User {
  username: string;
  email: string;
  full_name: string;
  /** Groups of the login, for administrators and members; never for `allowed_users`. */
  groups: string[];
}

/** The access rule of documents: listed by name, or not readable. An absent or empty list is readable by nobody. */
export function mayRead(user: User, allowedUsers: readonly string[] | undefined): boolean {
  return allowedUsers?.includes(user.username) ?? false;
}

/** The access rule of resources: the owner, the readers, and administrators. */
export function maySee(
  user: User,
  resource: { owner: string; readers?: readonly string[] },
  adminGroups: readonly string[],
): boolean {
  return (
    resource.owner === user.username ||
    (resource.readers?.includes(user.username) ?? false) ||
    isAdmin(user, adminGroups)
  );
}

/** True for members of an administrators' group. Administrators manage resources; documents stay under `mayRead`. */
export function isAdmin(user: User, adminGroups: readonly string[]): boolean {
  return user.groups.some((group) => adminGroups.includes(group));
}
