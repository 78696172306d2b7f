import { chmodSync, mkdirSync, statSync } from 'node:fs';
import path from 'node:path';

/** The permission bits of everybody but the owner. */
const permissionsOfOthers = 0o077;

/**
 * Creates the data folder if it is missing. Removes the permissions of other users from it, from the cache folder and from the
 * key files in the data folder. Returns one message per file that could not be changed.
 */
export function closeFolders(data: string, cache: string, secrets: readonly string[]): string[] {
  mkdirSync(data, { recursive: true, mode: 0o700 });
  if (process.platform === 'win32') return [];
  return [data, cache, ...secrets.map((name) => path.join(data, name))].flatMap((place) => closeToOthers(place));
}

function closeToOthers(place: string): string[] {
  const stats = statSync(place, { throwIfNoEntry: false });
  if (!stats || (stats.mode & permissionsOfOthers) === 0) return [];
  try {
    chmodSync(place, stats.isDirectory() ? 0o700 : 0o600);
    return [];
  } catch (error) {
    return [`${place} can be read by other users of this machine, and that could not be changed: ${String(error)}`];
  }
}
