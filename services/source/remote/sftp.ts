import { hash } from 'node:crypto';
import type { Socket } from 'node:net';
import path from 'node:path';
import type { Client, ConnectConfig, FileEntryWithStats, SFTPWrapper, Stats } from 'ssh2';
import { AppError } from '../../../model/errors';
import { readSftpSettings, type SftpSourceSettings } from '../../../model/source/sftp-source';
import type { AddressGuard } from '../../net/address-guard';
import { collectBytes } from '../../storage/collect-bytes';
import { sidecarName } from '../access-sidecar';
import { createConnectedSource } from '../connected-source';
import { limitBytes, limitSilence } from '../limit-bytes';
import type { Source } from '../source';
import { openCheckedSocket } from './checked-socket';
import { createFolderLimit, isPlainName, type Tree, type TreeNode, walkTree } from './tree';

interface Session {
  settings: SftpSourceSettings;
  sftp: SFTPWrapper;
  /** The folder of the flow with links resolved by the server. */
  root: string;
  close(): void;
}

const connectMs = 20_000;
/** A server may answer keep-alives but never a request. */
const callMs = 60_000;
const maxListBytes = 16 * 1024 * 1024;
/** Status codes of the protocol (draft-ietf-secsh-filexfer-02). */
const endOfFile = 1;
const noSuchFile = 2;
const permissionDenied = 3;

/**
 * Lists folders of an SSH server. The server's key must match the one in the flow before user name and password are sent. Links
 * are not followed: a document is read only if its real path is below the folder of the flow.
 */
export function createSftpSource({ guard }: { guard: AddressGuard }): Source {
  return createConnectedSource<Session>({
    open: (config, signal) => open(config, guard, signal),
    close: (session) => session.close(),
    list: (session, signal, after) => walkTree(buildTree(session, signal), session.settings, signal, after),
    read(session, file, signal) {
      const { maxFileBytes: maxBytes } = session.settings;
      return readFile(session, getPlace(session, file), { name: file, signal, maxBytes });
    },
  });
}

async function open(config: Record<string, unknown>, guard: AddressGuard, signal: AbortSignal): Promise<Session> {
  const settings = readSftpSettings(config);
  const { host, port, hostKey, username } = settings;
  if (hostKey === undefined || username === undefined)
    throw new AppError('OPERATOR_CONFIGURATION_INVALID', 'sftp needs host_key and username.');
  signal.throwIfAborted();
  const { Client: SshClient } = await import('ssh2');
  const client = new SshClient();
  const close = () => {
    // The signal lives as long as the run; without this, it would hold every connection of it.
    signal.removeEventListener('abort', close);
    client.destroy();
  };
  signal.addEventListener('abort', close, { once: true });
  try {
    const sock = await openCheckedSocket(guard, host, port, signal);
    const sftp = await connectClient(client, sock, settings);
    const root = await call<string>((done) => sftp.realpath(settings.folder, done)).catch((error: unknown) => {
      throw findCode(error) === noSuchFile
        ? new AppError('SOURCE_NOT_FOUND', `The folder '${settings.folder}' of ${host} does not exist.`, {}, error)
        : createListError(`The folder '${settings.folder}' of ${host}`, error);
    });
    return { settings, sftp, root, close };
  } catch (error) {
    close();
    signal.throwIfAborted();
    throw error;
  }
}

