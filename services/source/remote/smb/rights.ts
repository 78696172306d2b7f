import path from 'node:path';
import { AppError } from '../../../../model/errors';
import type { Naming, RightsList } from '../../../../model/source/rights/rights-list';
import { computeWindowsList } from '../../../../model/source/rights/windows-rights';
import type { SmbSourceSettings } from '../../../../model/source/smb-source';
import { trimSlashes } from '../../../../model/trim-slashes';
import type { IdentityMaps } from '../../../identity/maps';
import { joinRights } from '../../join-rights';
import type { EntryAccess } from '../../source';
import type { TreeRights } from '../tree';
import type { SmbConnection } from './connection';
import { readDescriptor } from './descriptor';
import { accessRights, isGone, readSecurity, SmbError, withFile } from './files';
import { describeStatus } from './status';

interface Place {
  folder: string;
  map: string;
}

/** The rights of a folder; undefined if no identity map covers it. */
type FindRights = (folder: string) => Promise<TreeRights | undefined>;

/**
 * Windows permissions of files below the places of identity maps, valid for one listing. Throws SOURCE_RIGHTS_UNKNOWN if two maps
 * cover the same folder.
 */
export async function openSmbRights(
  connection: SmbConnection,
  settings: SmbSourceSettings,
  maps: Pick<IdentityMaps, 'list' | 'members'> | undefined,
): Promise<FindRights> {
  const places = maps ? readPlaces(await maps.list(), settings) : [];
  const namings = new Map<string, Promise<Naming>>();
  const findNaming = (map: string) => {
    const namingPromise = namings.get(map) ?? maps!.members(map).then((members) => ({ map, members }));
    namings.set(map, namingPromise);
    return namingPromise;
  };
  const rightsByFolder = new Map<string, Promise<RightsList | AppError>>();
  const findPassing = async (folder: string, map: string) => {
    const key = `${map}\n${folder}`;
    const folderRights =
      rightsByFolder.get(key) ?? readRights(connection, { file: folder, kind: 'traverse' }, await findNaming(map));
    rightsByFolder.set(key, folderRights);
    return folderRights;
  };
  return async (folder) => {
    const place = places.find((place) => isBelow(folder.toLowerCase(), place.folder));
    if (!place) return undefined;
    const naming = await findNaming(place.map);
    const through =
      settings.traversal === 'bypass'
        ? []
        : await Promise.all(listFoldersDownTo(folder).map((value) => findPassing(value, place.map)));
    const unknown = through.find((item) => item instanceof AppError);
    return {
      async accessOf(files) {
        const rightsById = new Map<string, EntryAccess | AppError>();
        await Promise.all(
          files.map(async (file) => {
            const rights = unknown ?? (await readRights(connection, { file, kind: 'read' }, naming).catch(skipGone));
            if (rights)
              rightsById.set(file, rights instanceof AppError ? rights : joinRights(rights, through as RightsList[]));
          }),
        );
        return rightsById;
      },
    };
  };
}

function readPlaces(
  maps: readonly { map_id: string; places: readonly string[] }[],
  { host, port, share }: SmbSourceSettings,
): Place[] {
  const places = maps.flatMap(({ map_id: map, places: mapPlaces }) =>
    mapPlaces.flatMap((place): Place[] => {
      const [, server = '', name = '', rest = ''] = /^smb:\/\/([^/]+)\/([^/]+)(.*)$/s.exec(place.toLowerCase()) ?? [];
      const isSame = server.replace(/:445$/, '') === `${host}:${port}`.toLowerCase().replace(/:445$/, '');
      return isSame && name === share.toLowerCase() ? [{ folder: trimSlashes(rest) || '/', map }] : [];
    }),
  );
  places.sort((place, other) => other.folder.length - place.folder.length);
  for (const [at, place] of places.entries()) {
    const other = places.slice(0, at).find(({ folder, map }) => folder === place.folder && map !== place.map);
    if (other)
      throw new AppError(
        'SOURCE_RIGHTS_UNKNOWN',
        `The identity maps '${other.map}' and '${place.map}' both cover '${place.folder}' of the share '${share}'.`,
      );
  }
  return places;
}

function isBelow(folder: string, place: string): boolean {
  return place === '/' || folder === place || folder.startsWith(`${place}/`);
}

/** The folder and those above it, down from the root of the share. */
function listFoldersDownTo(folder: string): string[] {
  const folders = [folder];
  for (let at = folder; at !== '/';) folders.push((at = path.posix.dirname(at)));
  return folders.toReversed();
}

/** ACCESS_LIST_INVALID for a file whose permissions cannot be read: nobody may read it. */
async function readRights(
  connection: SmbConnection,
  { file, kind }: { file: string; kind: 'read' | 'traverse' },
  naming: Naming,
): Promise<RightsList | AppError> {
  try {
    const bytes = await withFile(connection, file, { access: accessRights.readControl }, (handle) =>
      readSecurity(connection, handle),
    );
    return computeWindowsList(readDescriptor(bytes), kind, naming);
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
