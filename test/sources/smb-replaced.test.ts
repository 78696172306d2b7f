import { chmod, writeFile } from 'node:fs/promises';
import net, { type AddressInfo } from 'node:net';
import path from 'node:path';
import { createAddressGuard } from '../../services/net/address-guard';
import type { SourceEntry } from '../../services/source/source';
import { createSources } from '../../services/source/sources';
import { type SambaServer, startSamba } from '../support/servers/samba';
import { serveFolder, type ServedFolder } from '../support/sources/folder';
import { windowsShare } from '../support/sources/smb';

/** What a document becomes after the listing is never read under the rights that the listing found. */
let server: SambaServer;
let folder: ServedFolder;
/** Files before they are put into the share. */
let outside: ServedFolder;
beforeAll(async () => {
  [folder, outside] = await Promise.all([serveFolder(), serveFolder()]);
  await chmod(folder.root, 0o777);
  server = await startSamba({
    users: ['erika'],
    groups: {},
    shares: { docs: { path: folder.root, settings: windowsShare } },
  });
}, 5 * 60_000);
afterAll(async () => {
  await server.stop();
  await folder.close();
  await outside.close();
});

const share = 'docs';
const never = new AbortController().signal;
const admin = '(A;OICI;0x1f01ff;;;DA)(A;OICI;0x1f01ff;;;BA)';
const forEverybody = `D:P${admin}(A;;0x1200a9;;;WD)`;
const forAdmins = `D:P${admin}`;
const ownBytes = 8 * 1024 * 1024;

async function administer(...commands: string[]): Promise<void> {
  expect(await server.smbclient('Administrator', share, commands)).not.toContain('NT_STATUS');
}

async function put(name: string, text: string, permissions: string): Promise<void> {
  await outside.put(name, text);
  await administer(`put ${path.join(outside.root, name)} ${name}`);
  await server.setPermissions(share, name, permissions);
}

/** The sources, with an identity map of the share under the address of the connection. */
function openSources({ host, port }: { host: string; port: number }) {
  const places = [`smb://${host}${port === 445 ? '' : `:${port}`}/${share}`];
  const map = { map_id: 'ad', places, updated_at: '', updated_by: '', state: {} };
  const rights = { list: async () => [map], listMembers: async () => new Map<string, Set<string>>() };
  const sources = createSources({ roots: [], guard: createAddressGuard([host]), rights });
  const config = {
    connection_params: { host, port, share, rights: 'windows' },
    credentials: { username: `${server.domain}\\Administrator`, password: server.password },
  };
  return {
    async find(name: string): Promise<SourceEntry> {
      for await (const entry of sources.list('smb', config, never)) if (entry.name === name) return entry;
      throw new Error(`${name} was not listed.`);
    },
    read: async (entry: SourceEntry) => Buffer.from(await sources.read('smb', entry, config, never)).toString(),
    hash: (entry: SourceEntry) => sources.hash('smb', entry, config, never),
  };
}
const openDirectly = () => openSources({ host: server.host, port: 445 });
const refused = { code: 'SOURCE_UNREADABLE', message: expect.stringContaining('since it was listed') };

beforeEach(async () => {
  await put('open.md', 'open', forEverybody);
  await put('secret.md', 'the canary', forAdmins);
});

test.each<[string, () => Promise<void>]>([
  ['a file with other rights was renamed over it', () => administer('rm open.md', 'rename secret.md open.md')],
  [
    'it was closed and then written',
    async () => {
      await server.setPermissions(share, 'open.md', forAdmins);
      await writeFile(path.join(folder.root, 'open.md'), 'the canary');
    },
  ],
  ['it was opened to others', () => server.setPermissions(share, 'open.md', `${forEverybody}(A;;0x1200a9;;;AN)`)],
  ['one reader was denied', () => server.setPermissions(share, 'open.md', `D:P(D;;0x1;;;AN)${forEverybody.slice(3)}`)],
])('a listed file is not read after %s', async (_what, change) => {
  const sources = openDirectly();
  const entry = await sources.find('open.md');
  await change();
  await expect(sources.read(entry)).rejects.toMatchObject(refused);
  await expect(sources.hash(entry)).rejects.toMatchObject(refused);
  const again = await sources.find('open.md');
  expect(again.version).not.toBe(entry.version);
  await expect(sources.read(again)).resolves.toMatch(/open|the canary/);
});

test('a file that was edited in its place, or saved as a copy with the same rights, is read', async () => {
  const sources = openDirectly();
  const entry = await sources.find('open.md');
  await writeFile(path.join(folder.root, 'open.md'), 'edited');
  await expect(sources.read(entry)).resolves.toBe('edited');
  const edited = await sources.find('open.md');
  expect(edited.version).not.toBe(entry.version);
  await put('copy.md', 'the copy', forEverybody);
  await administer('rm open.md', 'rename copy.md open.md');
  await expect(sources.read(edited)).resolves.toBe('the copy');
});

test('an unchanged file has the same version in every listing', async () => {
  const [one, two] = [await openDirectly().find('open.md'), await openDirectly().find('open.md')];
  expect(one.version).toMatch(/^smb:[0-9a-f]{64}:/);
  expect(two.version).toBe(one.version);
});

test('a file that is closed and written while it is read is refused', async () => {
  await put('open.md', 'o'.repeat(ownBytes), forEverybody);
  let closed = false;
  // Holds the answers after the first megabyte until the file has changed.
  const gate = net.createServer((client) => {
    const upstream = net.connect(445, server.host);
    let received = 0;
    upstream.on('data', (part) => {
      received += part.length;
      client.write(part);
      if (received < ownBytes / 8 || closed) return;
      closed = true;
      upstream.pause();
      server
        .setPermissions(share, 'open.md', forAdmins)
        .then(() => writeFile(path.join(folder.root, 'open.md'), 'the canary'.repeat(ownBytes / 10)))
        .then(
          () => upstream.resume(),
          () => upstream.destroy(),
        );
    });
    client.pipe(upstream);
    upstream.on('error', () => client.destroy()).on('close', () => client.destroy());
    client.on('error', () => upstream.destroy()).on('close', () => upstream.destroy());
  });
  await new Promise<void>((resolve) => gate.listen(0, '127.0.0.1', resolve));
  try {
    const sources = openSources({ host: '127.0.0.1', port: (gate.address() as AddressInfo).port });
    const entry = await sources.find('open.md');
    await expect(sources.read(entry)).rejects.toMatchObject(refused);
    expect(closed).toBe(true);
  } finally {
    gate.close();
  }
});
