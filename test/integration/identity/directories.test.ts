import { randomUUID } from 'node:crypto';
import { openDirectories } from '../../../activities/identity/directories';
import { mayRead } from '../../../model/access-list';
import { readConfig } from '../../../model/config';
import type { OpenConnection } from '../../../model/connection/connection';
import type { ServiceDirectory } from '../../../model/identity/directory';
import type { IdentityMapInput } from '../../../model/identity/map';
import { findList } from '../../../operators/ingest_source/access';
import { readLdapAccounts } from '../../../services/identity/ldap-accounts';
import { createIdentityMaps } from '../../../services/identity/maps';
import { createAccounts } from '../../../services/login/accounts';
import { createAddressGuard } from '../../../services/net/address-guard';
import { createSources } from '../../../services/source/sources';
import { startConfluence } from '../../support/doubles/confluence';
import { startGoogleDrive } from '../../support/doubles/google-drive';
import { startGraph } from '../../support/doubles/graph';
import { graphConfig } from '../../support/sources/sharepoint';
import { useDatabase } from '../../support/system/database';

/** Identity maps whose accounts and groups come from a service or from the LDAP directory. */
const { signal } = new AbortController();
const mongo = useDatabase(['identity_maps', 'identities', 'people']);
afterEach(async () => {
  for (const { map_id } of await maps().list()) await maps().remove(map_id);
});
const maps = () => createIdentityMaps(mongo, { accounts: createAccounts(mongo), clock: () => new Date() });
const guard = createAddressGuard(['127.0.0.1']);

/** Secrets by connection; all belong to the administrator `root`. */
let secrets: Record<string, Pick<OpenConnection, 'type' | 'hosts' | 'secret' | 'owner' | 'shared'>> = {};
const directories = openDirectories(
  {
    env: {},
    directories: {
      ...createSources({ roots: [], guard }),
      readLdap: (settings) => readLdapAccounts(readConfig(process.env), settings),
    },
    connections: {
      open: async (names) =>
        names.flatMap((name) => (secrets[name] ? [{ name, users: [], groups: [], ...secrets[name] }] : [])),
    },
  },
  signal,
);
const own = (type: OpenConnection['type'], secret: string) => ({
  type,
  hosts: ['127.0.0.1'],
  secret,
  owner: 'root',
  shared: false,
});

async function sync(name: string, map: Partial<IdentityMapInput>) {
  await maps().put(name, { places: [], match: [{ by: 'name' }], ...map }, { user: 'root', at: new Date() });
  return await maps().sync(name, { newId: randomUUID, ...directories });
}
const isReader = async (login: string, list: ReturnType<typeof findList>) =>
  mayRead({ username: login, principals: ['p:*', `u:${login}`, ...(await maps().findPrincipals(login))] }, list ?? {});

