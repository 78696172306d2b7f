import { chmod } from 'node:fs/promises';
import { createRandom } from '../../bench/support/random';
import {
  type AccessList,
  normalizeAccessList,
  toMapPrincipal,
  toGroupPrincipal,
  toIdentityPrincipal,
  mayRead,
} from '../../model/access-list';
import { flattenGroups } from '../../model/identity/match';
import { createAddressGuard } from '../../services/net/address-guard';
import type { SourceEntry } from '../../services/source/source';
import { createSources } from '../../services/source/sources';
import { type SambaServer, startSamba } from '../support/servers/samba';
import { serveFolder, type ServedFolder } from '../support/sources/folder';
import { windowsShare } from '../support/sources/smb';

/** An Active Directory domain of Samba with 50 users: what `smbclient` as each of them may read is what the lists say. */
const users = Array.from({ length: 50 }, (_, number) => `user${String(number).padStart(2, '0')}`);
const usersWhere = (is: (number: number) => boolean) => users.filter((_, number) => is(number));
const groups: Record<string, readonly string[]> = {
  sales: usersWhere((number) => number % 5 === 0),
  finance: usersWhere((number) => number % 5 === 1),
  legal: usersWhere((number) => number % 7 === 0),
  interns: usersWhere((number) => number % 4 === 3),
  // Groups in groups.
  business: ['sales', 'finance', 'user02'],
  company: ['business', 'legal', 'user03'],
};
const random = createRandom(Number(process.env['DOCLOOM_SEED'] ?? 7));
const pick = <T>(all: readonly T[]): T => all[random.integer(0, all.length - 1)]!;

let server: SambaServer;
const folders: ServedFolder[] = [];
let sidOf: ReadonlyMap<string, string>;
let members: Map<string, Set<string>>;
let groupsOf: Map<string, Set<string>>;

beforeAll(async () => {
  for (let number = 0; number < 2; number += 1) folders.push(await serveFolder());
  for (const { root } of folders) await chmod(root, 0o777);
  const [windows = '', posix = ''] = folders.map(({ root }) => root);
  server = await startSamba({
    users,
    groups,
    shares: { windows: { path: windows, settings: windowsShare }, posix: { path: posix } },
  });
  groupsOf = flattenGroups(server.groups);
  members = new Map();
  for (const [account, own] of groupsOf)
    for (const group of own) (members.get(group) ?? members.set(group, new Set()).get(group)!).add(account);
  sidOf = new Map([...server.accounts, ...server.groups].map(({ id, name = '' }) => [name, id] as const));
}, 5 * 60_000);
afterAll(async () => {
  await server.stop();
  for (const folder of folders) await folder.close();
});

const [readExecute, read, full, write] = ['0x1200a9', '0x120089', '0x1f01ff', '0x116'] as const;
const admin = '(A;OICI;0x1f01ff;;;DA)(A;OICI;0x1f01ff;;;BA)';
const sid = (name: string) => sidOf.get(name) ?? name;
const entry = (type: 'A' | 'D', who: string, mask: string, flags = 'OICI') =>
  `(${type};${flags};${mask};;;${sid(who)})`;

/** Entries in any order, as programs write them. */
function pickEntries(): string {
  const people = [...Object.keys(groups), ...Object.keys(groups), ...users.slice(0, 12), 'WD', 'AU', 'DU', 'OW'];
  return Array.from({ length: random.integer(1, 5) }, () => {
    const type = random.chance(0.35) ? 'D' : 'A';
    const masks = type === 'A' ? [readExecute, read, full, write] : [readExecute, full, write, '0x1', '0x8'];
    return entry(type, pick(people), pick(masks), pick(['OICI', 'OICI', 'OICI', '']));
  }).join('');
}

const administer = async (share: string, commands: readonly string[]) => {
  const told = await server.smbclient('Administrator', share, commands);
  expect(told).not.toContain('NT_STATUS');
};

/** Lists the share as the source does, with the account of a service. */
async function listAll(share: string, params: object = {}): Promise<SourceEntry[]> {
  const map = { map_id: 'ad', places: [`smb://${server.host}/${share}`], updated_at: '', updated_by: '', state: {} };
  const rights = { list: async () => [map], listMembers: async () => members };
  const sources = createSources({ roots: [], guard: createAddressGuard([server.host]), rights });
  const config = {
    connection_params: { host: server.host, share, rights: 'windows', ...params },
    credentials: { username: `${server.domain}\\Administrator`, password: server.password },
  };
  const entries: SourceEntry[] = [];
  for await (const sourceEntry of sources.list('smb', config, new AbortController().signal)) entries.push(sourceEntry);
  return entries;
}

function listOf(sourceEntry: SourceEntry): AccessList {
  return normalizeAccessList({
    allowed_users: sourceEntry.allowedUsers ?? null,
    allowed_principals: sourceEntry.allowedPrincipals ?? null,
    denied_principals: sourceEntry.deniedPrincipals ?? null,
    required_lists: sourceEntry.requiredLists ?? null,
  });
}

function mayUserRead(user: string, sourceEntry: SourceEntry): boolean {
  const account = sid(user);
  const own = [...(groupsOf.get(account) ?? [])].map((group) => toGroupPrincipal('ad', group));
  const principals = [toMapPrincipal('ad'), toIdentityPrincipal('ad', account), ...own];
  return sourceEntry.failure === undefined && mayRead({ username: 'somebody', principals }, listOf(sourceEntry));
}

