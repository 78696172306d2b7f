import { type Client, type Entry, EqualityFilter, OrFilter, PresenceFilter, AndFilter } from 'ldapts';
import { AppError } from '../../model/errors';
import type { LdapDirectory } from '../../model/identity/directory';
import type { SourceAccount, SourceGroup } from '../../model/identity/map';
import { addToList } from '../../model/multi-map';
import { type LdapConfig, withClient } from '../login/directory';
import { listTexts } from '../login/ldap-names';
import type { SourceDirectory } from './maps';

const pageSize = 500;
/** Maximum time for reading the whole directory. */
const maxMs = 10 * 60_000;
const maxEntries = 2_000_000;
const maxRanges = 10_000;
/** Longer names and addresses are truncated. */
const maxTextLength = 256;
const attributes = {
  account: [
    'uid',
    'sAMAccountName',
    'mail',
    'uidNumber',
    'gidNumber',
    'objectSid',
    'primaryGroupID',
    'userAccountControl',
  ],
  group: ['cn', 'sAMAccountName', 'gidNumber', 'objectSid', 'member', 'uniqueMember', 'memberUid'],
};
const personClasses = ['person', 'posixAccount', 'inetOrgPerson'];
const groupClasses = ['group', 'groupOfNames', 'groupOfUniqueNames', 'posixGroup'];
/** The flag of `userAccountControl` for a disabled account. */
const disabledFlag = 2;

type Ids = LdapDirectory['ids'];

/**
 * Reads accounts and groups of the directory of the logins, with groups in groups and primary groups. Disabled accounts
 * are left out. Throws SERVICE_UNAVAILABLE if the directory cannot be reached or does not return all members of a
 * group.
 */
export async function readLdapAccounts(config: LdapConfig, { ids }: LdapDirectory): Promise<SourceDirectory> {
  const {
    LDAP_SERVER: server,
    LDAP_BASE_DN: base = config.LDAP_USER_DN,
    LDAP_BIND_DN: bindDn,
    LDAP_BIND_PASSWORD: password,
  } = config;
  if (!server || !base || !bindDn || !password)
    throw new AppError(
      'SERVICE_UNAVAILABLE',
      'The worker cannot read accounts over LDAP: LDAP_SERVER, LDAP_BASE_DN, LDAP_BIND_DN and LDAP_BIND_PASSWORD must be set there.',
    );
  return await withClient(
    server,
    config,
    async (client) => {
      await client.bind(bindDn, password);
      const nameFilter = new PresenceFilter({ attribute: config.LDAP_USE_ACTIVE_DIRECTORY ? 'sAMAccountName' : 'uid' });
      const personFilter = new AndFilter({ filters: [buildClassFilter(personClasses), nameFilter] });
      const accounts = await searchAll(client, config.LDAP_USER_DN ?? base, personFilter, attributes.account);
      const groupFilter = buildClassFilter(groupClasses);
      const groups = await searchAll(client, base, groupFilter, attributes.group);
      for (const group of groups) await readRanges(client, group);
      return joinEntries({ accounts, groups }, ids);
    },
    maxMs,
  );
}

function buildClassFilter(classes: readonly string[]): OrFilter {
  return new OrFilter({ filters: classes.map((value) => new EqualityFilter({ attribute: 'objectClass', value })) });
}

async function searchAll(
  client: Client,
  base: string,
  filter: AndFilter | OrFilter,
  attributes: readonly string[],
): Promise<Entry[]> {
  const entries: Entry[] = [];
  const pages = client.searchPaginated(base, {
    scope: 'sub',
    filter,
    attributes: [...attributes],
    explicitBufferAttributes: ['objectSid'],
    paged: { pageSize },
  });
  for await (const { searchEntries } of pages) {
    entries.push(...searchEntries);
    if (entries.length > maxEntries) throw new Error(`it has more than ${maxEntries} entries`);
  }
  return entries;
}

/** Reads the remaining members of a group: Active Directory returns many in portions (`member;range=0-1499`). */
async function readRanges(client: Client, group: Entry): Promise<void> {
  const members = listTexts(group, 'member');
  let range = Object.keys(group).find((name) => /^member;range=/i.test(name));
  let entry = group;
  for (let count = 0; range !== undefined; count += 1) {
    members.push(...listTexts(entry, range));
    const end = /-(\d+)$/.exec(range)?.[1];
    if (end === undefined) break;
    if (count > maxRanges) throw new Error(`it returns the members of a group in more than ${maxRanges} portions`);
    const { searchEntries } = await client.search(group.dn, {
      scope: 'base',
      attributes: [`member;range=${Number(end) + 1}-*`],
    });
    const [next] = searchEntries;
    range = next && Object.keys(next).find((name) => /^member;range=/i.test(name));
    if (!next || range === undefined) throw new Error('it does not return all members of a group');
    entry = next;
  }
  group['member'] = members;
}

