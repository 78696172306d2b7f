import { createAddressGuard } from '../../../services/net/address-guard';
import type { SourceEntry } from '../../../services/source/source';
import { createSources } from '../../../services/source/sources';
import { type ConfluenceDouble, startConfluence } from '../../support/doubles/confluence';
import { type GoogleDriveDouble, startGoogleDrive } from '../../support/doubles/google-drive';
import { type GraphDouble, startGraph } from '../../support/doubles/graph';
import { confluenceConfig } from '../../support/sources/confluence';
import { withParams } from '../../support/sources/fixture';
import { googleDriveConfig } from '../../support/sources/google-drive';
import { graphConfig } from '../../support/sources/sharepoint';

/** The rights of SharePoint, Google Drive and Confluence, tested on doubles of their servers. Long because each has its own rules. */
const { signal } = new AbortController();
let places: string[] = [];
const rights = {
  list: async () => [{ map_id: 'corp', places, updated_at: '', updated_by: '', state: {} }],
  listMembers: async () => new Map<string, Set<string>>(),
};
const sources = createSources({ roots: [], guard: createAddressGuard(['127.0.0.1']), rights });

async function list(config: Record<string, unknown>): Promise<Map<string, SourceEntry>> {
  const found = new Map<string, SourceEntry>();
  for await (const entry of sources.list(String(config['provider']), config, signal))
    found.set(String(entry.metadata['relative_path']), entry);
  return found;
}
const getAccess = (entry: SourceEntry | undefined) => ({
  users: entry?.allowedUsers,
  allowed: entry?.allowedPrincipals,
  ...(entry?.requiredLists
    ? { required: entry.requiredLists.map((requiredList) => JSON.parse(requiredList) as string[]) }
    : {}),
  ...(entry?.failure ? { failure: entry.failure.code } : {}),
});
const getHost = ({ server }: { server: { origin: string } }) => new URL(server.origin).host;