describe('sharepoint', () => {
  test('members of nested groups read what the group may read; a change of a group needs no listing', async () => {
    const graph = await startGraph();
    try {
      const { tenant, clientId, server } = graph;
      graph.users = ['alice', 'bob', 'carol', 'guest', 'off'].map((name) => ({
        id: `id-${name}`,
        userPrincipalName: `${name}@contoso.example`,
        mail: null,
        userType: name === 'guest' ? 'Guest' : 'Member',
        accountEnabled: name !== 'off',
      }));
      const member = (type: string, id: string) => ({ '@odata.type': `#microsoft.graph.${type}`, id });
      graph.groups = [
        {
          id: 'outer',
          displayName: 'Outer',
          members: [member('group', 'inner'), member('user', 'id-bob'), member('device', 'd1')],
        },
        { id: 'inner', displayName: 'Inner', members: [member('user', 'id-alice'), member('group', 'outer')] },
        {
          id: 'many',
          displayName: 'Many',
          members: ['alice', 'bob', 'carol'].map((name) => member('user', `id-${name}`)),
        },
      ];
      graph.put('outer.md', 'x').permissions = [{ roles: ['read'], grantedToV2: { group: { id: 'outer' } } }];
      graph.put('staff.md', 'x').permissions = [
        { roles: ['read'], grantedToV2: { siteUser: { loginName: 'c:0-.f|rolemanager|spo-grid-all-users/t' } } },
      ];
      graph.put('site.md', 'x').permissions = [{ roles: ['read'], grantedToV2: { siteGroup: { id: '5' } } }];
      secrets = { contoso: own('sharepoint', graph.clientSecret) };
      const source: ServiceDirectory = {
        provider: 'sharepoint',
        connection_params: {
          tenant_id: tenant,
          client_id: clientId,
          endpoint_url: server.origin,
          login_url: `${server.origin}/login`,
        },
        credentials: { client_secret: '${connection:contoso}' },
      };
      const map: Partial<IdentityMapInput> = {
        places: [`sharepoint://${new URL(server.origin).host}/${graph.tenantId}`],
        directory: 'source',
        source,
        match: [{ by: 'name', suffix: '@contoso.example' }],
        groups: [{ id: `site-group:${graph.sharepoint.siteId}:5`, groups: ['inner'] }],
      };
      const { counts } = await sync('corp', map);
      expect(counts).toMatchObject({ mapped: 4, groups: 5 });
      const sources = createSources({ roots: [], guard, rights: maps() });
      const readers = async (name: string) => {
        for await (const entry of sources.list('sharepoint', graphConfig(graph), signal)) {
          if (entry.name !== name) continue;
          const found: string[] = [];
          for (const login of ['alice', 'bob', 'carol', 'guest', 'off', 'nobody'])
            if (await isReader(login, findList(entry))) found.push(login);
          return found;
        }
        return undefined;
      };
      expect(await readers('outer.md')).toEqual(['alice', 'bob']);
      expect(await readers('staff.md')).toEqual(['alice', 'bob', 'carol']);
      expect(await readers('site.md')).toEqual(['alice', 'bob']);
      graph.groups[1]!.members = [member('user', 'id-carol')];
      const { changed } = await maps().sync('corp', { newId: randomUUID, ...directories });
      expect(changed.map(({ login, lost, gained }) => [login, gained.length > 0, lost.length > 0])).toEqual([
        ['alice', false, true],
        ['bob', false, true],
        ['carol', true, false],
      ]);
      expect(await readers('outer.md')).toEqual(['bob', 'carol']);
      graph.server.override(({ url }) => (url.pathname === '/v1.0/groups' ? { status: 403, body: {} } : undefined));
      await expect(maps().sync('corp', { newId: randomUUID, ...directories })).rejects.toMatchObject({
        code: 'SOURCE_NOT_ALLOWED',
      });
      // The last known accounts are kept, and their age is shown.
      expect(await readers('outer.md')).toEqual(['bob', 'carol']);
    } finally {
      await graph.stop();
    }
  });

  test('groups of a site have the members that SharePoint lists, and groups of another site with the same number have none', async () => {
    const graph = await startGraph();
    try {
      const { tenant, clientId, server, sharepoint, certificate } = graph;
      const group = '99999999-0000-0000-0000-000000000001';
      graph.users = ['alice', 'bob', 'carol'].map((name) => ({
        id: `id-${name}`,
        userPrincipalName: `${name}@contoso.example`,
        userType: 'Member',
      }));
      graph.groups = [
        { id: group, displayName: 'G', members: [{ '@odata.type': '#microsoft.graph.user', id: 'id-bob' }] },
      ];
      sharepoint.groups = [
        { id: 3, title: 'Owners', members: [`c:0o.c|federateddirectoryclaimprovider|${group}_o`] },
        {
          id: 5,
          title: 'Members',
          members: [
            'i:0#.f|membership|Alice@contoso.example',
            `c:0t.c|tenant|${group}`,
            'i:0#.f|membership|unknown@contoso.example',
          ],
        },
        { id: 7, title: 'Everybody', members: ['c:0-.f|rolemanager|spo-grid-all-users/t'] },
      ];
      for (const { id } of sharepoint.groups)
        graph.put(`${id}.md`, 'x').permissions = [{ roles: ['read'], grantedToV2: { siteGroup: { id: String(id) } } }];
      secrets = { contoso: own('sharepoint', certificate) };
      const source: ServiceDirectory = {
        provider: 'sharepoint',
        connection_params: {
          tenant_id: tenant,
          client_id: clientId,
          endpoint_url: server.origin,
          login_url: `${server.origin}/login`,
          sites: [sharepoint.site],
        },
        credentials: { certificate: '${connection:contoso}' },
      };
      const map: Partial<IdentityMapInput> = {
        places: [`sharepoint://${new URL(server.origin).host}/${graph.tenantId}`],
        directory: 'source',
        source,
        match: [{ by: 'name', suffix: '@contoso.example' }],
      };
      await sync('corp', map);
      const sources = createSources({ roots: [], guard, rights: maps() });
      const readers = async () => {
        const found: Record<string, string[]> = {};
        for await (const entry of sources.list('sharepoint', graphConfig(graph), signal)) {
          found[entry.name] = [];
          for (const login of ['alice', 'bob', 'carol'])
            if (await isReader(login, findList(entry))) found[entry.name]!.push(login);
        }
        return found;
      };
      expect(await readers()).toEqual({ '3.md': [], '5.md': ['alice', 'bob'], '7.md': ['alice', 'bob', 'carol'] });
      const { siteId } = sharepoint;
      // The drive is in another site, whose group 5 has other members.
      sharepoint.siteId = '00000000-0000-0000-0000-000000000000';
      expect(await readers()).toEqual({ '3.md': [], '5.md': [], '7.md': [] });
      sharepoint.siteId = siteId;
      // Tokens for SharePoint and for Graph are different ones.
      const tokensAt = (requests: { headers: { authorization?: string } }[]) =>
        new Set(requests.flatMap(({ headers }) => headers.authorization ?? []));
      const [atSite, atGraph] = [tokensAt(sharepoint.server.asked), tokensAt(server.asked)];
      expect(atSite.size).toBeGreaterThan(0);
      for (const item of atSite) expect(atGraph).not.toContain(item);

      sharepoint.server.override(({ url }) => (url.pathname.endsWith('/users') ? { status: 403 } : undefined));
      const again = () => maps().sync('corp', { newId: randomUUID, ...directories });
      await expect(again()).rejects.toMatchObject({ code: 'SOURCE_RIGHTS_UNKNOWN' });
      const steal = `${graph.downloads.origin}/steal`;
      sharepoint.server.override(({ url }) =>
        url.pathname.endsWith('/sitegroups') ? { body: { value: [], 'odata.nextLink': steal } } : undefined,
      );
      await expect(again()).rejects.toMatchObject({ code: 'INVALID_RESPONSE' });
      expect(graph.downloads.asked).toHaveLength(0);
      sharepoint.server.override(undefined);
      // SharePoint does not accept an application with a secret.
      secrets = { contoso: own('sharepoint', graph.clientSecret) };
      await expect(
        sync('corp', { ...map, source: { ...source, credentials: { client_secret: '${connection:contoso}' } } }),
      ).rejects.toMatchObject({ code: 'SOURCE_SIGN_IN_FAILED' });
      secrets = { contoso: own('sharepoint', '-----BEGIN CERTIFICATE-----\nsecret text') };
      await expect(sync('corp', map)).rejects.toMatchObject({
        code: 'OPERATOR_CONFIGURATION_INVALID',
        message: expect.not.stringContaining('secret text') as string,
      });
    } finally {
      await graph.stop();
    }
  });

  test('secrets of other users are not used, and no secret is sent to another host', async () => {
    const graph = await startGraph();
    try {
      const { tenant, clientId, server } = graph;
      const source: ServiceDirectory = {
        provider: 'sharepoint',
        connection_params: {
          tenant_id: tenant,
          client_id: clientId,
          endpoint_url: server.origin,
          login_url: `${server.origin}/login`,
        },
        credentials: { client_secret: '${connection:contoso}' },
      };
      secrets = { contoso: { ...own('sharepoint', graph.clientSecret), owner: 'somebody' } };
      await expect(sync('other', { directory: 'source', source })).rejects.toMatchObject({
        code: 'CONNECTION_NOT_FOUND',
      });
      secrets = { contoso: { ...own('sharepoint', graph.clientSecret), hosts: ['graph.microsoft.com'] } };
      await expect(sync('other', { directory: 'source', source })).rejects.toMatchObject({
        code: 'SECRET_NOT_ALLOWED',
      });
      secrets = { contoso: own('web', graph.clientSecret) };
      await expect(sync('other', { directory: 'source', source })).rejects.toMatchObject({
        code: 'SECRET_NOT_ALLOWED',
      });
      expect(graph.server.asked).toHaveLength(0);
    } finally {
      await graph.stop();
    }
  });
});