/** Joins entries by their distinguished names. An entry without that id is omitted. */
export function joinEntries(
  { accounts: people, groups: entries }: { accounts: readonly Entry[]; groups: readonly Entry[] },
  ids: Ids,
): SourceDirectory {
  const { accounts, idByDn, idByName, idsByPrimaryGroup } = indexAccounts(people, ids);
  const groupIdByDn = new Map<string, string>();
  for (const entry of entries) {
    const id = findGroupId(entry, ids);
    if (id !== undefined) groupIdByDn.set(normalizeDn(entry.dn), id);
  }
  const groups = new Map<string, SourceGroup>();
  for (const entry of entries) {
    const id = findGroupId(entry, ids);
    if (id === undefined) continue;
    const dns = ['member', 'uniqueMember'].flatMap((attribute) => listTexts(entry, attribute)).map(normalizeDn);
    const members = [
      ...dns.flatMap((dn) => idByDn.get(dn) ?? []),
      ...listTexts(entry, 'memberUid').flatMap((uid) => idByName.get(uid) ?? []),
      ...(idsByPrimaryGroup.get(id) ?? []),
    ];
    const name = findText(entry, 'cn');
    // Several entries may have the same id.
    const earlier = groups.get(id);
    groups.set(id, {
      id,
      ...(name === undefined ? {} : { name }),
      members: [...new Set([...(earlier?.members ?? []), ...members])],
      groups: [...new Set([...(earlier?.groups ?? []), ...dns.flatMap((dn) => groupIdByDn.get(dn) ?? [])])],
    });
  }
  // A primary group without an entry, such as a number without a name.
  for (const [id, members] of idsByPrimaryGroup) if (!groups.has(id)) groups.set(id, { id, members });
  return { accounts: [...accounts.values()], groups: [...groups.values()] };
}

function indexAccounts(people: readonly Entry[], ids: Ids) {
  const accounts = new Map<string, SourceAccount>();
  const idByDn = new Map<string, string>();
  const idByName = new Map<string, string>();
  const idsByPrimaryGroup = new Map<string, string[]>();
  for (const entry of people) {
    const id = findAccountId(entry, ids);
    if (id === undefined || isDisabled(entry)) continue;
    const name = findName(entry);
    const mail = findText(entry, 'mail');
    accounts.set(id, { id, ...(name === undefined ? {} : { name }), ...(mail === undefined ? {} : { mail }) });
    idByDn.set(normalizeDn(entry.dn), id);
    if (name !== undefined) idByName.set(name, id);
    const primaryGroup = findPrimaryGroup(entry, ids);
    if (primaryGroup !== undefined) addToList(idsByPrimaryGroup, primaryGroup, id);
  }
  return { accounts, idByDn, idByName, idsByPrimaryGroup };
}

function isDisabled(entry: Entry): boolean {
  return (Number(listTexts(entry, 'userAccountControl')[0] ?? 0) & disabledFlag) !== 0;
}

/** The first value of an attribute, truncated. */
function findText(entry: Entry, attribute: string): string | undefined {
  return listTexts(entry, attribute)[0]?.slice(0, maxTextLength);
}

function findName(entry: Entry): string | undefined {
  return findText(entry, 'sAMAccountName') ?? findText(entry, 'uid');
}

function findAccountId(entry: Entry, ids: Ids): string | undefined {
  if (ids === 'sid') return findSid(entry);
  return ids === 'number' ? findNumber(entry, 'uidNumber') : findName(entry);
}

function findGroupId(entry: Entry, ids: Ids): string | undefined {
  if (ids === 'sid') return findSid(entry);
  return ids === 'number' ? findNumber(entry, 'gidNumber') : findText(entry, 'cn');
}

/**
 * The id of an account's primary group, whose entry does not list the account as a member. With `sid`, it is the account's
 * identifier with the number of the group in place of its own: `S-1-5-21-…-1104` in the group 513 gives `S-1-5-21-…-513`.
 */
function findPrimaryGroup(entry: Entry, ids: Ids): string | undefined {
  if (ids === 'number') return findNumber(entry, 'gidNumber');
  const groupNumber = listTexts(entry, 'primaryGroupID')[0];
  const sid = findSid(entry);
  if (ids !== 'sid' || sid === undefined || !/^\d+$/.test(groupNumber ?? '')) return undefined;
  return `${sid.slice(0, sid.lastIndexOf('-'))}-${groupNumber}`;
}

function findNumber(entry: Entry, attribute: string): string | undefined {
  const value = listTexts(entry, attribute)[0];
  return value !== undefined && /^\d{1,10}$/.test(value) ? value : undefined;
}

/** A security identifier as text (MS-DTYP 2.4.2.2). */
function findSid(entry: Entry): string | undefined {
  const value = [entry['objectSid'] ?? []].flat()[0];
  if (!Buffer.isBuffer(value) || value.length < 8) return undefined;
  const count = value[1] ?? 0;
  if (value.length < 8 + count * 4) return undefined;
  const parts = Array.from({ length: count }, (_, at) => value.readUInt32LE(8 + at * 4));
  return ['S', value[0], value.readUIntBE(2, 6), ...parts].join('-');
}

/** Distinguished names ignore case, and blanks around their parts. */
function normalizeDn(dn: string): string {
  return dn.toLowerCase().replaceAll(/\s*(?<!\\)([,=+])\s*/g, '$1');
}
