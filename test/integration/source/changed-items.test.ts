import { createAddressGuard } from '../../../services/net/address-guard';
import { createKnownItems } from '../../../services/source/items/known-items';
import type { SourceEntry } from '../../../services/source/source';
import { createSources } from '../../../services/source/sources';
import type { DoubleRequest, DoubleServer } from '../../support/doubles/double-server';
import { startGoogleDrive } from '../../support/doubles/google-drive';
import { startGraph } from '../../support/doubles/graph';
import { withParams } from '../../support/sources/fixture';
import { googleDriveConfig } from '../../support/sources/google-drive';
import { graphConfig } from '../../support/sources/sharepoint';
import { useDatabase } from '../../support/system/database';

/** Listings of drives that request only changes, on doubles of the services and with a real database. */
const { signal } = new AbortController();
const guard = createAddressGuard(['127.0.0.1']);
const mongo = useDatabase(['known_drives', 'known_drive_items']);
const knownItems = createKnownItems(mongo);

interface Drive {
  config: Record<string, unknown>;
  server: DoubleServer;
  put(key: string, text: string): unknown;
  remove(key: string): void;
  rename(key: string, name: string): void;
  /** Moves an item into a folder that exists. */
  move(key: string, folder: string): void;
  /** The server no longer knows how far the drive was read. */
  forget(): void;
  /** True for a request that lists items or a folder of them. */
  isListing(request: DoubleRequest): boolean;
  isChanges(request: DoubleRequest): boolean;
  /** An answer that reports an item as deleted. */
  deletion(id: string): object;
  stop(): Promise<void>;
}
const openers: Record<'sharepoint' | 'google_drive', () => Promise<Drive>> = {
  async sharepoint() {
    const graph = await startGraph();
    return {
      ...graph,
      config: graphConfig(graph),
      rename: (key, name) => void (graph.find(key)!.name = name),
      move: (key, folder) => void (graph.find(key)!.parentId = graph.find(folder)!.id),
      forget: () => graph.forgetDeltas(),
      isListing: ({ url: { pathname, searchParams } }) =>
        pathname.endsWith('/children') || (pathname.endsWith('/delta') && !searchParams.has('token')),
      isChanges: ({ url: { pathname } }) => pathname.endsWith('/delta'),
      deletion: (id) => ({
        value: [{ id, deleted: {} }],
        '@odata.deltaLink': `${graph.server.origin}/v1.0/drives/${graph.driveId}/root/delta?token=later`,
      }),
    };
  },
  async google_drive() {
    const drive = await startGoogleDrive();
    return {
      ...drive,
      config: googleDriveConfig(drive),
      rename: (key, name) => void (drive.find(key)!.name = name),
      move: (key, folder) => void (drive.find(key)!.parents = [drive.find(folder)!.id]),
      forget: () => drive.forgetChanges(),
      isListing: ({ url: { pathname } }) => pathname === '/drive/v3/files',
      isChanges: ({ url: { pathname } }) => pathname === '/drive/v3/changes',
      deletion: (fileId) => ({ changes: [{ fileId, removed: true }], newStartPageToken: 'later' }),
    };
  },
};

