import { v2 as webdav } from 'webdav-server';
import { createAddressGuard } from '../../../services/net/address-guard';
import { createSources } from '../../../services/source/sources';
import { type SourceFixture, withParams } from './fixture';
import { serveFolder } from './folder';

/** A folder on a WebDAV server with one account. */
export async function webdavFixture(): Promise<SourceFixture> {
  const folder = await serveFolder();
  const users = new webdav.SimpleUserManager();
  const rights = new webdav.SimplePathPrivilegeManager();
  rights.setRights(users.addUser('alice', 'right-password', false), '/', ['all']);
  const server = new webdav.WebDAVServer({
    hostname: '127.0.0.1',
    port: 0,
    httpAuthentication: new webdav.HTTPBasicAuthentication(users, 'files'),
    privilegeManager: rights,
    requireAuthentification: true,
  });
  await server.setFileSystemAsync('/docs', new webdav.PhysicalFileSystem(folder.root));
  const { port } = (await server.startAsync(0)).address() as { port: number };
  const origin = `http://127.0.0.1:${port}`;
  const credentials = { username: 'alice', password: 'right-password' };
  const config = { provider: 'webdav', connection_params: { folder_url: `${origin}/docs` }, credentials };
  return {
    provider: 'webdav',
    sources: createSources({ roots: [], guard: createAddressGuard(['127.0.0.1']) }),
    strict: createSources({ roots: [] }),
    config,
    put: folder.put,
    remove: folder.remove,
    keyOf: ({ relativePath }) => relativePath,
    putAccess: folder.putAccess,
    missing: withParams(config, { folder_url: `${origin}/docs/none` }),
    wrongSignIn: { ...config, credentials: { ...credentials, password: 'wrong-password' } },
    async close() {
      await server.stopAsync();
      await folder.close();
    },
  };
}
