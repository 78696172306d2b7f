import { AndFilter, type Client, EqualityFilter, OrFilter, PresenceFilter, SubstringFilter } from 'ldapts';
import type { Config } from '../../model/config';
import { findCanonicalName, findFirstValue, listTexts } from './ldap-names';

/** A search for names that begin with `text`. */
export interface DirectorySearch {
  kind: 'user' | 'group';
  text: string;
  limit: number;
}

/** The names that were found, sorted. `isCut`: there are more. */
export interface DirectoryNames {
  names: { name: string; full_name?: string; email?: string }[];
  isCut: boolean;
}

type Settings = Pick<Config, 'LDAP_BASE_DN' | 'LDAP_USER_DN' | 'LDAP_USE_ACTIVE_DIRECTORY'>;

const personClasses = ['person', 'posixAccount', 'inetOrgPerson'];
const groupClasses = ['group', 'groupOfNames', 'groupOfUniqueNames'];
/** The flag of `userAccountControl` for a disabled account. */
const disabled = 2;

/** Asks for one page of entries, so that a short text cannot make the directory send everything. */
export async function searchNames(
  client: Client,
  config: Settings,
  { kind, text, limit }: DirectorySearch,
): Promise<DirectoryNames> {
  const isUser = kind === 'user';
  const id = config.LDAP_USE_ACTIVE_DIRECTORY ? 'sAMAccountName' : isUser ? 'uid' : 'cn';
  const base = isUser ? (config.LDAP_USER_DN ?? config.LDAP_BASE_DN) : config.LDAP_BASE_DN;
  if (!base) return { names: [], isCut: false };
  const getEqual = (value: string) => new EqualityFilter({ attribute: 'objectClass', value });
  const begins = (attribute: string) => new SubstringFilter({ attribute, initial: text });
  const isNamed =
    text === ''
      ? new PresenceFilter({ attribute: id })
      : new OrFilter({ filters: (isUser ? [id, 'cn', 'sn', 'mail'] : [id, 'cn']).map(begins) });
  const isKind = new OrFilter({ filters: (isUser ? personClasses : groupClasses).map(getEqual) });
  const pages = client.searchPaginated(base, {
    scope: 'sub',
    filter: new AndFilter({ filters: [isKind, isNamed] }),
    attributes: ['uid', 'sAMAccountName', 'cn', 'mail', 'userAccountControl'],
    paged: { pageSize: limit + 1 },
  });
  const names: DirectoryNames['names'] = [];
  for await (const { searchEntries } of pages) {
    for (const entry of searchEntries) {
      if ((Number(listTexts(entry, 'userAccountControl')[0] ?? 0) & disabled) !== 0) continue;
      const ids = listTexts(entry, isUser ? id : 'cn');
      // Groups of an Active Directory have the names that `memberOf` shows.
      const isActiveGroup = !isUser && config.LDAP_USE_ACTIVE_DIRECTORY;
      const name = isActiveGroup ? findFirstValue(entry.dn) : isUser ? findCanonicalName(ids, entry.dn, '') : ids[0];
      if (name === undefined) continue;
      const [full_name, email] = isUser ? [listTexts(entry, 'cn')[0], listTexts(entry, 'mail')[0]] : [];
      names.push({ name, ...(full_name ? { full_name } : {}), ...(email ? { email } : {}) });
    }
    if (names.length > limit) break;
  }
  names.sort((a, b) => a.name.localeCompare(b.name, 'en'));
  return { names: names.slice(0, limit), isCut: names.length > limit };
}
