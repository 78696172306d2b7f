/** The user who reads something. */
export interface Reader {
  username: string;
  /** `u:NAME`, `g:SOURCE:ID` and `p:*`, as they are now; absent while the groups are unknown, which is not the same as none. */
  principals?: readonly string[];
}

/** The user who makes a request. Access lists refer to `username` and `principals`. */
export interface User extends Reader {
  email: string;
  /** The mail address if the login provider has verified it; set by a login only. */
  verified_email?: string;
  full_name: string;
  /** Groups from the login. Used for the rights of administrators and readers; documents go by `principals`. */
  groups: string[];
}

/** True for members of an administrator group. Administrators manage resources; `mayRead` still decides about documents. */
export function isAdmin(user: User, adminGroups: readonly string[]): boolean {
  return user.groups.some((group) => adminGroups.includes(group));
}
