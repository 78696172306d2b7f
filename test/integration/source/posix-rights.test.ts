import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Client, createClient } from '../../../client';
import { createAccounts } from '../../../services/login/accounts';
import { createTokens } from '../../../services/login/tokens';
import { connectMongo } from '../../../services/storage/mongo';
import { createSystem, type System, until } from '../../support/system/system';

/**
 * What `cat` may read as a user is exactly what a search of that user returns. Only root can give files away and become others;
 * elsewhere than in CI the tests are left out for other users.
 */
const isRoot = process.getuid?.() === 0 || process.env['CI'] !== undefined;
const describeAsRoot = isRoot ? describe : describe.skip;

const secret = 'a secret of the test that is long enough';
const uidOf = { ann: 50_001, ben: 50_002, cyd: 50_003, dan: 50_004, eli: 50_005 } as const;
type Login = keyof typeof uidOf;
const logins = Object.keys(uidOf) as Login[];
const groupsOf: Record<Login, number[]> = {
  ann: [60_001],
  ben: [60_001, 60_002],
  cyd: [60_002],
  dan: [60_003],
  eli: [],
};

let system: System;
let share: string;
let address: string;
let root: Client;
const files: string[] = [];
let flowId: string;

const getClient = (username: string, groups: string[] = []): Client => {
  const tokens = createTokens({ secret, expireMinutes: 30 });
  return createClient({ baseUrl: address, token: tokens.issue({ username, email: '', full_name: '', groups }) });
};
const getMap = (membership: Record<Login, number[]>) => ({
  places: [`file:${share}`],
  acl: 'none' as const,
  groups: [60_001, 60_002, 60_003].map((group) => ({
    id: String(group),
    members: logins.filter((login) => membership[login].includes(group)).map((login) => String(uidOf[login])),
  })),
  pairs: logins.map((login) => ({ account: String(uidOf[login]), login: login as string | null })),
});

/** Each number is used for one folder or file; together they mix all classes of owner, group and others. */
const modesOfFolders = [0o755, 0o750, 0o711, 0o705, 0o710, 0o070, 0o700, 0o557];
const modesOfFiles = [0o644, 0o640, 0o600, 0o604, 0o044, 0o404, 0o040, 0o000, 0o204];

beforeAll(async () => {
  if (!isRoot) return;
  system = createSystem({ JWT_SECRET_KEY: secret, DOCLOOM_ADMIN_GROUPS: 'root', DOCLOOM_GROUPS_CACHE_SECONDS: '0' });
  chmodSync(system.folder, 0o755);
  share = path.join(system.folder, 'share');
  mkdirSync(share);
  chmodSync(share, 0o755);
  let turn = 0;
  const owner = () => uidOf[logins[(turn += 1) % logins.length]!];
  const group = () => 60_001 + (turn % 3);
  for (const [at, folderMode] of modesOfFolders.entries()) {
    const folder = path.join(share, `folder-${at}`, 'inner');
    mkdirSync(folder, { recursive: true });
    for (const [number, mode] of modesOfFiles.entries()) {
      const file = path.join(folder, `f${at}-${number}.md`);
      writeFileSync(file, `zebra ${at} ${number}`);
      chownSync(file, owner(), group());
      chmodSync(file, mode);
      files.push(file);
    }
    chmodSync(folder, 0o755);
    chownSync(path.dirname(folder), owner(), group());
    chmodSync(path.dirname(folder), folderMode);
  }
  address = await system.startApi({ JWT_SECRET_KEY: secret });
  root = getClient('root', ['root']);
  await root.identityMaps.put('share', getMap(groupsOf));
  await recordLogin('ben');
  await system.startWorker();
});
afterAll(() => (isRoot ? system.stop() : undefined));

/** A worker knows the groups of those only who logged in. */
async function recordLogin(username: string): Promise<void> {
  const mongo = connectMongo(system.env['MONGODB_URL'] ?? '');
  const user = { username, email: '', full_name: '', groups: [] };
  await createAccounts(mongo).noteLogin(user, { via: 'provider', at: new Date() });
  await mongo.close();
}

/** What the kernel lets a user read. */
function readable(login: Login, groups: readonly number[]): string[] {
  const own =
    groups.length === 0
      ? ['--clear-groups', '--regid=65534']
      : [`--groups=${groups.join(',')}`, `--regid=${groups[0]}`];
  const script = 'while IFS= read -r f; do cat "$f" >/dev/null 2>&1 && echo "$f"; done; true';
  const output = execFileSync('setpriv', [`--reuid=${uidOf[login]}`, ...own, 'sh', '-c', script], {
    input: `${files.join('\n')}\n`,
    encoding: 'utf8',
  });
  return output
    .split('\n')
    .filter(Boolean)
    .map((file) => path.basename(file))
    .toSorted();
}

/** What a search of a user returns. */
async function found(login: string): Promise<string[]> {
  const names: string[] = [];
  for (;;) {
    const { documents, total } = await getClient(login).documents.search({
      query: 'zebra',
      limit: 100,
      offset: names.length,
    });
    names.push(...documents.map(({ metadata }) => String(metadata['name'])));
    if (names.length >= total) return names.toSorted();
  }
}

