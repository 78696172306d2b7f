import { chmodSync, mkdirSync, statSync } from 'node:fs';
import path from 'node:path';

/** Extra rights that nobody but the owner may have. */
const foreign = 0o077;

/**
 * Makes the data folder where it is missing, and takes the rights of other users of the machine from it, from the cache
 * folder and from the key files in the data folder. Returns a sentence for each that could not be changed.
 */
export function closeFolders(data: string, cache: string, secrets: readonly string[]): string[] {
  mkdirSync(data, { recursive: true, mode: 0o700 });
  if (process.platform === 'win32') return [];
  return [data, cache, ...secrets.map((name) => path.join(data, name))].flatMap((place) => close(place));
}

function close(place: string): string[] {
  const found = statSync(place, { throwIfNoEntry: false });
  if (!found || (found.mode & foreign) === 0) return [];
  try {
    chmodSync(place, found.isDirectory() ? 0o700 : 0o600);
    return [];
  } catch (error) {
    return [`${place} can be read by other users of this machine, and that could not be changed: ${String(error)}`];
  }
}
