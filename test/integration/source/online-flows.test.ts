import { type Client, createClient } from '../../../client';
import { createTokens } from '../../../services/login/tokens';
import { startConfluence } from '../../support/doubles/confluence';
import type { DoubleServer } from '../../support/doubles/double-server';
import { startGoogleDrive } from '../../support/doubles/google-drive';
import { startGraph } from '../../support/doubles/graph';
import { confluenceConfig } from '../../support/sources/confluence';
import { googleDriveConfig } from '../../support/sources/google-drive';
import { graphConfig } from '../../support/sources/sharepoint';
import { createSystem, type System, until } from '../../support/system/system';

/** Whole flows from SharePoint, Google Drive and Confluence, on doubles of them, to a search of different people. */
const secret = 'a secret of the test that is long enough';
let system: System;
let address: string;
let root: Client;
const clientOf = (username: string, groups: string[] = []): Client => {
  const tokens = createTokens({ secret, expireMinutes: 60 });
  return createClient({ baseUrl: address, token: tokens.issue({ username, email: '', full_name: '', groups }) });
};

beforeAll(async () => {
  system = createSystem({
    JWT_SECRET_KEY: secret,
    DOCLOOM_ADMIN_GROUPS: 'root',
    DOCLOOM_GROUPS_CACHE_SECONDS: '0',
    DOCLOOM_ALLOWED_HOSTS: '127.0.0.1',
  });
  address = await system.startApi({ JWT_SECRET_KEY: secret });
  root = clientOf('root', ['root']);
  await system.startWorker();
});
afterAll(() => system.stop());

/** A service with the accounts `acc-alice` and `acc-bob`, and the group `team`, in which alice is. */
interface Service {
  config: Record<string, unknown>;
  server: DoubleServer;
  place: string;
  /** Replaces the document; `readers` are accounts, and groups that begin with `g-`. */
  put(name: string, text: string, readers: readonly string[]): void;
  rename(name: string, to: string): void;
  remove(name: string): void;
  stop(): Promise<void>;
}
/** Requests for the content of a document. */
const isReading = /\/content$|alt=media|\/export\?|body-format=storage/;
const isGroup = (reader: string) => reader.startsWith('g-');

const openers: Record<string, () => Promise<Service>> = {
  async sharepoint() {
    const graph = await startGraph();
    const permissionOf = (reader: string) => ({
      roles: ['read'],
      grantedToV2: isGroup(reader) ? { group: { id: reader } } : { user: { id: reader } },
    });
    return {
      ...graph,
      config: graphConfig(graph),
      place: `sharepoint://${new URL(graph.server.origin).host}/${graph.tenantId}`,
      put: (name, text, readers) => void (graph.put(name, text).permissions = readers.map(permissionOf)),
      rename: (name, to) => void (graph.find(name)!.name = to),
    };
  },
  async google_drive() {
    const drive = await startGoogleDrive();
    const permissionOf = (reader: string) => ({
      id: reader,
      type: isGroup(reader) ? 'group' : 'user',
      role: 'reader',
      emailAddress: reader,
    });
    return {
      ...drive,
      config: googleDriveConfig(drive),
      place: `google-drive://${new URL(drive.server.origin).host}`,
      put: (name, text, readers) => void (drive.put(name, text).permissions = readers.map(permissionOf)),
      rename: (name, to) => void (drive.find(name)!.name = to),
    };
  },
  async confluence() {
    const site = await startConfluence();
    site.permissions = ['acc-alice', 'acc-bob'].map((id) => ({
      principal: { type: 'user', id },
      operation: { key: 'read', targetType: 'space' },
    }));
    site.roleMode = 'ROLES';
    site.roles.set('reader-role', ['read/space', 'create/comment']);
    site.assignments = [{ principal: { principalType: 'GROUP', principalId: 'g-team' }, roleId: 'reader-role' }];
    const find = (name: string) => [...site.pages.values()].find(({ title }) => `${title}.html` === name)!;
    return {
      ...site,
      config: confluenceConfig(site),
      place: `confluence://${new URL(site.server.origin).host}`,
      put(name, text, readers) {
        const page = find(name) ?? site.addPage(site.homeId, name.replace('.html', ''));
        page.version += 1;
        page.text = `<p>${text}</p>`;
        page.restriction = { users: readers.filter((item) => !isGroup(item)), groups: readers.filter(isGroup) };
      },
      rename(name, to) {
        const page = find(name);
        page.version += 1;
        page.title = to.replace('.html', '');
      },
      remove: (name) => void site.pages.delete(find(name).id),
    };
  },
};