async function connectClient(client: Client, sock: Socket, settings: SftpSourceSettings): Promise<SFTPWrapper> {
  const { host, port, hostKey = '', username = '', password, privateKey } = settings;
  const place = `${host}:${port}`;
  const expectedKey = hostKey.replace(/=+$/, '');
  let presentedKey: string | undefined;
  const config: ConnectConfig = {
    sock,
    username,
    readyTimeout: connectMs,
    keepaliveInterval: 15_000,
    hostVerifier: (key: Buffer) => {
      presentedKey = `SHA256:${hash('sha256', key, 'base64').replace(/=+$/, '')}`;
      return presentedKey === expectedKey;
    },
    ...(password === undefined ? {} : { password }),
    ...(privateKey === undefined ? {} : { privateKey }),
  };
  await new Promise<void>((resolve, reject) => {
    client.once('ready', resolve);
    // The client reports no error if this side closes the connection.
    client.once('close', () => reject(new AppError('CONNECTION_ERROR', `${place}: the connection was closed.`)));
    // Later errors end the pending calls.
    client.on('error', (error: Error & { level?: string }) => {
      const otherKey = `${place} has the key ${presentedKey}, not that of host_key.`;
      if (presentedKey !== undefined && presentedKey !== expectedKey)
        reject(new AppError('CONNECTION_ERROR', otherKey, { isFinal: true }));
      else if (error.level === 'client-authentication')
        reject(new AppError('SOURCE_SIGN_IN_FAILED', `${place} does not accept these credentials.`));
      else reject(new AppError('CONNECTION_ERROR', `${place}: the connection failed: ${error.message}.`, {}, error));
    });
    try {
      client.connect(config);
    } catch (error) {
      // Its message may quote the key.
      reject(new AppError('SOURCE_SIGN_IN_FAILED', `${place}: private_key cannot be used.`, {}, error));
    }
  });
  return await call<SFTPWrapper>((done) => client.sftp(done)).catch((error: unknown) => {
    throw new AppError('SOURCE_NOT_ALLOWED', `${place} offers no SFTP to this account.`, {}, error);
  });
}

function buildTree(session: Session, signal: AbortSignal): Tree {
  const { sftp, settings, root } = session;
  return {
    source: `sftp:${settings.host}:${settings.port}${root}`,
    root,
    buildPath: (file) => buildPath(settings, file),
    async list(folder) {
      try {
        return await readFolder(sftp, folder, signal);
      } catch (error) {
        if (findCode(error) === noSuchFile) return undefined;
        throw createListError(`The folder '${folder}' of ${settings.host}`, error);
      }
    },
    async readSidecar(folder) {
      const file = path.posix.join(folder, sidecarName);
      const isWithin = folder === root || folder.startsWith(root === '/' ? '/' : `${root}/`);
      try {
        const stats = await call<Stats>((done) => sftp.lstat(file, done));
        // A link could point to a list that someone else controls.
        if (!stats.isFile()) throw new AppError('ACCESS_LIST_INVALID', 'it is not a regular file');
        const limits = { name: file, signal, maxBytes: maxListBytes, mayBeLinked: !isWithin };
        return (await collectBytes(readFile(session, file, limits))).toString('utf8');
      } catch (error) {
        const code = findCode(error);
        if (code === noSuchFile || (code === permissionDenied && !isWithin)) return undefined;
        throw error;
      }
    },
  };
}

/** Reads in pieces, because a server could send names endlessly. */
async function readFolder(sftp: SFTPWrapper, folder: string, signal: AbortSignal): Promise<TreeNode[]> {
  const handle = await call<Buffer>((done) => sftp.opendir(folder, done));
  const nodes: TreeNode[] = [];
  const checkPortion = createFolderLimit(folder);
  try {
    for (;;) {
      signal.throwIfAborted();
      const stats = await call<FileEntryWithStats[]>((done) => sftp.readdir(handle, done)).catch((error: unknown) => {
        if (findCode(error) === endOfFile) return undefined;
        throw error;
      });
      if (!stats) return nodes;
      const portion = stats.filter(({ filename }) => filename !== '.' && filename !== '..').map(buildNode);
      checkPortion(portion);
      nodes.push(...portion);
    }
  } finally {
    // The answer is irrelevant, and after a connection error there is none.
    sftp.close(handle, () => undefined);
  }
}

