/** The user who makes a request. Access lists refer to `username`. */
export interface User {
  username: string;
  email: string;
  full_name: string;
  /** Groups from the login. Used for the rights of administrators and readers, never for `allowed_users`. */
  groups: string[];
}

/** Access rule for documents: a user must be listed by name. Nobody can read a document with an empty or missing list. */
export function mayRead(user: User, allowedUsers: readonly string[] | undefined): boolean {
  return allowedUsers?.includes(user.username) ?? false;
}

/** Access rule for resources: the owner, the readers and administrators. */
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

/** True for members of an administrator group. Administrators manage resources; `mayRead` still decides about documents. */
export function isAdmin(user: User, adminGroups: readonly string[]): boolean {
  return user.groups.some((group) => adminGroups.includes(group));
}