describe('sharepoint', () => {
  let graph: GraphDouble;
  beforeEach(async () => {
    graph = await startGraph();
    places = [`sharepoint://${getHost(graph)}/${graph.tenantId}`];
  });
  afterEach(() => graph.stop());
  const permit = (key: string, ...permissions: object[]) => void (graph.find(key)!.permissions = permissions);
  const user = (id: string) => ({ grantedToV2: { user: { id } }, roles: ['read'] });

  test('people, groups and the principals of site users may read; open links, other roles and expired permissions grant nothing', async () => {
    for (const name of ['people.md', 'groups.md', 'links.md', 'nobody.md', 'odd.md']) graph.put(name, name);
    const group = '99999999-0000-0000-0000-000000000001';
    permit('people.md', user('u1'), { ...user('u2'), roles: ['owner'], inheritedFrom: { path: '/' } });
    permit(
      'groups.md',
      { grantedToV2: { group: { id: 'g1' } }, roles: ['write'] },
      { grantedToV2: { siteUser: { id: '7', loginName: `c:0t.c|tenant|${group}` } }, roles: ['read'] },
      { grantedToV2: { siteUser: { loginName: 'c:0-.f|rolemanager|spo-grid-all-users/x' } }, roles: ['read'] },
      { grantedToV2: { siteGroup: { id: '5', displayName: 'Legal Members' } }, roles: ['read'] },
    );
    permit(
      'links.md',
      { link: { scope: 'anonymous' }, roles: ['read'], grantedToIdentitiesV2: [{ user: { id: 'u9' } }] },
      { link: { scope: 'organization' }, roles: ['write'] },
      {
        link: { scope: 'users' },
        roles: ['read'],
        grantedToIdentitiesV2: [{ user: { id: 'u3' } }, { group: { id: 'g3' } }],
      },
    );
    permit(
      'odd.md',
      { ...user('u4'), roles: ['restrictedView'] },
      { ...user('u5'), expirationDateTime: '2020-01-01T00:00:00Z' },
      { ...user('u6'), expirationDateTime: 'some day' },
      { ...user('u7'), expirationDateTime: '2999-01-01T00:00:00Z' },
      { grantedToV2: { siteUser: { loginName: `c:0o.c|tenant|${group}_o` } }, roles: ['read'] },
      { grantedToV2: { application: { id: 'app' } }, roles: ['read'] },
    );
    const [found, { siteId }] = [await list(graphConfig(graph)), graph.sharepoint];
    expect(getAccess(found.get('people.md'))).toEqual({ users: [], allowed: ['i:corp:u1', 'i:corp:u2'] });
    expect(getAccess(found.get('groups.md'))).toEqual({
      users: [],
      allowed: [group, 'everyone-except-guests', 'g1', `site-group:${siteId}:5`].map((item) => `g:corp:${item}`),
    });
    expect(getAccess(found.get('links.md'))).toEqual({ users: [], allowed: ['g:corp:g3', 'i:corp:u3'] });
    expect(getAccess(found.get('nobody.md'))).toEqual({ users: [], allowed: [] });
    expect(getAccess(found.get('odd.md'))).toEqual({ users: [], allowed: ['i:corp:u7'] });
    expect([...found.values()].every(({ hasSourceRights }) => hasSourceRights)).toBe(true);
  });

  test('an id that would mean everybody means nobody', async () => {
    graph.put('a.md', 'a');
    permit('a.md', user('*'), user(' '), user('x:*'), { grantedToV2: { group: { id: '*' } }, roles: ['read'] });
    expect(getAccess((await list(graphConfig(graph))).get('a.md'))).toEqual({ users: [], allowed: [] });
  });

  test('the map covers the tenant however the flow names it; without a map, rights that a flow needs are missing', async () => {
    graph.put('a.md', 'a');
    permit('a.md', user('u1'));
    for (const tenant_id of [graph.tenant, graph.tenantId, graph.tenantId.toUpperCase().toLowerCase()])
      expect(getAccess((await list(withParams(graphConfig(graph), { tenant_id }))).get('a.md')).allowed).toEqual([
        'i:corp:u1',
      ]);
    places = [`sharepoint://${getHost(graph)}/${graph.tenantId}x`];
    expect(getAccess((await list(graphConfig(graph))).get('a.md'))).toEqual({ users: undefined, allowed: undefined });
    await expect(list(withParams(graphConfig(graph), { rights: 'source' }))).rejects.toMatchObject({
      code: 'SOURCE_RIGHTS_UNKNOWN',
      message: expect.stringContaining(`${graph.tenantId}/${graph.driveId}`) as string,
    });
  });

  test('permissions are read in batches, over pages and after a wait; another server gets no token', async () => {
    for (let number = 0; number < 45; number += 1) {
      graph.put(`${number}.md`, 'x');
      permit(`${number}.md`, ...[1, 2, 3].map((value) => user(`u${number}-${value}`)));
    }
    graph.pageSize = 50;
    graph.throttledFor = 0;
    const found = await list(graphConfig(graph));
    expect(graph.server.asked.filter(({ url }) => url.pathname.endsWith('/$batch')).length).toBe(4);
    for (const [name, entry] of found)
      expect(entry.allowedPrincipals).toEqual([1, 2, 3].map((value) => `i:corp:u${name.replace('.md', '')}-${value}`));
    graph.pageSize = 2;
    expect((await list(graphConfig(graph))).get('44.md')?.allowedPrincipals).toHaveLength(3);
    graph.throttledFor = 3_600;
    await expect(list(graphConfig(graph))).rejects.toMatchObject({
      code: 'CONNECTION_ERROR',
      details: { retryAfterMs: 3_600_000 },
    });
    const before = graph.downloads.asked.length;
    graph.server.override(({ url, body }) => {
      if (!url.pathname.endsWith('/$batch')) return undefined;
      const { requests } = JSON.parse(body) as { requests: { id: string }[] };
      const link = `${graph.downloads.origin}/steal`;
      return {
        body: {
          responses: requests.map(({ id }) => ({ id, status: 200, body: { value: [], '@odata.nextLink': link } })),
        },
      };
    });
    await expect(list(graphConfig(graph))).rejects.toMatchObject({ code: 'INVALID_RESPONSE' });
    expect(graph.downloads.asked).toHaveLength(before);
  });

  test('unreadable permissions let nobody in; a file deleted meanwhile is omitted', async () => {
    graph.put('a.md', 'a');
    graph.put('b.md', 'b');
    graph.put('c.md', 'c');
    permit('c.md', user('u1'));
    const [a, b] = [graph.find('a.md')!.id, graph.find('b.md')!.id];
    graph.server.override(({ url, body }) => {
      if (!url.pathname.endsWith('/$batch')) return undefined;
      const { requests } = JSON.parse(body) as { requests: { id: string; url: string }[] };
      const status = (at: string) => (at.includes(`/${a}/`) ? 403 : at.includes(`/${b}/`) ? 404 : 200);
      return {
        body: {
          responses: requests.map(({ id, url: at }) => ({ id, status: status(at), body: { value: [user('u1')] } })),
        },
      };
    });
    const found = await list(graphConfig(graph));
    expect(getAccess(found.get('a.md'))).toEqual({ users: [], allowed: undefined, failure: 'ACCESS_LIST_INVALID' });
    expect([...found.keys()]).toEqual(['a.md', 'c.md']);
  });

  test('a renamed and moved file is the same document', async () => {
    graph.put('in/a.md', 'a');
    const before = (await list(graphConfig(graph))).get('in/a.md')!;
    const item = graph.find('in/a.md')!;
    Object.assign(item, { name: 'b.md', parentId: graph.rootId });
    const after = (await list(graphConfig(graph))).get('b.md')!;
    expect([after.source, after.relativePath, after.version]).toEqual([
      before.source,
      before.relativePath,
      before.version,
    ]);
    // The old path names the same document.
    expect(String(await sources.read('sharepoint', before.path, graphConfig(graph), signal))).toBe('a');
  });

  test('a refresh token can sign in; tokens are reused, and renewed when the server refuses them', async () => {
    graph.put('a.md', 'a');
    const config = {
      ...graphConfig(graph),
      credentials: { client_secret: graph.clientSecret, refresh_token: graph.refreshToken },
    };
    await list(config);
    expect(graph.tokens()).toBe(1);
    graph.revoke();
    await list(config);
    expect(graph.tokens()).toBe(2);
    const wrong = {
      ...config,
      credentials: { client_secret: graph.clientSecret, refresh_token: 'wrong-secret-token' },
    };
    await expect(list(wrong)).rejects.toMatchObject({
      code: 'SOURCE_SIGN_IN_FAILED',
      message: expect.not.stringContaining('wrong-secret') as string,
    });
  });
});

