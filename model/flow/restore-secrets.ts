import { isObject } from '../json';
import { escapePointer } from './alert';
import { holdsMask, maskSecrets } from './secrets';

/**
 * Replaces each mask with the secret at the same place in `stored`, so that a flow can be read and written back.
 * Items of a list are matched by `id` or `name` if they have one, else by position. `lost` lists, as JSON pointers, the masks
 * without a stored secret; these masks are left in place.
 */
export function restoreSecrets<T>(input: T, stored: unknown): { value: T; lost: string[] } {
  const lost: string[] = [];
  const value = restoreValue(input, { stored, shown: maskSecrets(stored) }, '', lost) as T;
  return { value, lost };
}

/** The stored value at a location, and its masked form. */
interface StoredValue {
  stored: unknown;
  shown: unknown;
}

function restoreValue(value: unknown, storedValues: StoredValue, pointer: string, lost: string[]): unknown {
  if (typeof value === 'string') {
    if (!holdsMask(value)) return value;
    if (value === storedValues.shown) return storedValues.stored;
    lost.push(pointer);
    return value;
  }
  if (Array.isArray(value)) {
    return value.map((item: unknown, index) =>
      restoreValue(item, findItem(storedValues, item, index), `${pointer}/${index}`, lost),
    );
  }
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      restoreValue(member, getMember(storedValues, name), `${pointer}/${escapePointer(name)}`, lost),
    ]),
  );
}

function getMember({ stored, shown }: StoredValue, name: string): StoredValue {
  return isObject(stored) && isObject(shown) && Object.hasOwn(stored, name)
    ? { stored: stored[name], shown: shown[name] }
    : { stored: undefined, shown: undefined };
}

function findItem({ stored, shown }: StoredValue, item: unknown, index: number): StoredValue {
  if (!Array.isArray(stored) || !Array.isArray(shown)) return { stored: undefined, shown: undefined };
  const key = findKey(item);
  const place = key === undefined ? index : stored.findIndex((candidate) => findKey(candidate) === key);
  return { stored: stored[place] as unknown, shown: shown[place] as unknown };
}

function findKey(item: unknown): string | undefined {
  if (!isObject(item)) return undefined;
  const key = item['id'] ?? item['name'];
  return typeof key === 'string' ? key : undefined;
}
