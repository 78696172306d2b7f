import { type Client, type Entry, EqualityFilter, OrFilter, PresenceFilter, AndFilter } from 'ldapts';
import { AppError } from '../../model/errors';
import type { LdapDirectory } from '../../model/identity/directory';
import type { SourceAccount, SourceGroup } from '../../model/identity/map';
import { type LdapConfig, withClient } from '../login/directory';
import { listTexts } from '../login/ldap-names';
import type { SourceDirectory } from './maps';

const pageSize = 500;
/** The time for reading the whole directory. */
const maxMs = 10 * 60_000;
const maxEntries = 2_000_000;
const maxRanges = 10_000;
const longest = 256;
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
const groupClasses = ['group', 'groupOfNames', 'groupOfUniqueNames', 'posixGroup'];
/** The flag of `userAccountControl` for a disabled account. */
const disabled = 2;

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
      const getEqual = (attribute: string) => (value: string) => new EqualityFilter({ attribute, value });
      const people = ['person', 'posixAccount', 'inetOrgPerson'].map(getEqual('objectClass'));
      const named = new PresenceFilter({ attribute: config.LDAP_USE_ACTIVE_DIRECTORY ? 'sAMAccountName' : 'uid' });
      const isPerson = new AndFilter({ filters: [new OrFilter({ filters: people }), named] });
      const accounts = await searchAll(client, config.LDAP_USER_DN ?? base, isPerson, attributes.account);
      const isGroup = new OrFilter({ filters: groupClasses.map(getEqual('objectClass')) });
      const groups = await searchAll(client, base, isGroup, attributes.group);
      for (const group of groups) await readRanges(client, group);
      return joinEntries({ accounts, groups }, ids);
    },
    maxMs,
  );
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

/** Active Directory returns many members of a group in portions (`member;range=0-1499`). */
async function readRanges(client: Client, group: Entry): Promise<void> {
  const members = listTexts(group, 'member');
  let range = Object.keys(group).find((name) => /^member;range=/i.test(name));
  let entry = group;
  for (let count = 0; range !== undefined; count += 1) {
    members.push(...listTexts(entry, range));
    const end = /-(\d+)$/.exec(range)?.[1];
    if (end === undefined) break;
    if (count > maxRanges) throw new Error('it never ends the list of members of a group');
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
  const accounts = new Map<string, SourceAccount>();
  const accountAt = new Map<string, string>();
  const accountNamed = new Map<string, string>();
  const primary = new Map<string, string[]>();
  for (const entry of people) {
    const id = findAccountId(entry, ids);
    if (id === undefined || (Number(listTexts(entry, 'userAccountControl')[0] ?? 0) & disabled) !== 0) continue;
    const name = findName(entry);
    const mail = listTexts(entry, 'mail')[0]?.slice(0, longest);
    accounts.set(id, { id, ...(name === undefined ? {} : { name }), ...(mail === undefined ? {} : { mail }) });
    accountAt.set(normalizeDn(entry.dn), id);
    if (name !== undefined) accountNamed.set(name, id);
    const first = findPrimaryGroup(entry, ids);
    if (first !== undefined) (primary.get(first) ?? primary.set(first, []).get(first)!).push(id);
  }
  const groupAt = new Map<string, string>();
  for (const entry of entries) {
    const id = findGroupId(entry, ids);
    if (id !== undefined) groupAt.set(normalizeDn(entry.dn), id);
  }
  const groups = new Map<string, SourceGroup>();
  for (const entry of entries) {
    const id = findGroupId(entry, ids);
    if (id === undefined) continue;
    const dns = ['member', 'uniqueMember'].flatMap((name) => listTexts(entry, name)).map(normalizeDn);
    const named = listTexts(entry, 'memberUid').flatMap((name) => accountNamed.get(name) ?? []);
    const members = [...dns.flatMap((dn) => accountAt.get(dn) ?? []), ...named, ...(primary.get(id) ?? [])];
    const name = listTexts(entry, 'cn')[0]?.slice(0, longest);
    const group = groups.get(id);
    groups.set(id, {
      id,
      ...(name === undefined ? {} : { name }),
      members: [...new Set([...(group?.members ?? []), ...members])],
      groups: [...new Set([...(group?.groups ?? []), ...dns.flatMap((dn) => groupAt.get(dn) ?? [])])],
    });
  }
  // A primary group without an entry, such as a number without a name.
  for (const [id, members] of primary) if (!groups.has(id)) groups.set(id, { id, members });
  return { accounts: [...accounts.values()], groups: [...groups.values()] };
}

function findName(entry: Entry): string | undefined {
  return (listTexts(entry, 'sAMAccountName')[0] ?? listTexts(entry, 'uid')[0])?.slice(0, longest);
}

function findAccountId(entry: Entry, ids: Ids): string | undefined {
  if (ids === 'sid') return findSid(entry);
  return ids === 'number' ? findNumber(entry, 'uidNumber') : findName(entry);
}

function findGroupId(entry: Entry, ids: Ids): string | undefined {
  if (ids === 'sid') return findSid(entry);
  return ids === 'number' ? findNumber(entry, 'gidNumber') : listTexts(entry, 'cn')[0]?.slice(0, longest);
}

/** Members of a primary group are not among its members in the directory. */
function findPrimaryGroup(entry: Entry, ids: Ids): string | undefined {
  if (ids === 'number') return findNumber(entry, 'gidNumber');
  const rid = listTexts(entry, 'primaryGroupID')[0];
  const sid = findSid(entry);
  return ids === 'sid' && rid !== undefined && /^\d+$/.test(rid) && sid !== undefined
    ? `${sid.slice(0, sid.lastIndexOf('-'))}-${rid}`
    : undefined;
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
