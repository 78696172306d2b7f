import type { Stats } from 'node:fs';
import { lstat, realpath } from 'node:fs/promises';
import path from 'node:path';
import { AppError } from '../../../model/errors';
import { computeRightsList, type PosixRights } from '../../../model/source/rights/posix-rights';
import type { Naming, RightsList } from '../../../model/source/rights/rights-list';
import type { IdentityMaps } from '../../identity/maps';
import { joinRights } from '../join-rights';
import type { EntryAccess } from '../source';
import { readAcls } from './acl';

/** The identity maps, which define where the rights of files apply. */
export type SourceRights = Pick<IdentityMaps, 'list' | 'members'>;

/** Who may read files according to their file system. Valid for one listing: folders are read only once. */
export interface FileRights {
  /** The covering map and who may pass through the folder, by its real path; undefined if no map covers it. */
  folder(real: string): Promise<FolderRights | undefined>;
}

/** The rights of one folder. */
export interface FolderRights {
  map: string;
  /** The access of files and folders in it. Entries that no longer exist are omitted. */
  accessOf(files: readonly { real: string; stats: Stats }[]): Promise<Map<string, EntryAccess>>;
}

interface Place {
  folder: string;
  map: string;
  hasAcls: boolean;
}

const scheme = 'file:';
/** Permission bits. */
const [readable, passable] = [4, 1] as const;

/** Reads the rights of files below the places of identity maps. */
export async function openFileRights(rights: SourceRights | undefined): Promise<FileRights> {
  const places = rights ? await readPlaces(rights) : [];
  const namings = new Map<string, Promise<Naming>>();
  const getNaming = (map: string) => {
    const naming = namings.get(map);
    if (naming) return naming;
    const reading = rights!.members(map).then((members) => ({ map, members }));
    namings.set(map, reading);
    return reading;
  };
  const rightsByFolder = new Map<string, Promise<RightsList>>();
  const readPass = (folder: string, { map, hasAcls }: Place): Promise<RightsList> => {
    const key = `${map}\n${folder}`;
    const rights = rightsByFolder.get(key);
    if (rights) return rights;
    const reading = (async () => {
      const acls = hasAcls ? await readAcls([folder]) : undefined;
      return computeRightsList(buildRights(await lstat(folder), acls?.get(folder)), passable, await getNaming(map));
    })();
    rightsByFolder.set(key, reading);
    return reading;
  };
  return {
    async folder(real) {
      const place = places.find(
        ({ folder }) => real === folder || real.startsWith(folder === '/' ? '/' : `${folder}/`),
      );
      if (!place) return undefined;
      const through = await Promise.all(listFoldersDownTo(real).map((folder) => readPass(folder, place)));
      return {
        map: place.map,
        async accessOf(files) {
          const acls = place.hasAcls ? await readAcls(files.map((file) => file.real)) : undefined;
          const naming = await getNaming(place.map);
          return new Map(
            files.map(({ real: file, stats }) => [
              file,
              joinRights(computeRightsList(buildRights(stats, acls?.get(file)), readable, naming), through),
            ]),
          );
        },
      };
    },
  };
}

/** Returns the innermost places first. A place that does not exist on this machine is skipped. */
async function readPlaces(rights: SourceRights): Promise<Place[]> {
  const maps = await rights.list();
  const namingMaps = await Promise.all(
    maps.flatMap(({ map_id: map, places, acl = 'getfacl' }) =>
      places
        .filter((place) => place.startsWith(scheme))
        .map(async (place): Promise<Place | undefined> => {
          const folder = await realpath(place.slice(scheme.length)).catch(() => undefined);
          return folder === undefined ? undefined : { folder, map, hasAcls: acl === 'getfacl' };
        }),
    ),
  );
  const places = namingMaps
    .filter((place) => place !== undefined)
    .toSorted((place, other) => other.folder.length - place.folder.length);
  for (const [at, place] of places.entries()) {
    const other = places.slice(0, at).find(({ folder, map }) => folder === place.folder && map !== place.map);
    // Accounts of one map are different people in the other.
    if (other)
      throw new AppError(
        'SOURCE_RIGHTS_UNKNOWN',
        `The identity maps '${other.map}' and '${place.map}' both cover '${place.folder}'.`,
      );
  }
  return places;
}

/** All folders on the path to a file in `folder`, including `folder`. */
function listFoldersDownTo(folder: string): string[] {
  const folders = [folder];
  for (let at = folder; at !== path.dirname(at);) folders.push((at = path.dirname(at)));
  return folders.toReversed();
}

function buildRights({ uid, gid, mode }: Stats, acl: PosixRights['acl']): PosixRights {
  return { owner: String(uid), group: String(gid), mode, ...(acl ? { acl } : {}) };
}