function buildNode({ filename, attrs }: FileEntryWithStats): TreeNode {
  return {
    name: filename,
    kind: findKind(attrs),
    size: attrs.size,
    // Servers may leave attributes out.
    ...(attrs.mtime === undefined ? {} : { modifiedTime: new Date(attrs.mtime * 1_000).toISOString() }),
  };
}

function findKind(attrs: Stats): TreeNode['kind'] {
  if (attrs.isDirectory()) return 'folder';
  if (attrs.isFile()) return 'file';
  return attrs.isSymbolicLink() ? 'link' : 'other';
}

interface Reading {
  /** The name for error messages. */
  name: string;
  signal: AbortSignal;
  maxBytes?: number | undefined;
  /** Accepts a path with links: access lists above the folder of the flow apply however they are reached. */
  mayBeLinked?: boolean;
}

/** The server resolves its own links, so a path that changes when resolved contains a link. */
async function* readFile(
  { sftp, settings, root }: Session,
  file: string,
  { name, signal, maxBytes, mayBeLinked = false }: Reading,
): AsyncGenerator<Uint8Array> {
  try {
    const real = await call<string>((done) => sftp.realpath(file, done));
    if (!mayBeLinked && real !== file)
      throw new AppError('SOURCE_UNREADABLE', `'${name}' leads through a link, which is not followed.`);
    const stats = await call<Stats>((done) => sftp.lstat(file, done));
    if (!stats.isFile()) throw new AppError('SOURCE_UNREADABLE', `'${name}' is not a regular file below ${root}.`);
    const stream = sftp.createReadStream(file);
    // The last answer may be lost when the connection ends; everything read before is complete or has already failed.
    stream.on('error', () => undefined);
    const stop = () => void stream.destroy(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true });
    try {
      yield* limitBytes(limitSilence(stream, { name, silenceMs: callMs }), { name, announced: stats.size, maxBytes });
    } finally {
      signal.removeEventListener('abort', stop);
      stream.destroy();
    }
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof AppError) throw error;
    if (findCode(error) === noSuchFile) throw new AppError('SOURCE_GONE', `'${name}' no longer exists.`, {}, error);
    if (findCode(error) === undefined)
      throw new AppError('CONNECTION_ERROR', `${settings.host}: the connection failed.`, {}, error);
    throw new AppError('SOURCE_UNREADABLE', `'${name}' cannot be read: ${(error as Error).message}.`, {}, error);
  }
}

function buildPath({ host, port }: SftpSourceSettings, file: string): string {
  return `sftp://${host}${port === 22 ? '' : `:${port}`}${file}`;
}

/** The server path of a listed document. Throws SOURCE_UNREADABLE for a path outside the folder of the flow. */
function getPlace({ settings, root }: Session, file: string): string {
  const start = buildPath(settings, root === '/' ? '/' : `${root}/`);
  const names = file.slice(start.length).split('/');
  if (!file.startsWith(start) || !names.every(isPlainName))
    throw new AppError('SOURCE_UNREADABLE', `'${file}' is not a document below ${start}.`);
  return path.posix.join(root, ...names);
}

function createListError(place: string, error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (findCode(error) === permissionDenied)
    return new AppError('SOURCE_NOT_ALLOWED', `${place} may not be listed.`, {}, error);
  const { message } = error as Error;
  return findCode(error) === undefined
    ? new AppError('CONNECTION_ERROR', `${place}: the connection failed: ${message}.`, {}, error)
    : new AppError('SOURCE_UNREADABLE', `${place} cannot be listed: ${message}.`, {}, error);
}

/** The status code of the protocol; undefined for connection errors. */
function findCode(error: unknown): number | undefined {
  const { code } = error as { code?: unknown };
  return typeof code === 'number' ? code : undefined;
}

function call<T>(work: (done: (error: Error | undefined | null, value: T) => void) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = new Error(`there was no answer within ${callMs / 1_000} s`);
    const timer = setTimeout(() => reject(late), callMs);
    work((error, value) => {
      clearTimeout(timer);
      if (error) reject(error);
      else resolve(value);
    });
  });
}
