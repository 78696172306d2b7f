import type { Readable } from 'node:stream';

/** Bytes stored under keys (`a/b/c.json`). Writes are atomic: readers see either the old or the new bytes. */
export interface ObjectStore {
  put(key: string, bytes: Uint8Array | Readable): Promise<void>;
  /** Throws TABLE_NOT_FOUND when the key does not exist. */
  get(key: string): Promise<Uint8Array>;
  /** The bytes as a stream. Throws TABLE_NOT_FOUND when the key does not exist. */
  open(key: string): Promise<Readable>;
  exists(key: string): Promise<boolean>;
  /** Every key that starts with `prefix`, in no particular order. An empty prefix lists every key. */
  list(prefix: string): AsyncIterable<string>;
  /** The same with the size of each. */
  listSizes(prefix: string): AsyncIterable<{ key: string; bytes: number }>;
  /** Removes every key that starts with `prefix`. Idempotent. Rejects an empty prefix. */
  removePrefix(prefix: string): Promise<void>;
  /** Provides the bytes as a local file, which the callee must not change. Throws TABLE_NOT_FOUND when the key does not exist. */
  withFile<T>(key: string, use: (file: string) => Promise<T>): Promise<T>;
  /** Provides file names for another thread to write to. The files are stored without passing through this thread's memory. */
  withScratch<T>(use: (scratch: ScratchFiles) => Promise<T>): Promise<T>;
  /** Removes unfinished files and uploads that nobody has written to since `before`. Returns their number. */
  removeUnfinished(before: Date): Promise<number>;
  close(): void;
}

/** Files that are about to be written. Files that are not kept are removed afterwards. */
export interface ScratchFiles {
  /** The path of a new file. Its folder may not exist either. */
  getFile(key: string): string;
  /** Stores the file under the key, atomically. The local file is gone afterwards. */
  keep(key: string): Promise<void>;
}