const getFlow = (name: string, params: object = {}) => ({
  flow_name: `${name}-${system.env['DOCLOOM_TASK_QUEUE']}`,
  flow: [
    {
      type: 'ingest_source',
      name: 'ingest',
      config: {
        provider: 'filesystem',
        connection_params: { paths: [share], rights: 'posix', ...params },
        access_sync_minutes: 60,
      },
    },
    { type: 'extract_operator', name: 'extract', depends_on: ['ingest'], config: {} },
    {
      type: 'vectordb',
      name: 'index',
      depends_on: ['extract'],
      config: { provider: 'opensearch', index_name: `${system.env['SEARCH_DEFAULT_INDEX']}-${name}` },
    },
  ],
});

async function runAs(client: Client, flow: object) {
  const { flow_id } = await client.flows.create(flow as never);
  const { job_run_id } = await client.jobRuns.create({ flow_id });
  return client.jobRuns.waitFor(job_run_id);
}

/** Reads the access lists of a flow now, and gives what was found when it is done. */
async function syncNow(flowId: string) {
  const asked = new Date().toISOString();
  await root.accessSync.start(flowId);
  const current = async () => (await root.accessSync.get(flowId)).items[0]!;
  await until('the sync is done', async () => (await current()).synced_at >= asked);
  return current();
}

describeAsRoot('rights of files', () => {
  test('everybody finds what they may read, and nobody else anything', async () => {
    const ended = await runAs(root, getFlow('posix'));
    flowId = ended.flow_id;
    expect(ended.status).toMatch(/^COMPLETED/);
    const counts: number[] = [];
    for (const login of logins) {
      const expected = readable(login, groupsOf[login]);
      counts.push(expected.length);
      expect([login, await found(login)]).toEqual([login, expected]);
    }
    // The folders and files are such that everybody may read some and not all.
    expect(counts.every((count) => count > 0 && count < files.length)).toBe(true);
    expect(await found('stranger')).toEqual([]);
    expect(await found('root')).toEqual([]);
  });

  test('a change of groups counts without a run', async () => {
    const changed = { ...groupsOf, eli: [60_003], ben: [60_002] };
    const before = { eli: readable('eli', groupsOf.eli), ben: readable('ben', groupsOf.ben) };
    await root.identityMaps.put('share', getMap(changed));
    const now = { eli: readable('eli', changed.eli), ben: readable('ben', changed.ben) };
    const lost = before.ben.filter((name) => !now.ben.includes(name));
    const gained = now.eli.filter((name) => !before.eli.includes(name) && name.startsWith('f0-'));
    expect([lost.length > 0, gained.length > 0]).toEqual([true, true]);
    const ofBen = await found('ben');
    expect(lost.filter((name) => ofBen.includes(name))).toEqual([]);
    expect(await found('eli')).toEqual(expect.arrayContaining(gained));
    await root.identityMaps.put('share', getMap(groupsOf));
  });

  test('changed modes, owners and groups count after a sync, without a run', async () => {
    const changed = { ...groupsOf, eli: [60_003], ben: [60_002] };
    await root.identityMaps.put('share', getMap(changed));
    for (const [at, file] of files.entries()) if (at % 5 === 0) chmodSync(file, 0o640);
    for (const [at, file] of files.entries()) if (at % 7 === 0) chownSync(file, uidOf.dan, 60_002);
    chmodSync(path.join(share, 'folder-0'), 0o750);
    const runs = (await root.jobRuns.list()).total;
    // The sync that follows the new groups may have seen some of the changes before.
    const { counts, is_fresh } = await syncNow(flowId);
    expect([is_fresh, counts]).toEqual([
      true,
      { listed: files.length, changed: expect.any(Number), left_to_run: 0, unknown: 0 },
    ]);
    for (const login of logins) expect([login, await found(login)]).toEqual([login, readable(login, changed[login])]);
    expect((await syncNow(flowId)).counts).toMatchObject({ changed: 0 });
    expect((await root.jobRuns.list()).total).toBe(runs);
    const recorded = async () => (await root.audit({ action: 'access-sync', limit: 100 })).items;
    await until('the audit log has every change', async () => (await recorded()).length > 10);
    const [first] = await recorded();
    expect(first).toMatchObject({ user: 'root', target: { document_id: expect.any(String) } });
    // The next run finds nothing to do.
    const again = await root.jobRuns.create({ flow_id: flowId });
    expect((await root.jobRuns.waitFor(again.job_run_id)).totals).toMatchObject({ skipped: files.length });
    await root.identityMaps.put('share', getMap(groupsOf));
  });

  test('an access list that a user writes into a folder grants nothing', async () => {
    const planted = path.join(share, 'folder-0', 'inner', '.acl.json');
    writeFileSync(planted, JSON.stringify({ allowed_users: ['*', 'stranger'] }));
    await runAs(root, { ...getFlow('planted'), global_config: { force_ingest: true } });
    expect(await found('stranger')).toEqual([]);
  });

  test('the flow of an ordinary user gets only what the user may read, whatever it requests', async () => {
    const ben = getClient('ben');
    const ended = await runAs(ben, getFlow('own', { rights: undefined, allowed_users: ['stranger'] }));
    const expected = readable('ben', groupsOf.ben);
    expect(ended.totals).toMatchObject({ documents: expected.length, withheld: files.length - expected.length });
    expect(await found('stranger')).toEqual([]);
  });

  test('a folder that no map covers fails a flow that wants its rights', async () => {
    await root.identityMaps.put('share', { ...getMap(groupsOf), places: [] });
    const ended = await runAs(root, getFlow('uncovered'));
    expect([ended.status, ended.message]).toEqual(['FAILED', expect.stringMatching(/^SOURCE_RIGHTS_UNKNOWN: /)]);
    await root.identityMaps.put('share', getMap(groupsOf));
  });
});
