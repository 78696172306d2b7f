import { createHash, generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, open, readdir, realpath } from 'node:fs/promises';
import path from 'node:path';
import ssh from 'ssh2';
import { createAddressGuard } from '../../../services/net/address-guard';
import { createSources } from '../../../services/source/sources';
import { type SourceFixture, withParams } from './fixture';
import { serveFolder } from './folder';

const { utils } = ssh;

/** An SSH server with one account, whose SFTP reads a folder; `lie` replaces some of its answers. */
export async function sftpFixture(lie: (sftp: ssh.SFTPWrapper) => void = () => {}): Promise<SourceFixture> {
  const folder = await serveFolder();
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    publicKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
  const parsed = utils.parseKey(privateKey);
  if (parsed instanceof Error) throw parsed;
  const key = createHash('sha256').update(parsed.getPublicSSH()).digest('base64').replace(/=+$/, '');
  const clients = new Set<ssh.Connection>();
  const server = new ssh.Server({ hostKeys: [privateKey] }, (client) => {
    clients.add(client);
    client.on('error', () => undefined);
    client.on('close', () => clients.delete(client));
    client.on('authentication', (context) => {
      const isRight =
        context.method === 'password' && context.username === 'alice' && context.password === 'right-password';
      if (isRight) context.accept();
      else context.reject(['password']);
    });
    client.on('session', (accept) => {
      accept().on('sftp', (acceptSftp) => {
        const sftp = acceptSftp();
        serve(sftp);
        lie(sftp);
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const credentials = { username: 'alice', password: 'right-password' };
  const place = { host: '127.0.0.1', port, host_key: `SHA256:${key}`, folder: folder.root };
  const config = { provider: 'sftp', connection_params: place, credentials };
  return {
    provider: 'sftp',
    sources: createSources({ roots: [], guard: createAddressGuard(['127.0.0.1']) }),
    strict: createSources({ roots: [] }),
    config,
    put: folder.put,
    remove: folder.remove,
    keyOf: ({ relativePath }) => relativePath,
    putAccess: folder.putAccess,
    missing: withParams(config, { folder: path.join(folder.root, 'none') }),
    wrongSignIn: { ...config, credentials: { ...credentials, password: 'wrong-password' } },
    async close() {
      for (const client of clients) client.end();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await folder.close();
    },
  };
}

const { STATUS_CODE: status } = utils.sftp;

/** The requests that reading needs, of SFTP version 3. */
function serve(sftp: ssh.SFTPWrapper): void {
  const handles = new Map<number, FileHandle | { folder: string; names: string[] }>();
  let last = 0;
  const keep = (item: FileHandle | { folder: string; names: string[] }) => {
    last += 1;
    handles.set(last, item);
    const handle = Buffer.alloc(4);
    handle.writeUInt32BE(last);
    return handle;
  };
  const answer = (id: number, work: () => Promise<void>) =>
    void work().catch(({ code }: NodeJS.ErrnoException) => {
      const isMissing = code === 'ENOENT' || code === 'ENOTDIR';
      sftp.status(id, isMissing ? status.NO_SUCH_FILE : status.PERMISSION_DENIED);
    });
  const found = (handle: Buffer) => handles.get(handle.readUInt32BE(0));
  // As servers do for clients that leave without closing what they opened.
  sftp.on('close', () => {
    for (const item of handles.values()) if ('close' in item) void item.close();
    handles.clear();
  });
  sftp.on('REALPATH', (id, name) =>
    answer(id, async () =>
      sftp.name(id, [{ filename: await realpath(name || '/'), longname: name, attrs: noAttributes }]),
    ),
  );
  const stat = (id: number, name: string) => answer(id, async () => sftp.attrs(id, getAttributes(await lstat(name))));
  sftp.on('LSTAT', stat);
  sftp.on('STAT', stat);
  sftp.on('OPENDIR', (id, folder) =>
    answer(id, async () => sftp.handle(id, keep({ folder, names: await readdir(folder) }))),
  );
  sftp.on('READDIR', (id, handle) =>
    answer(id, async () => {
      const reading = found(handle);
      if (!reading || !('names' in reading)) return sftp.status(id, status.FAILURE);
      const names = reading.names.splice(0, 3);
      if (names.length === 0) return sftp.status(id, status.EOF);
      const entries = await Promise.all(
        names.map(async (filename) => {
          const attrs = getAttributes(await lstat(path.join(reading.folder, filename)));
          return { filename, longname: filename, attrs };
        }),
      );
      sftp.name(id, entries);
    }),
  );
  sftp.on('OPEN', (id, name) => answer(id, async () => sftp.handle(id, keep(await open(name, constants.O_RDONLY)))));
  sftp.on('READ', (id, handle, offset, length) =>
    answer(id, async () => {
      const file = found(handle);
      if (!file || 'names' in file) return sftp.status(id, status.FAILURE);
      const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, offset);
      if (bytesRead === 0) sftp.status(id, status.EOF);
      else sftp.data(id, buffer.subarray(0, bytesRead));
    }),
  );
  sftp.on('FSTAT', (id, handle) =>
    answer(id, async () => {
      const file = found(handle);
      if (file && 'stat' in file) sftp.attrs(id, getAttributes(await file.stat()));
      else sftp.status(id, status.FAILURE);
    }),
  );
  sftp.on('CLOSE', (id, handle) =>
    answer(id, async () => {
      const file = found(handle);
      handles.delete(handle.readUInt32BE(0));
      if (file && 'close' in file) await file.close();
      sftp.status(id, status.OK);
    }),
  );
}

const noAttributes = { mode: 0, uid: 0, gid: 0, size: 0, atime: 0, mtime: 0 };

function getAttributes({ mode, uid, gid, size, atimeMs, mtimeMs }: Stats) {
  return { mode, uid, gid, size, atime: Math.floor(atimeMs / 1_000), mtime: Math.floor(mtimeMs / 1_000) };
}
