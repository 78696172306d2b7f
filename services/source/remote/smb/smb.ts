import path from 'node:path';
import { AppError } from '../../../../model/errors';
import { defaultSmbPort, readSmbSettings, type SmbSourceSettings } from '../../../../model/source/smb-source';
import type { AddressGuard } from '../../../net/address-guard';
import { sidecarName } from '../../access-sidecar';
import { createConnectedSource } from '../../connected-source';
import { createUncoveredError } from '../../items/cover';
import { limitBytes } from '../../limit-bytes';
import type { SourceRights } from '../../posix/rights';
import type { Source } from '../../source';
import { openCheckedSocket } from '../checked-socket';
import { createFolderLimit, isPlainName, type Tree, type TreeNode, walkTree } from '../tree';
import type { SmbConnection } from './connection';
import {
  accessRights,
  isGone,
  openFile,
  readBytes,
  readFolder,
  readSecurity,
  SmbError,
  type SmbFile,
  withFile,
} from './files';
import { formatRightsVersion, openSmbRights } from './rights';
import { openShare } from './session';
import { describeStatus, statuses } from './status';

interface Session {
  settings: SmbSourceSettings;
  connection: SmbConnection;
  signal: AbortSignal;
}

const maxListBytes = 16 * 1024 * 1024;
const readable = accessRights.readData | accessRights.readAttributes;

/**
 * Lists folders of a Windows or Samba share. The client is our own, because libraries on npm sign in with NTLM 1 only,
 * do not sign, and do not read permissions, and the program `smbclient` connects to servers that the address guard has
 * not checked (DFS). Where an identity map covers a folder, Windows permissions decide who may read its files.
 */
export function createSmbSource({ guard, rights }: { guard: AddressGuard; rights?: SourceRights }): Source {
  const open = async (config: Record<string, unknown>, signal: AbortSignal): Promise<Session> => {
    const settings = readSmbSettings(config);
    if (settings.host === '' || settings.share === '')
      throw new AppError('OPERATOR_CONFIGURATION_INVALID', 'smb needs host and share.');
    const [, ...names] = settings.folder.split('/');
    if (settings.folder !== '/' && !names.every(isSmbName))
      throw new AppError(
        'OPERATOR_CONFIGURATION_INVALID',
        `folder is '${settings.folder}'; names on Windows shares cannot contain : * ? " < > | or a backslash.`,
      );
    signal.throwIfAborted();
    try {
      const socket = await openCheckedSocket(guard, settings.host, settings.port, signal);
      return { settings, connection: await openShare(socket, settings), signal };
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    }
  };
  return createConnectedSource<Session>({
    open,
    close: ({ connection }) => connection.close(),
    list: (session, _signal, after) => listShare(session, rights, after),
    read(session, file, _signal, version) {
      const { maxFileBytes: maxBytes } = session.settings;
      return readFile(session, getPlace(session.settings, file), { name: file, maxBytes, version });
    },
  });
}

async function* listShare(session: Session, rights: SourceRights | undefined, after: string | undefined) {
  const { settings, connection, signal } = session;
  try {
    const root = await findFolder(session);
    const findRights = await openSmbRights(connection, settings, rights);
    if (settings.needsRights && !(await findRights(root)))
      throw createUncoveredError(buildPath(settings, root === '/' ? '' : root));
    yield* walkTree({ ...buildTree(session, root), findRights }, settings, signal, after);
  } catch (error) {
    signal.throwIfAborted();
    throw toError(error, `The folder '${settings.folder}' of ${settings.host}`);
  }
}

/**
 * The folder of the flow, in the names that the server lists: short names (`FINANC~1`) and links would lead past the places of
 * identity maps.
 */
async function findFolder({ connection, settings: { folder, host } }: Session): Promise<string> {
  let actualPath = '/';
  for (const name of folder.split('/').filter(Boolean)) {
    const match = await findFile(connection, actualPath, (file) => file.name.toLowerCase() === name.toLowerCase());
    if (!match?.isFolder || match.isLink)
      throw new AppError('SOURCE_NOT_FOUND', `The folder '${folder}' of ${host} does not exist, or is a link.`);
    actualPath = path.posix.join(actualPath, match.name);
  }
  return actualPath;
}

async function findFile(
  connection: SmbConnection,
  folder: string,
  isMatch: (file: SmbFile) => boolean,
): Promise<SmbFile | undefined> {
  return await withFile(connection, folder, { access: readable, kind: 'folder' }, async (handle) => {
    const checkPortion = createFolderLimit(folder);
    for await (const files of readFolder(connection, handle)) {
      checkPortion(files);
      const file = files.find(isMatch);
      if (file) return file;
    }
    return undefined;
  });
}

