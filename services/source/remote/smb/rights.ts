import { createHash } from 'node:crypto';
import path from 'node:path';
import { AppError } from '../../../../model/errors';
import type { Naming, RightsList } from '../../../../model/source/rights/rights-list';
import { computeWindowsList } from '../../../../model/source/rights/windows-rights';
import { defaultSmbPort, type SmbSourceSettings } from '../../../../model/source/smb-source';
import { trimSlashes } from '../../../../model/trim-slashes';
import type { IdentityMaps } from '../../../identity/maps';
import { type CoveredFolder, createNamingFinder, sortCoveredFolders } from '../../covered-folders';
import { joinRights } from '../../join-rights';
import type { TreeAccess, TreeRights } from '../tree';
import type { SmbConnection } from './connection';
import { readDescriptor } from './descriptor';
import { accessRights, isGone, readSecurity, SmbError, withFile } from './files';
import { describeStatus } from './status';

/** The rights of a folder; undefined if no identity map covers it. */
type FindRights = (folder: string) => Promise<TreeRights | undefined>;

/**
 * Windows permissions of files below the places of identity maps, valid for one listing. Throws SOURCE_RIGHTS_UNKNOWN if two maps
 * cover the same folder.
 */
export async function openSmbRights(
  connection: SmbConnection,
  settings: SmbSourceSettings,
  maps: Pick<IdentityMaps, 'list' | 'listMembers'> | undefined,
): Promise<FindRights> {
  const places = maps ? readPlaces(await maps.list(), settings) : [];
  const findNaming = createNamingFinder(maps);
  const passingByFolder = new Map<string, Promise<RightsList | AppError>>();
  const findPassing = async (folder: string, naming: Naming) => {
    const key = `${naming.map}\n${folder}`;
    const passing = passingByFolder.get(key) ?? readRights(connection, { file: folder, kind: 'traverse' }, naming);
    passingByFolder.set(key, passing);
    return passing;
  };
  return async (folder) => {
    const place = places.find((place) => isBelow(folder.toLowerCase(), place.folder));
    if (!place) return undefined;
    const naming = await findNaming(place.map);
    const passedFolders = settings.traversal === 'bypass' ? [] : listFoldersDownTo(folder);
    const passing = await Promise.all(passedFolders.map((passed) => findPassing(passed, naming)));
    const unknown = passing.find((list) => list instanceof AppError);
    const through = passing.filter((list): list is RightsList => !(list instanceof AppError));
    return {
      async readAccess(files) {
        const accessByFile = new Map<string, TreeAccess | AppError>();
        await Promise.all(
          files.map(async (file) => {
            const rights = unknown ?? (await readRights(connection, { file, kind: 'read' }, naming).catch(skipGone));
            if (rights instanceof AppError) accessByFile.set(file, rights);
            else if (rights)
              accessByFile.set(file, { ...joinRights(rights, through), rightsVersion: rights.rightsVersion });
          }),
        );
        return accessByFile;
      },
    };
  };
}

function readPlaces(
  maps: readonly { map_id: string; places: readonly string[] }[],
  { host, port, share }: SmbSourceSettings,
): CoveredFolder[] {
  const covered = maps.flatMap(({ map_id: map, places }) =>
    places.flatMap((place): CoveredFolder[] => {
      const [, server = '', name = '', rest = ''] = /^smb:\/\/([^/]+)\/([^/]+)(.*)$/s.exec(place.toLowerCase()) ?? [];
      const isSame = omitDefaultPort(server) === omitDefaultPort(`${host}:${port}`.toLowerCase());
      return isSame && name === share.toLowerCase() ? [{ folder: trimSlashes(rest) || '/', map }] : [];
    }),
  );
  return sortCoveredFolders(covered, share);
}

function isBelow(folder: string, place: string): boolean {
  return place === '/' || folder === place || folder.startsWith(`${place}/`);
}

/** The folder and those above it, down from the root of the share. */
function listFoldersDownTo(folder: string): string[] {
  return folder === '/' ? [folder] : [...listFoldersDownTo(path.posix.dirname(folder)), folder];
}

/** Identifies a security descriptor in the versions of entries. */
export function formatRightsVersion(descriptor: Uint8Array): string {
  return `smb:${createHash('sha256').update(descriptor).digest('hex')}`;
}

/** ACCESS_LIST_INVALID for a file whose permissions cannot be read: nobody may read it. */
async function readRights(
  connection: SmbConnection,
  { file, kind }: { file: string; kind: 'read' | 'traverse' },
  naming: Naming,
): Promise<(RightsList & { rightsVersion: string }) | AppError> {
  try {
    const bytes = await withFile(connection, file, { access: accessRights.readControl }, (handle) =>
      readSecurity(connection, handle),
    );
    return {
      ...computeWindowsList(readDescriptor(bytes), kind, naming),
      rightsVersion: formatRightsVersion(bytes),
    };
  } catch (error) {
    if (error instanceof AppError && error.code === 'ACCESS_LIST_INVALID') return error;
    if (!(error instanceof SmbError) || isGone(error)) throw error;
    return new AppError(
      'ACCESS_LIST_INVALID',
      `The permissions cannot be read, so nobody may read the document${describeStatus(error.status)}.`,
      {},
      error,
    );
  }
}

function skipGone(error: unknown): undefined {
  if (!isGone(error)) throw error;
}

function omitDefaultPort(server: string): string {
  return server.replace(new RegExp(`:${defaultSmbPort}$`), '');
}
