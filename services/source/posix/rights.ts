import type { Stats } from 'node:fs';
import { lstat, realpath } from 'node:fs/promises';
import path from 'node:path';
import { computeRightsList, type PosixRights } from '../../../model/source/rights/posix-rights';
import type { RightsList } from '../../../model/source/rights/rights-list';
import type { IdentityMaps } from '../../identity/maps';
import { type CoveredFolder, createNamingFinder, sortCoveredFolders } from '../covered-folders';
import { joinRights } from '../join-rights';
import type { EntryAccess } from '../source';
import { readAcls } from './acl';

/** The identity maps, which define where the rights of files apply. */
export type SourceRights = Pick<IdentityMaps, 'list' | 'listMembers'>;

/** Who may read files according to their file system. Valid for one listing: folders are read only once. */
export interface FileRights {
  /** The covering map and who may pass through the folder, by its real path; undefined if no map covers it. */
  findFolderRights(real: string): Promise<FolderRights | undefined>;
}

/** The rights of one folder. */
export interface FolderRights {
  map: string;
  /** The access of files and folders in it. Entries that no longer exist are omitted. */
  readAccess(files: readonly { real: string; stats: Stats }[]): Promise<Map<string, EntryAccess>>;
}

interface Place extends CoveredFolder {
  hasAcls: boolean;
}

const scheme = 'file:';
/** Permission bits: to read a file, and to pass through a folder. */
const readBit = 4;
const executeBit = 1;

/** Reads the rights of files below the places of identity maps. */
export async function openFileRights(rights: SourceRights | undefined): Promise<FileRights> {
  const places = rights ? await readPlaces(rights) : [];
  const findNaming = createNamingFinder(rights);
  const passingByFolder = new Map<string, Promise<RightsList>>();
  const readPassing = async (folder: string, { map, hasAcls }: Place): Promise<RightsList> => {
    const acls = hasAcls ? await readAcls([folder]) : undefined;
    return computeRightsList(buildRights(await lstat(folder), acls?.get(folder)), executeBit, await findNaming(map));
  };
  const findPassing = (folder: string, place: Place): Promise<RightsList> => {
    const key = `${place.map}\n${folder}`;
    const passing = passingByFolder.get(key) ?? readPassing(folder, place);
    passingByFolder.set(key, passing);
    return passing;
  };
  return {
    async findFolderRights(real) {
      const place = places.find(
        ({ folder }) => real === folder || real.startsWith(folder === '/' ? '/' : `${folder}/`),
      );
      if (!place) return undefined;
      const through = await Promise.all(listFoldersDownTo(real).map((folder) => findPassing(folder, place)));
      return {
        map: place.map,
        async readAccess(files) {
          const acls = place.hasAcls ? await readAcls(files.map((file) => file.real)) : undefined;
          const naming = await findNaming(place.map);
          return new Map(
            files.map(({ real: file, stats }) => [
              file,
              joinRights(computeRightsList(buildRights(stats, acls?.get(file)), readBit, naming), through),
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
  const places = await Promise.all(
    maps.flatMap(({ map_id: map, places, acl = 'getfacl' }) =>
      places
        .filter((place) => place.startsWith(scheme))
        .map(async (place): Promise<Place | undefined> => {
          const folder = await realpath(place.slice(scheme.length)).catch(() => undefined);
          return folder === undefined ? undefined : { folder, map, hasAcls: acl === 'getfacl' };
        }),
    ),
  );
  return sortCoveredFolders(places.filter((place) => place !== undefined));
}

/** The folder and those above it, down from the root. */
function listFoldersDownTo(folder: string): string[] {
  const parent = path.dirname(folder);
  return parent === folder ? [folder] : [...listFoldersDownTo(parent), folder];
}

function buildRights({ uid, gid, mode }: Stats, acl: PosixRights['acl']): PosixRights {
  return { owner: String(uid), group: String(gid), mode, ...(acl ? { acl } : {}) };
}
