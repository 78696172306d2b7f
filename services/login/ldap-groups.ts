import { AndFilter, type Client, EqualityFilter, OrFilter, ResultCodeError } from 'ldapts';
import type { Config } from '../../model/config';
import { iterateBatches } from '../../model/lists/batches';
import { findFirstValue, listTexts } from './ldap-names';

/** A search for groups. */
export interface GroupSearch {
  client: Client;
  config: Pick<Config, 'LDAP_BASE_DN' | 'LDAP_USER_DN' | 'LDAP_USE_ACTIVE_DIRECTORY'>;
  /** True: an error of the directory is thrown. False: groups that it does not show do not count. */
  isStrict: boolean;
}

/** Maximum members queried in one search. */
const membersPerSearch = 100;
/** Directories may contain circles; these limits apply in addition. */
const maxLevels = 20;
const maxGroups = 5_000;

/** Entries of one search. A strict search needs all of them. */
const maxEntries = 1_000;
const maxStrictEntries = 20_000;

/** Names of the groups that list the entry as a member. For Active Directory, `memberOf` has them. */
export async function listGroups(search: GroupSearch, dn: string): Promise<string[]> {
  if (search.config.LDAP_USE_ACTIVE_DIRECTORY) return [];
  return (await findGroups(search, [dn], ['groupOfNames', 'groupOfUniqueNames'])).map(({ name }) => name);
}

/**
 * Names of the groups that contain one of the entries, or a group that does, at any depth. Circles end the search. A strict
 * search throws if a user is in too many groups.
 */
export async function listNestedGroups(search: GroupSearch, dns: readonly string[]): Promise<string[]> {
  const names = new Set<string>();
  const seen = new Set(dns.map((dn) => dn.toLowerCase()));
  let level = [...dns];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth === maxLevels || seen.size > maxGroups) {
      if (search.isStrict)
        throw new Error(`groups within groups are more than ${maxLevels} deep or ${maxGroups} in number`);
      break;
    }
    const next: string[] = [];
    for (const batch of iterateBatches(level, membersPerSearch)) {
      const groups = await findGroups(search, batch, ['groupOfNames', 'groupOfUniqueNames', 'group']);
      for (const { dn, name } of groups) {
        names.add(name);
        if (seen.has(dn.toLowerCase())) continue;
        seen.add(dn.toLowerCase());
        next.push(dn);
      }
    }
    level = next;
  }
  return [...names];
}

async function findGroups(
  { client, config, isStrict }: GroupSearch,
  members: readonly string[],
  classes: readonly string[],
): Promise<{ dn: string; name: string }[]> {
  const base = config.LDAP_BASE_DN;
  if (!base) return [];
  const createEqual = (attribute: string) => (value: string) => new EqualityFilter({ attribute, value });
  const isGroup = new OrFilter({ filters: classes.map(createEqual('objectClass')) });
  const isMember = new OrFilter({
    filters: ['member', 'uniqueMember'].flatMap((attribute) => members.map(createEqual(attribute))),
  });
  const filter = new AndFilter({ filters: [isGroup, isMember] });
  try {
    const sizeLimit = isStrict ? maxStrictEntries : maxEntries;
    const { searchEntries } = await client.search(base, { scope: 'sub', filter, attributes: ['cn'], sizeLimit });
    return searchEntries.flatMap((group) => {
      // In Active Directory, groups are named by their DN, as in `memberOf`.
      const name = config.LDAP_USE_ACTIVE_DIRECTORY ? findFirstValue(group.dn) : listTexts(group, 'cn')[0];
      return name === undefined ? [] : [{ dn: group.dn, name }];
    });
  } catch (error) {
    if (error instanceof ResultCodeError && !isStrict) return [];
    throw error;
  }
}
