import { everybody, listRequiredLists } from '../../model/access-list';
import type { Row } from '../../model/flow/row';

/**
 * Whether everybody in the audience may certainly read the row. Members of groups are not looked up: a name or a group counts
 * only if the access list contains it. A list with denials may deny one of the audience.
 */
export function mayReach(row: Row, audience: readonly string[]): boolean {
  if ((row.denied_principals ?? []).length > 0) return false;
  const lists = [
    [...(row.allowed_users ?? []).map((user) => `u:${user}`), ...(row.allowed_principals ?? [])],
    ...listRequiredLists(row),
  ];
  return audience.every((name) => lists.every((list) => list.includes(everybody) || list.includes(toPrincipal(name))));
}

/** A name without a prefix is that of a user. */
function toPrincipal(name: string): string {
  return /^[ugp]:/.test(name) ? name : `u:${name}`;
}