describe('google_drive', () => {
  let drive: GoogleDriveDouble;
  beforeEach(async () => {
    drive = await startGoogleDrive();
    places = [`google-drive://${getHost(drive)}`];
  });
  afterEach(() => drive.stop());

  test('people, groups, domains and everybody who can find a file may read it; links grant nothing', async () => {
    const permit = (key: string, ...permissions: object[]) => void (drive.put(key, key).permissions = permissions);
    permit(
      'a.md',
      { type: 'user', emailAddress: 'Alice@Acme.example', role: 'owner' },
      { type: 'group', emailAddress: 'legal@acme.example', role: 'reader' },
      { type: 'user', emailAddress: 'gone@acme.example', role: 'reader', deleted: true },
      { type: 'user', emailAddress: 'past@acme.example', role: 'reader', expirationTime: '2020-01-01T00:00:00Z' },
      { type: 'user', emailAddress: 'meta@acme.example', role: 'reader', view: 'metadata' },
      { type: 'user', emailAddress: 'odd@acme.example', role: 'somethingNew' },
    );
    permit('domain.md', { type: 'domain', domain: 'Acme.example', role: 'reader', allowFileDiscovery: true });
    permit('domain-link.md', { type: 'domain', domain: 'acme.example', role: 'reader', allowFileDiscovery: false });
    permit('all.md', { type: 'anyone', role: 'reader', allowFileDiscovery: true });
    permit('link.md', { type: 'anyone', role: 'reader' });
    const found = await list(googleDriveConfig(drive));
    const allowed = Object.fromEntries([...found].map(([key, entry]) => [key, entry.allowedPrincipals]));
    expect(allowed).toEqual({
      'a.md': ['g:corp:legal@acme.example', 'i:corp:alice@acme.example'],
      'domain.md': ['g:corp:domain:acme.example'],
      'domain-link.md': [],
      'all.md': ['i:corp:*'],
      'link.md': [],
    });
  });

  test('permissions of a shared drive are requested file by file; a refusal grants access to nobody', async () => {
    const add = (name: string) => drive.add(drive.sharedId, name, { driveId: drive.sharedId, text: name });
    const [a, b] = [add('a.md'), add('b.md')];
    a.permissions = ['one', 'two', 'three'].map((value) => ({
      type: 'user',
      emailAddress: `${value}@acme.example`,
      role: 'reader',
    }));
    drive.server.override(({ url }) =>
      url.pathname.endsWith(`/${b.id}/permissions`)
        ? { status: 403, body: { error: { errors: [{ reason: 'insufficientFilePermissions' }] } } }
        : undefined,
    );
    const config = withParams(googleDriveConfig(drive), { drive_id: drive.sharedId });
    const found = await list(config);
    expect(found.get('a.md')?.allowedPrincipals).toHaveLength(3);
    expect(getAccess(found.get('b.md'))).toEqual({ users: [], allowed: undefined, failure: 'ACCESS_LIST_INVALID' });
    // A file of another drive is not read.
    const other = drive.put('mine.md', 'mine');
    await expect(
      sources.read('google_drive', `google-drive://${getHost(drive)}/${other.id}/mine.md`, config, signal),
    ).rejects.toMatchObject({ code: 'SOURCE_UNREADABLE' });
  });

  test('documents of Google are exported, shortcuts and forms are skipped, and a moved file is the same document', async () => {
    const type = 'application/vnd.google-apps.';
    drive.add(drive.rootId, 'Plan', { mimeType: `${type}document`, text: 'plan' });
    drive.add(drive.rootId, 'Way', { mimeType: `${type}shortcut` });
    drive.add(drive.rootId, 'Form', { mimeType: `${type}form` });
    drive.put('in/a.md', 'a');
    const found = await list(googleDriveConfig(drive));
    const plan = found.get('Plan.docx')!;
    expect(String(await sources.read('google_drive', plan.path, googleDriveConfig(drive), signal))).toMatch(
      /^plan as application\/vnd.openxmlformats-officedocument.wordprocessingml.document$/,
    );
    expect([found.get('Way')?.skip, found.get('Form')?.skip]).toEqual([
      'Shortcuts are not followed',
      'Google has no export for this kind of file',
    ]);
    Object.assign(drive.find('in/a.md')!, { name: 'b.md', parents: [drive.rootId] });
    const after = (await list(googleDriveConfig(drive))).get('b.md');
    expect(after?.relativePath).toBe(found.get('in/a.md')?.relativePath);
  });

  test('a service account signs in for its user; folders in several places or cycles are listed once', async () => {
    drive.put('one/a.md', 'a');
    drive.put('two/b.md', 'b');
    const [one, two] = [drive.find('one')!, drive.find('two')!];
    one.parents.push(two.id);
    two.parents.push(one.id);
    const found: string[] = [];
    const config = withParams(googleDriveConfig(drive), { subject: 'alice@acme.example' });
    for await (const { name } of sources.list('google_drive', config, signal)) found.push(name);
    expect(found.toSorted()).toEqual(['a.md', 'b.md']);
    expect(drive.claims.at(-1)).toMatchObject({
      sub: 'alice@acme.example',
      scope: expect.stringContaining('drive.readonly') as string,
    });
  });

  test('a listing that Google reports as incomplete does not count as complete', async () => {
    drive.put('in/a.md', 'a');
    const inner = drive.find('in')!.id;
    drive.server.override(({ url }) =>
      url.searchParams.get('q')?.includes(inner) ? { body: { files: [], incompleteSearch: true } } : undefined,
    );
    expect([...(await list(googleDriveConfig(drive))).values()]).toMatchObject([
      { incomplete: true, allowedUsers: [] },
    ]);
  });
});