async function findReadable(user: string, share: string, files: readonly string[]): Promise<string[]> {
  const commands = files.map((file) => `get "${file.replaceAll('/', '\\')}" /dev/null`);
  const told = await server.smbclient(user, share, commands);
  const got = new Set(
    [...told.matchAll(/getting file \\(.*) of size/g)].map(([, file = '']) => file.replaceAll('\\', '/')),
  );
  return files.filter((file) => got.has(file));
}

/** Compares every user and file; both outcomes occur. */
async function compare(share: string, entries: readonly SourceEntry[]): Promise<number> {
  const files = entries.map(({ relativePath }) => relativePath);
  let count = 0;
  const found: Record<string, string[]> = {};
  const expected: Record<string, string[]> = {};
  for (const user of users) {
    expected[user] = await findReadable(user, share, files);
    found[user] = entries
      .filter((sourceEntry) => mayUserRead(user, sourceEntry))
      .map(({ relativePath }) => relativePath);
    count += expected[user].length;
  }
  expect(found).toEqual(expected);
  expect(count).toBeGreaterThan(0);
  expect(count).toBeLessThan(files.length * users.length);
  process.stdout.write(
    `${share}: ${users.length} users, ${files.length} files, ${count} of ${files.length * users.length} pairs may read\n`,
  );
  return count;
}

test(
  'nested groups, denials, inheritance, broken inheritance and moved files let read whom Windows permissions let read',
  async () => {
    const share = 'windows';
    await server.setPermissions(share, '/', `D:P${admin}(A;OICI;0x1f01ff;;;WD)`);
    for (let folder = 0; folder < 6; folder += 1) {
      const name = `F${folder} ü`;
      await administer(share, [`mkdir "${name}"`]);
      await server.setPermissions(share, name, `D:P${admin}${pickEntries()}`);
      await administer(share, [`mkdir "${name}\\in"`, `put /etc/hostname "${name}\\in\\deep.md"`]);
      for (let file = 0; file < 8; file += 1) {
        const path = `${name}/${file} é.md`;
        await administer(share, [`put /etc/hostname "${path.replaceAll('/', '\\')}"`]);
        // The first ones inherit from the folder, the others have permissions of their own.
        const owner = random.chance(0.5) ? `O:${sid(pick(users.slice(0, 12)))}` : '';
        if (file >= 3) await server.setPermissions(share, path, `${owner}D:P${pickEntries()}${admin}`);
      }
      await administer(share, [`rename "${name}\\0 é.md" "${name}\\in\\moved.md"`]);
      await server.setPermissions(share, `${name}/in`, `D:P${admin}${entry('A', 'company', readExecute)}`);
      await administer(share, [`put /etc/hostname "${name}\\in\\later.md"`]);
    }
    await administer(share, ['rename "F0 ü\\1 é.md" "F1 ü\\from F0.md"', 'rename "F2 ü\\in" "F3 ü\\was F2"']);
    const entries = await listAll(share, { traversal: 'bypass' });
    expect(entries).toHaveLength(6 * 10);
    await compare(share, entries);
  },
  10 * 60_000,
);

test(
  'if folders can be closed, their permissions also count',
  async () => {
    const share = 'posix';
    await server.setPermissions(share, '/', `D:P${admin}(A;OICI;0x1f01ff;;;WD)`);
    for (const [folder, who] of [
      ['open', 'WD'],
      ['sales', 'sales'],
      ['company', 'company'],
      ['one', 'user07'],
    ] as const) {
      await administer(share, [`mkdir ${folder}`, `mkdir ${folder}\\in`]);
      for (const [file, reader] of [
        ['all', 'WD'],
        ['legal', 'legal'],
        ['business', 'business'],
        ['user07', 'user07'],
      ] as const) {
        await administer(share, [`put /etc/hostname ${folder}\\in\\${file}.md`]);
        await server.setPermissions(share, `${folder}/in/${file}.md`, `D:P${admin}${entry('A', reader, readExecute)}`);
      }
      await server.setPermissions(share, `${folder}/in`, `D:P${admin}(A;OICI;0x1200a9;;;WD)`);
      await server.setPermissions(share, folder, `D:P${admin}${entry('A', who, readExecute)}`);
    }
    const checked = await compare(share, await listAll(share));
    const entries = await listAll(share, { traversal: 'bypass' });
    const bypassed = users.flatMap((user) => entries.filter((sourceEntry) => mayUserRead(user, sourceEntry))).length;
    expect(bypassed).toBeGreaterThan(checked);
  },
  10 * 60_000,
);

test('accounts and groups of the domain are read over LDAP, with primary groups and nested groups', async () => {
  const { readLdapAccounts } = await import('../../services/identity/ldap-accounts');
  const config = {
    LDAP_SERVER: `ldap://${server.host}`,
    LDAP_BASE_DN: 'DC=ad,DC=test',
    LDAP_USER_DN: undefined,
    LDAP_BIND_DN: 'Administrator@AD.TEST',
    LDAP_BIND_PASSWORD: server.password,
    LDAP_USE_SSL: false,
    LDAP_USE_ACTIVE_DIRECTORY: true,
    LDAP_AD_DOMAIN: 'ad.test',
    LDAP_NESTED_GROUPS: true,
  };
  const read = await readLdapAccounts(config, { ids: 'sid' });
  const names = new Map(read.accounts.map(({ id, name }) => [name, id]));
  expect(users.map((user) => names.get(user))).toEqual(users.map((user) => sidOf.get(user)));
  const found = flattenGroups(read.groups);
  for (const user of users) expect(found.get(sidOf.get(user)!)).toEqual(groupsOf.get(sidOf.get(user)!));
  await expect(readLdapAccounts({ ...config, LDAP_BIND_PASSWORD: 'wrong' }, { ids: 'sid' })).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
  });
});