test('google_drive: groups in groups, whole domains, aliases and everybody', async () => {
  const drive = await startGoogleDrive();
  try {
    drive.users = [
      { primaryEmail: 'Alice@acme.example', aliases: ['ali@acme.example'] },
      { primaryEmail: 'bob@acme.example' },
      { primaryEmail: 'carol@other.example' },
      { primaryEmail: 'off@acme.example', suspended: true },
    ];
    drive.groups = [
      { email: 'outer@acme.example', members: [{ email: 'inner@acme.example', type: 'GROUP', status: 'ACTIVE' }] },
      { email: 'inner@acme.example', members: [{ email: 'ali@acme.example', type: 'USER', status: 'ACTIVE' }] },
      { email: 'all@acme.example', members: [{ type: 'CUSTOMER', status: 'ACTIVE' }] },
      { email: 'past@acme.example', members: [{ email: 'bob@acme.example', type: 'USER', status: 'SUSPENDED' }] },
    ];
    secrets = { drive: own('google_drive', JSON.stringify(drive.key)) };
    const { counts } = await sync('google', {
      directory: 'source',
      source: {
        provider: 'google_drive',
        connection_params: { endpoint_url: drive.server.origin, subject: 'admin@acme.example' },
        credentials: { service_account_key: '${connection:drive}' },
      },
      match: [{ by: 'name', suffix: '@acme.example' }],
    });
    expect(counts).toMatchObject({ mapped: 2, unmapped: 1, groups: 6 });
    expect(drive.claims.at(-1)).toMatchObject({
      sub: 'admin@acme.example',
      scope: expect.stringContaining('admin.directory.group') as string,
    });
    const getGroups = async (login: string) =>
      (await maps().findPrincipals(login)).filter((value) => value.startsWith('g:')).toSorted();
    expect(await getGroups('alice')).toEqual(
      ['all@acme.example', 'domain:acme.example', 'inner@acme.example', 'outer@acme.example'].map(
        (id) => `g:google:${id}`,
      ),
    );
    expect(await getGroups('bob')).toEqual(['g:google:all@acme.example', 'g:google:domain:acme.example']);
    expect(await getGroups('off')).toEqual([]);
  } finally {
    await drive.stop();
  }
});