describe.each(Object.keys(openers) as (keyof typeof openers)[])('%s', (name) => {
  let drive: Drive;
  beforeEach(async () => {
    drive = await openers[name]();
  });
  afterEach(() => drive.stop());

  const plain = createSources({ roots: [], guard });
  const following = () => createSources({ roots: [], guard, knownItems });
  async function list(sources = following(), config = drive.config): Promise<SourceEntry[]> {
    const entries: SourceEntry[] = [];
    for await (const entry of sources.list(name, config, signal)) entries.push(entry);
    return entries;
  }
  const keys = (entries: readonly SourceEntry[]) => entries.map(({ metadata }) => String(metadata['relative_path']));
  const countListings = () => drive.server.asked.filter((request) => drive.isListing(request)).length;

  test('an unchanged drive is not listed again: one request for changes is enough', async () => {
    for (let number = 0; number < 30; number += 1) drive.put(`folder ${number % 10}/${number}.md`, 'text');
    const first = await list();
    expect(first).toEqual(await list(plain));
    expect(first).toHaveLength(30);
    const [listings, asked] = [countListings(), drive.server.asked.length];
    expect(await list()).toEqual(first);
    expect(countListings()).toBe(listings);
    // Signing in, the place of the drive, its top folder, and the changes.
    expect(drive.server.asked.length - asked).toBeLessThanOrEqual(6);
  });

  test('new, changed, renamed, moved and deleted documents are found, and folders with everything in them', async () => {
    for (const key of ['a.md', 'b.md', 'c.md', 'd.md', 'old/in/e.md', 'old/f.md', 'other/g.md', 'gone/h.md'])
      drive.put(key, key);
    const before = new Map((await list()).map((entry) => [entry.relativePath, entry]));
    drive.put('new/i.md', 'new');
    drive.put('a.md', 'changed text');
    drive.rename('b.md', 'B renamed.md');
    drive.move('c.md', 'other');
    drive.remove('d.md');
    drive.rename('old', 'new name');
    drive.move('new name', 'other');
    drive.remove('gone');
    const listings = countListings();
    const after = await list();
    expect(countListings()).toBe(listings);
    expect(after).toEqual(await list(plain));
    expect(keys(after)).toEqual([
      'B renamed.md',
      'a.md',
      'new/i.md',
      'other/c.md',
      'other/g.md',
      'other/new name/f.md',
      'other/new name/in/e.md',
    ]);
    const known = after.filter(({ relativePath }) => before.has(relativePath));
    expect(known).toHaveLength(6);
  });

  test('when the server no longer knows the cursor, the whole drive is read again, including deletions', async () => {
    for (const key of ['a.md', 'b.md', 'in/c.md']) drive.put(key, key);
    await list();
    drive.forget();
    drive.remove('b.md');
    drive.put('in/d.md', 'd');
    const after = await list();
    expect(keys(after)).toEqual(['a.md', 'in/c.md', 'in/d.md']);
    const listings = countListings();
    expect(await list()).toEqual(after);
    expect(countListings()).toBe(listings);
    // The items of the first reading are removed.
    const items = mongo.collection('known_drive_items');
    for (const place of await items.distinct('place'))
      expect(await items.distinct('generation', { place })).toHaveLength(1);
  });

  test('a cursor that the server refuses is not used for ever', async () => {
    for (const key of ['a.md', 'b.md']) drive.put(key, key);
    await list();
    let refused = 0;
    drive.server.override((request) => {
      if (!drive.isChanges(request) || refused > 0) return undefined;
      refused += 1;
      return { status: 400, body: { error: { code: 'invalidRequest' } } };
    });
    expect(keys(await list())).toEqual(['a.md', 'b.md']);
    expect(refused).toBe(1);
  });

  test('a deletion that the server reports but does not confirm removes nothing', async () => {
    drive.put('a.md', 'a');
    drive.put('b.md', 'b');
    const [a] = await list();
    let answers = 0;
    drive.server.override((request) => {
      if (!drive.isChanges(request) || answers > 0) return undefined;
      answers += 1;
      return { body: drive.deletion(a?.relativePath ?? '') };
    });
    expect(keys(await list())).toEqual(['a.md', 'b.md']);
    expect(answers).toBe(1);
  });

  test('changes that never end are an error, and the next listing starts over', async () => {
    drive.put('a.md', 'a');
    await list();
    const loop = `${drive.server.origin}/v1.0/drives/b!drive-1/root/delta?token=loop`;
    drive.server.override((request) =>
      drive.isChanges(request)
        ? { body: { value: [], changes: [], '@odata.nextLink': loop, nextPageToken: 'loop' } }
        : undefined,
    );
    await expect(list()).rejects.toMatchObject({ code: 'INVALID_RESPONSE' });
    drive.server.override(undefined);
    expect(keys(await list())).toEqual(['a.md']);
  });

  test('a first reading that was interrupted continues where it was', async () => {
    for (let number = 10; number < 30; number += 1) drive.put(`${number}.md`, 'text');
    let pages = 0;
    const isPage = (request: DoubleRequest) => drive.isListing(request) || drive.isChanges(request);
    drive.server.override((request) => {
      if (!isPage(request)) return undefined;
      pages += 1;
      return pages > 5 ? { status: 503, headers: { 'retry-after': '3600' } } : undefined;
    });
    await expect(list()).rejects.toMatchObject({ code: expect.any(String) as string });
    const asked = drive.server.asked.length;
    drive.server.override(undefined);
    expect(await list()).toEqual(await list(plain));
    const first = drive.server.asked.slice(asked).find(isPage);
    expect([...(first?.url.searchParams.keys() ?? [])].some((key) => /token/i.test(key))).toBe(true);
  });

  test('listings at the same time are all complete', async () => {
    for (let number = 10; number < 40; number += 1) drive.put(`${number % 3}/${number}.md`, 'text');
    const expected = await list(plain);
    for (const found of await Promise.all([list(), list(), list()])) expect(found).toEqual(expected);
    drive.put('0/new.md', 'new');
    drive.remove('1/10.md');
    const changed = await list(plain);
    for (const found of await Promise.all([list(), list(), list()])) expect(found).toEqual(changed);
  });

  test('neither the secret nor its hash is stored, and a flow with other credentials starts from nothing', async () => {
    drive.put('secret name.md', 'text');
    await list();
    const places = await mongo.collection('known_drives').find().toArray();
    const items = await mongo.collection('known_drive_items').find().toArray();
    const secrets = Object.values(drive.config['credentials'] as Record<string, string>);
    for (const secret of secrets) expect(JSON.stringify([places, items])).not.toContain(secret.slice(0, 60));
    const place = await knownItems.open(['other'], 'secret');
    expect(await place.listChildren(await place.readGeneration(), 'root')).toEqual([]);
  });
});

test('a folder below the top of a drive is followed too; a folder of Google is listed as before', async () => {
  const graph = await startGraph();
  graph.put('in/a.md', 'a');
  graph.put('out/b.md', 'b');
  const sources = createSources({ roots: [], guard, knownItems });
  const config = withParams(graphConfig(graph), { folder: 'in' });
  const keysOf = async () => {
    const found: unknown[] = [];
    for await (const { metadata } of sources.list('sharepoint', config, signal)) found.push(metadata['relative_path']);
    return found;
  };
  expect(await keysOf()).toEqual(['a.md']);
  graph.find('out')!.parentId = graph.find('in')!.id;
  const before = graph.server.asked.length;
  expect(await keysOf()).toEqual(['a.md', 'out/b.md']);
  expect(graph.server.asked.slice(before).some(({ url: { pathname } }) => pathname.endsWith('/children'))).toBe(false);
  await graph.stop();
});
