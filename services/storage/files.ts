import type { Readable } from 'node:stream';
import type { ObjectStore } from './object-store-port';

/** Bytes stored under keys such as `documents/<jobId>/<id>.json`. Each write replaces the file atomically. */
export interface FilesStore {
  put(key: string, bytes: Uint8Array | Readable): Promise<void>;
  /** Throws TABLE_NOT_FOUND if the file does not exist. */
  get(key: string): Promise<Uint8Array>;
  exists(key: string): Promise<boolean>;
  /** Every key with this prefix, in no particular order. */
  list(prefix: string): AsyncIterable<string>;
  /** Removes every file whose key has this prefix. */
  removePrefix(prefix: string): Promise<void>;
}

/** Stores uploads, documents and results in the object store, under unchanged keys. */
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
