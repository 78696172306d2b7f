import { AppError } from '../../model/errors';
import type { Naming } from '../../model/source/rights/rights-list';
import type { IdentityMaps } from '../identity/maps';

/** A folder below which an identity map names the accounts. */
export interface CoveredFolder {
  folder: string;
  map: string;
}

/**
 * Returns the innermost folders first. Throws SOURCE_RIGHTS_UNKNOWN if two maps cover the same folder, because accounts of one map
 * are different people in the other. `share` is named in the message.
 */
export function sortCoveredFolders<Place extends CoveredFolder>(places: readonly Place[], share?: string): Place[] {
  const maps = new Map<string, string>();
  for (const { folder, map } of places) {
    const other = maps.get(folder) ?? map;
    if (other !== map)
      throw new AppError(
        'SOURCE_RIGHTS_UNKNOWN',
        `The identity maps '${other}' and '${map}' both cover '${folder}'${share === undefined ? '' : ` of the share '${share}'`}.`,
      );
    maps.set(folder, map);
  }
  return places.toSorted((place, other) => other.folder.length - place.folder.length);
}

/** Creates a function that returns the accounts and groups of a map, which it reads once. */
export function createNamingFinder(
  maps: Pick<IdentityMaps, 'listMembers'> | undefined,
): (map: string) => Promise<Naming> {
  const namings = new Map<string, Promise<Naming>>();
  return async (map) => {
    const naming = namings.get(map) ?? readNaming(maps, map);
    namings.set(map, naming);
    return naming;
  };
}

async function readNaming(maps: Pick<IdentityMaps, 'listMembers'> | undefined, map: string): Promise<Naming> {
  return { map, members: (await maps?.listMembers(map)) ?? new Map() };
}
