import type { ObjectStore } from './object-store';
import type { FilesStore } from '../ports';

/** Uploads, documents and results in the object store, each under its key as it is. */
export function createFiles({
  store,
}: {
  store: Pick<ObjectStore, 'put' | 'get' | 'exists' | 'list' | 'removePrefix'>;
}): FilesStore {
  return {
    put: (key, bytes) => store.put(key, bytes),
    get: (key) => store.get(key),
    exists: (key) => store.exists(key),
    list: (prefix) => store.list(prefix),
    removePrefix: (prefix) => store.removePrefix(prefix),
  };
}
