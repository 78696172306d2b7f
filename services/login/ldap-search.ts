import { AndFilter, type Client, type Entry, EqualityFilter, OrFilter, PresenceFilter, SubstringFilter } from 'ldapts';
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
const disabledFlag = 2;

/** Asks for one page of entries, so that a short text cannot make the directory send everything. */
export async function searchNames(
  client: Client,
  config: Settings,
  { kind, text, limit }: DirectorySearch,
): Promise<DirectoryNames> {
  const isUser = kind === 'user';
  const plainId = isUser ? 'uid' : 'cn';
  const id = config.LDAP_USE_ACTIVE_DIRECTORY ? 'sAMAccountName' : plainId;
  const base = isUser ? (config.LDAP_USER_DN ?? config.LDAP_BASE_DN) : config.LDAP_BASE_DN;
  if (!base) return { names: [], isCut: false };
  const createClassFilter = (value: string) => new EqualityFilter({ attribute: 'objectClass', value });
  const createPrefixFilter = (attribute: string) => new SubstringFilter({ attribute, initial: text });
  const isNamed =
    text === ''
      ? new PresenceFilter({ attribute: id })
      : new OrFilter({ filters: (isUser ? [id, 'cn', 'sn', 'mail'] : [id, 'cn']).map(createPrefixFilter) });
  const isKind = new OrFilter({ filters: (isUser ? personClasses : groupClasses).map(createClassFilter) });
  const pages = client.searchPaginated(base, {
    scope: 'sub',
    filter: new AndFilter({ filters: [isKind, isNamed] }),
    attributes: ['uid', 'sAMAccountName', 'cn', 'mail', 'userAccountControl'],
    paged: { pageSize: limit + 1 },
  });
  const names: DirectoryNames['names'] = [];
  for await (const { searchEntries } of pages) {
    for (const entry of searchEntries) {
      if ((Number(listTexts(entry, 'userAccountControl')[0] ?? 0) & disabledFlag) !== 0) continue;
      const name = isUser ? findCanonicalName(listTexts(entry, id), entry.dn, '') : findGroupName(entry, config);
      if (name === undefined) continue;
      const [full_name, email] = isUser ? [listTexts(entry, 'cn')[0], listTexts(entry, 'mail')[0]] : [];
      names.push({ name, ...(full_name ? { full_name } : {}), ...(email ? { email } : {}) });
    }
    if (names.length > limit) break;
  }
  names.sort((a, b) => a.name.localeCompare(b.name, 'en'));
  return { names: names.slice(0, limit), isCut: names.length > limit };
}

/** Groups of an Active Directory have the names that `memberOf` shows. */
function findGroupName(entry: Entry, { LDAP_USE_ACTIVE_DIRECTORY: isActive }: Settings): string | undefined {
  return isActive ? findFirstValue(entry.dn) : listTexts(entry, 'cn')[0];
}
