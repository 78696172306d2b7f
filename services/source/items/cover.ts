import { AppError } from '../../../model/errors';
import { trimSlashes } from '../../../model/trim-slashes';
import type { IdentityMaps } from '../../identity/maps';

/** The identity maps, which define where the rights of a source apply. */
export type CoveringMaps = Pick<IdentityMaps, 'list'>;

/**
 * The identity map that covers a place, such as `sharepoint://graph.microsoft.com/TENANT/DRIVE`, or one above it; the innermost
 * one counts. Throws SOURCE_RIGHTS_UNKNOWN if two maps have the same place, or if `isNeeded` and no map covers it.
 */
export async function findCoveringMap(
  maps: CoveringMaps | undefined,
  place: string,
  isNeeded: boolean,
): Promise<string | undefined> {
  const mapsByPlace = new Map<string, string>();
  for (const { map_id: map, places } of (await maps?.list()) ?? [])
    for (const covered of places.map(normalize)) {
      if (!isAtOrAbove(covered, normalize(place))) continue;
      const other = mapsByPlace.get(covered);
      if (other !== undefined && other !== map)
        throw new AppError(
          'SOURCE_RIGHTS_UNKNOWN',
          `The identity maps '${other}' and '${map}' both cover '${covered}'.`,
        );
      mapsByPlace.set(covered, map);
    }
  const [innermost] = [...mapsByPlace.keys()].toSorted((covered, other) => other.length - covered.length);
  if (innermost !== undefined) return mapsByPlace.get(innermost);
  if (!isNeeded) return undefined;
  throw createUncoveredError(place);
}

/** For a flow that may list a place only with its rights. */
export function createUncoveredError(place: string): AppError {
  return new AppError(
    'SOURCE_RIGHTS_UNKNOWN',
    `No identity map covers '${place}', so nobody could read its documents. An administrator adds '${place}' to the places of a map.`,
  );
}

/** False for ids that the principals of everybody use, and for values that are not ids. */
export function isPlainId(id: string | undefined): id is string {
  return id !== undefined && id.trim() !== '' && !id.includes('*');
}

function isAtOrAbove(covered: string, place: string): boolean {
  return place === covered || place.startsWith(`${covered}/`);
}

function normalize(place: string): string {
  return trimSlashes(place.toLowerCase());
}