test('confluence: groups and their members; display names, which people choose, map nobody', async () => {
  const site = await startConfluence();
  try {
    const people = Array.from({ length: 450 }, (_, at) => ({ accountId: `acc-${at}`, displayName: 'root', email: '' }));
    site.groups = [
      { id: 'g-1', name: 'everybody', members: people },
      { id: 'g-2', name: 'few', members: [{ accountId: 'acc-1', email: 'Alice@acme.example' }] },
    ];
    await createAccounts(mongo).noteLogin(
      { username: 'alice', email: '', full_name: '', groups: [] },
      { via: 'directory', at: new Date(), mail: 'alice@acme.example' },
    );
    const { server, token, username } = site;
    secrets = { confluence: own('confluence', token) };
    const { counts } = await sync('wiki', {
      directory: 'source',
      source: {
        provider: 'confluence',
        connection_params: { site_url: server.origin },
        credentials: { username, token: '${connection:confluence}' },
      },
      match: [{ by: 'name' }, { by: 'mail' }],
    });
    expect(counts).toMatchObject({ mapped: 1, unmapped: 449, groups: 2 });
    expect((await maps().findPrincipals('alice')).toSorted()).toEqual([
      'g:wiki:g-1',
      'g:wiki:g-2',
      'i:wiki:*',
      'i:wiki:acc-1',
    ]);
    expect(await maps().findPrincipals('root')).toEqual([]);
  } finally {
    await site.stop();
  }
});

test('ldap: accounts and groups of the directory that logins use', async () => {
  const { counts } = await sync('directory', { directory: 'ldap', ldap: { ids: 'name' }, match: [{ by: 'name' }] });
  expect(counts.mapped).toBe(3);
  expect((await maps().findPrincipals('carol')).toSorted()).toEqual([
    'g:directory:docloom-admins',
    'g:directory:docloom-users',
    'i:directory:*',
    'i:directory:carol',
  ]);
  expect(await maps().findPrincipals('alice')).toContain('g:directory:docloom-users');
  await expect(
    readLdapAccounts({ ...readConfig(process.env), LDAP_BIND_PASSWORD: undefined }, { ids: 'name' }),
  ).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    message: expect.stringContaining('LDAP_BIND_PASSWORD') as string,
  });
  const wrong = { ...readConfig(process.env), LDAP_BIND_PASSWORD: 'wrong-password' };
  await expect(readLdapAccounts(wrong, { ids: 'name' })).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    message: expect.not.stringContaining('wrong-password') as string,
  });
});
