import type { Readable } from 'node:stream';

/** Bytes under keys (`a/b/c.json`). A write replaces as a whole: readers see the old or the new bytes, never a mixture. */
export interface ObjectStore {
  put(key: string, bytes: Uint8Array | Readable): Promise<void>;
  /** TABLE_NOT_FOUND when there is nothing under the key. */
  get(key: string): Promise<Uint8Array>;
  /** The bytes as a stream. TABLE_NOT_FOUND as `get`. */
  open(key: string): Promise<Readable>;
  exists(key: string): Promise<boolean>;
  /** Every key that begins with `prefix`, or every key with an empty one; in no promised order. */
  list(prefix: string): AsyncIterable<string>;
  /** Removes every key that begins with `prefix`; more calls are harmless. An empty prefix is refused. */
  removePrefix(prefix: string): Promise<void>;
  /** Lends the bytes as a local file, which the callee must not change. TABLE_NOT_FOUND as `get`. */
  withFile<T>(key: string, use: (file: string) => Promise<T>): Promise<T>;
  /** Lends names of files for another thread to write, which are stored without passing through this one's memory. */
  withScratch<T>(use: (scratch: ScratchFiles) => Promise<T>): Promise<T>;
  /** Removes what killed processes left half written and nobody has written to since `before`; tells how many files or uploads. */
  removeUnfinished(before: Date): Promise<number>;
  close(): void;
}

/** Files that are about to be written. Those that are not kept are removed when the use ends. */
export interface ScratchFiles {
  /** A file that is not there yet; nor may its folder be. */
  fileFor(key: string): string;
  /** Stores what was written for the key, as a whole; the file is gone then. */
  keep(key: string): Promise<void>;
}