function buildTree({ connection, settings, signal }: Session, root: string): Tree {
  const { host, port, share } = settings;
  return {
    source: `smb:${host}:${port}/${share}${root === '/' ? '' : root}`,
    root,
    buildPath: (file) => buildPath(settings, file),
    async list(folder) {
      try {
        return await withFile(connection, folder, { access: readable, kind: 'folder' }, async (handle) => {
          const nodes: TreeNode[] = [];
          const checkPortion = createFolderLimit(folder);
          for await (const files of readFolder(connection, handle)) {
            signal.throwIfAborted();
            checkPortion(files);
            nodes.push(...files.map(buildNode));
          }
          return nodes;
        });
      } catch (error) {
        if (isGone(error)) return undefined;
        throw toError(error, `The folder '${folder}' of ${host}`);
      }
    },
    async readSidecar(folder) {
      const file = path.posix.join(folder, sidecarName);
      const isWithin = folder === root || folder.startsWith(root === '/' ? '/' : `${root}/`);
      const parts: Uint8Array[] = [];
      let size = 0;
      try {
        // A link could point to a list that someone else controls, and is not followed.
        for await (const part of streamBytes(connection, file)) {
          parts.push(part);
          size += part.length;
          if (size > maxListBytes) throw new AppError('ACCESS_LIST_INVALID', `it has more than ${maxListBytes} bytes`);
        }
        return Buffer.concat(parts).toString('utf8');
      } catch (error) {
        const isClosed = error instanceof SmbError && error.status === statuses.accessDenied;
        if (isGone(error) || (isClosed && !isWithin)) return undefined;
        throw toError(error, 'it');
      }
    },
  };
}

function buildNode({ name, isFolder, isLink, size, modifiedTime }: SmbFile): TreeNode {
  const kind = isFolder ? 'folder' : 'file';
  return { name: isSmbName(name) ? name : '', kind: isLink ? 'link' : kind, size, modifiedTime };
}

/** True for a name that leads nowhere else; a colon would name another stream of the file. */
function isSmbName(name: string): boolean {
  return isPlainName(name) && !/[\\:*?"<>|]|\p{Surrogate}/u.test(name);
}

async function* streamBytes(connection: SmbConnection, file: string): AsyncGenerator<Uint8Array> {
  const handle = await openFile(connection, file, { access: readable, kind: 'file' });
  // Not closed here: the file is closed with the connection.
  yield* readBytes(connection, handle);
}

async function* readFile(
  { connection, settings, signal }: Session,
  file: string,
  { name, maxBytes, version }: { name: string; maxBytes: number | undefined; version: string | undefined },
): AsyncGenerator<Uint8Array> {
  const [rightsVersion] = version?.match(/^smb:[^:]+/) ?? [];
  const access = rightsVersion === undefined ? readable : readable | accessRights.readControl;
  try {
    const handle = await openFile(connection, file, { access, kind: 'file' });
    yield* limitBytes(readBytes(connection, handle), { name, announced: handle.size, maxBytes });
    // Checked after the last byte, so that nothing was written under other rights than those of the listing.
    if (rightsVersion !== undefined && formatRightsVersion(await readSecurity(connection, handle)) !== rightsVersion)
      throw new AppError(
        'SOURCE_UNREADABLE',
        `'${name}' was replaced, or its permissions changed, since it was listed.`,
      );
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof AppError) throw error;
    if (isGone(error)) throw new AppError('SOURCE_GONE', `'${name}' no longer exists.`, {}, error);
    if (!(error instanceof SmbError)) throw toError(error, settings.host);
    throw new AppError('SOURCE_UNREADABLE', `'${name}' cannot be read${describeStatus(error.status)}.`, {}, error);
  }
}

function buildPath({ host, port, share }: SmbSourceSettings, file: string): string {
  return `smb://${host}${port === defaultSmbPort ? '' : `:${port}`}/${share}${file}`;
}

/** The path within the share of a listed document. Throws SOURCE_UNREADABLE for one outside the folder of the flow. */
function getPlace(settings: SmbSourceSettings, file: string): string {
  const { folder } = settings;
  const start = buildPath(settings, folder === '/' ? '/' : `${folder}/`);
  const names = file.slice(start.length).split('/');
  if (file.slice(0, start.length).toLowerCase() !== start.toLowerCase() || !names.every(isSmbName))
    throw new AppError('SOURCE_UNREADABLE', `'${file}' is not a document below ${start}.`);
  return path.posix.join(folder, ...names);
}

function toError(error: unknown, place: string): AppError {
  if (error instanceof AppError) return error;
  if (!(error instanceof SmbError))
    return new AppError('CONNECTION_ERROR', `${place}: the connection failed.`, {}, error);
  const { status } = error;
  if (isGone(error)) return new AppError('SOURCE_NOT_FOUND', `${place} does not exist.`, {}, error);
  if (status === statuses.accessDenied)
    return new AppError('SOURCE_NOT_ALLOWED', `${place} may not be listed.`, {}, error);
  return new AppError('EXTERNAL_SERVICE_ERROR', `${place} cannot be listed${describeStatus(status)}.`, {}, error);
}