/** From the source to chunks in an index; only people whom the source lets in may read them. */
function flowOf(provider: string, config: Record<string, unknown>): object {
  const params = config['connection_params'] as object;
  return {
    flow_name: `${provider}-${system.env['DOCLOOM_TASK_QUEUE']}`,
    flow: [
      {
        type: 'ingest_source',
        name: 'ingest',
        config: {
          ...config,
          provider,
          connection_params: { ...params, rights: 'source' },
          access_sync_minutes: 60,
        },
      },
      { type: 'extract_operator', name: 'extract', depends_on: ['ingest'], config: {} },
      {
        type: 'chunker',
        name: 'chunk',
        depends_on: ['extract'],
        config: { chunk_type: 'simple', chunk_size: 64, chunk_overlap: 0 },
      },
      {
        type: 'vectordb',
        name: 'index',
        depends_on: ['chunk'],
        config: {
          provider: 'opensearch',
          index_name: `${system.env['SEARCH_DEFAULT_INDEX']}-${provider.replace('_', '-')}`,
        },
      },
    ],
  };
}

describe.each(Object.keys(openers))('%s', (provider) => {
  let service: Service;
  let flowId: string;
  const map = `map-${provider.replace('_', '-')}`;
  const extension = provider === 'confluence' ? 'html' : 'md';
  const named = (name: string) => `${name}.${extension}`;
  const word = `zebra${provider.replace('_', '')}`;

  beforeAll(async () => {
    service = await openers[provider]!();
    await putMap(['acc-alice']);
  });
  afterAll(() => service.stop());

  async function putMap(team: string[]) {
    await root.identityMaps.put(map, {
      places: [service.place],
      directory: 'given',
      accounts: [{ id: 'acc-alice' }, { id: 'acc-bob' }],
      groups: [{ id: 'g-team', members: team }],
      pairs: [
        { account: 'acc-alice', login: 'alice' },
        { account: 'acc-bob', login: 'bob' },
      ],
    } as never);
    await root.identityMaps.sync(map);
    await until('the map is read', async () => {
      const { sync } = await root.identityMaps.get(map);
      return sync.is_fresh && !sync.is_closed;
    });
  }
  async function found(login: string): Promise<string[]> {
    const { documents } = await clientOf(login).documents.search({ query: word, limit: 100, offset: 0 });
    return [...new Set(documents.map(({ metadata }) => String(metadata['name'])))].toSorted();
  }
  async function run() {
    const { job_run_id } = await root.jobRuns.create({ flow_id: flowId });
    const ended = await root.jobRuns.waitFor(job_run_id);
    expect(ended.status).toMatch(/^COMPLETED/);
    return ended;
  }

  test('from the source to chunks in the index, and to a search in which everybody finds what the source lets them read', async () => {
    service.put(named('for alice'), `${word} one`, ['acc-alice']);
    service.put(named('for bob'), `${word} two`, ['acc-bob']);
    service.put(named('for both'), `${word} three`, ['acc-alice', 'acc-bob']);
    service.put(named('for the team'), `${word} four`, ['g-team']);
    const { flow_id } = await root.flows.create(flowOf(provider, service.config) as never);
    flowId = flow_id;
    await run();
    expect(await found('alice')).toEqual(['for alice', 'for both', 'for the team'].map(named));
    expect(await found('bob')).toEqual(['for bob', 'for both'].map(named));
    expect(await found('eve')).toEqual([]);
    expect(await found('root')).toEqual([]);
  });

  test('a change of a group takes effect without a run, and no document is read for it', async () => {
    const asked = service.server.asked.length;
    await putMap(['acc-bob']);
    expect(await found('alice')).toEqual(['for alice', 'for both'].map(named));
    expect(await found('bob')).toEqual(['for bob', 'for both', 'for the team'].map(named));
    expect(service.server.asked.slice(asked).filter(({ url }) => isReading.test(url.href))).toEqual([]);
  });

  test('a permission that the source takes away is gone after the sync of access lists, without a run', async () => {
    service.put(named('for both'), `${word} three`, ['acc-bob']);
    const started = new Date().toISOString();
    await root.accessSync.start(flowId);
    await until('the access lists are read', async () => {
      const [state] = (await root.accessSync.get(flowId)).items;
      return (state?.synced_at ?? '') >= started;
    });
    expect(await found('alice')).toEqual([named('for alice')]);
    expect(await found('bob')).toContain(named('for both'));
  });

  test('the next run finds new, renamed and deleted documents', async () => {
    service.put(named('new'), `${word} five`, ['acc-alice', 'acc-bob']);
    service.rename(named('for alice'), named('renamed'));
    service.remove(named('for bob'));
    await run();
    expect(await found('alice')).toEqual(['new', 'renamed'].map(named));
    expect(await found('bob')).toEqual(['for both', 'for the team', 'new'].map(named));
  });
});
