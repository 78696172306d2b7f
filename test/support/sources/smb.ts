import { chmod, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { createAddressGuard } from '../../../services/net/address-guard';
import { createSources } from '../../../services/source/sources';
import { type SambaServer, startSamba } from '../servers/samba';
import { type SourceFixture, withParams } from './fixture';
import { serveFolder } from './folder';

/** A share of a Samba server whose rights are those of Windows alone. */
export const windowsShare = [
  'vfs objects = acl_xattr',
  'acl_xattr:ignore system acls = yes',
  'acl_xattr:default acl style = everyone',
];

/** One server for all tests of a file; each gets a folder of its own. */
export async function openSmbFixtures(): Promise<{ open: () => Promise<SourceFixture>; stop: () => Promise<void> }> {
  const share = await serveFolder();
  await chmod(share.root, 0o777);
  const server = await startSamba({
    users: ['alice'],
    groups: {},
    shares: { docs: { path: share.root, settings: windowsShare } },
  });
  let last = 0;
  return {
    open: async () => {
      last += 1;
      return await openFixture(server, share, `Fixture ${last}`);
    },
    async stop() {
      await server.stop();
      await share.close();
    },
  };
}

async function openFixture(
  { host, domain, password }: SambaServer,
  share: Awaited<ReturnType<typeof serveFolder>>,
  folder: string,
): Promise<SourceFixture> {
  await mkdir(path.join(share.root, folder));
  const credentials = { username: `${domain}\\alice`, password };
  const config = { provider: 'smb', connection_params: { host, share: 'docs', folder }, credentials };
  const within = (key: string) => path.posix.join(folder, key);
  return {
    provider: 'smb',
    sources: createSources({ roots: [], guard: createAddressGuard([host]) }),
    strict: createSources({ roots: [] }),
    config,
    put: (key, text) => share.put(within(key), text),
    remove: (key) => share.remove(within(key)),
    keyOf: ({ relativePath }) => relativePath,
    putAccess: (key, list) => share.putAccess(within(key), list),
    missing: withParams(config, { folder: `${folder}/none` }),
    wrongSignIn: { ...config, credentials: { ...credentials, password: 'wrong-password' } },
    close: async () => undefined,
  };
}