describe('confluence', () => {
  let site: ConfluenceDouble;
  beforeEach(async () => {
    site = await startConfluence();
    places = [`confluence://${getHost(site)}`];
    site.permissions = [
      { principal: { type: 'group', id: 'all-staff' }, operation: { key: 'read', targetType: 'space' } },
      { principal: { type: 'user', id: 'acc-1' }, operation: { key: 'read', targetType: 'space' } },
      { principal: { type: 'group', id: 'admins' }, operation: { key: 'administer', targetType: 'space' } },
      { principal: { type: 'group', id: 'writers' }, operation: { key: 'create', targetType: 'page' } },
      { principal: { type: 'role', id: 'role-1' }, operation: { key: 'read', targetType: 'space' } },
    ];
  });
  afterEach(() => site.stop());
  const space = ['g:corp:all-staff', 'i:corp:acc-1'];

  test('readers need the space and pass every restriction from the page up, also of folders', async () => {
    const closed = site.addPage(site.homeId, 'Closed');
    closed.restriction = { users: ['acc-2'], groups: ['legal'] };
    const below = site.addPage(closed.id, 'Below');
    below.attachments.set('file.txt', { id: 'att1', text: 'x', version: 1 });
    const own = site.addPage(closed.id, 'Own');
    own.restriction = { users: ['acc-3'], groups: [] };
    const folder = site.addFolder(site.homeId, 'Folder');
    folder.restriction = { users: [], groups: ['board'] };
    site.addPage(folder.id, 'Minutes', '<p>m</p>', 'folder');
    const found = await list(confluenceConfig(site));
    const legal = ['g:corp:legal', 'i:corp:acc-2'];
    expect(Object.fromEntries([...found].map(([key, entry]) => [key, getAccess(entry)]))).toEqual({
      'Home.html': { users: [], allowed: space },
      'Home/Closed.html': { users: [], allowed: legal, required: [space] },
      'Home/Closed/Below.html': { users: [], allowed: space, required: [legal] },
      'Home/Closed/Below/file.txt': { users: [], allowed: space, required: [legal] },
      'Home/Closed/Own.html': { users: [], allowed: ['i:corp:acc-3'], required: [space, legal] },
      'Minutes.html': { users: [], allowed: space, required: [['g:corp:board']] },
    });
  });

  test('a restriction of hundreds of people counts completely, and an unreadable one lets nobody in', async () => {
    const page = site.addPage(site.homeId, 'Many');
    page.restriction = { users: Array.from({ length: 250 }, (_, at) => `acc-${at}`), groups: [] };
    expect((await list(confluenceConfig(site))).get('Home/Many.html')?.allowedPrincipals).toHaveLength(250);
    site.addPage('999', 'Hidden parent', '', 'page');
    site.addPage(site.homeId, 'Child of a database', '', 'database');
    site.server.override(({ url }) =>
      url.pathname.includes(`/${page.id}/restriction/`) ? { status: 403 } : undefined,
    );
    const found = await list(confluenceConfig(site));
    for (const key of ['Home/Many.html', 'Hidden parent.html'])
      expect(getAccess(found.get(key))).toEqual({ users: [], allowed: undefined, failure: 'ACCESS_LIST_INVALID' });
  });

  test('a restriction to an unknown account does not open the page', async () => {
    site.addPage(site.homeId, 'Odd').restriction = { users: ['*'], groups: ['*', ''] };
    const odd = (await list(confluenceConfig(site))).get('Home/Odd.html');
    expect(getAccess(odd)).toEqual({ users: [], allowed: ['g:corp:', 'i:corp:'], required: [space] });
  });

  test('pages in a cycle are listed, and nobody may read them', async () => {
    const page = site.addPage(site.homeId, 'One');
    const two = site.addPage(page.id, 'Two');
    page.parentId = two.id;
    const found = await list(confluenceConfig(site));
    expect([...found.values()].map(({ name }) => name).toSorted()).toEqual(['Home.html', 'One.html', 'Two.html']);
    for (const name of ['One.html', 'Two.html'])
      expect([...found.values()].find((entry) => entry.name === name)?.failure?.code).toBe('ACCESS_LIST_INVALID');
  });

  test('a page is read without running its macros; one of another space is not read', async () => {
    const page = site.addPage(
      site.homeId,
      'A & B',
      '<p>text</p><ac:structured-macro ac:name="include"><ac:parameter ac:name=""><ri:page ri:content-title="Secret"/></ac:parameter></ac:structured-macro>',
    );
    const config = confluenceConfig(site);
    const entry = (await list(config)).get('Home/A & B.html')!;
    const html = String(await sources.read('confluence', entry.path, config, signal));
    expect(html).toContain('<h1>A &amp; B</h1>\n<p>text</p>');
    expect(html).not.toContain('Secret');
    page.spaceId = '8';
    await expect(sources.read('confluence', entry.path, config, signal)).rejects.toMatchObject({
      code: 'SOURCE_UNREADABLE',
    });
  });

  test('a renamed and moved page is the same document, with another version', async () => {
    const page = site.addPage(site.homeId, 'Old');
    const before = (await list(confluenceConfig(site))).get('Home/Old.html')!;
    Object.assign(page, { title: 'New', parentId: site.addPage(site.homeId, 'In').id, version: 2 });
    const after = (await list(confluenceConfig(site))).get('Home/In/New.html')!;
    expect([after.relativePath, before.version, after.version]).toEqual([before.relativePath, '1', '2']);
  });
});
