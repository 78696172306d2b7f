import type { Reader } from '../../model/access';

/** One file of a source, before its bytes are read. */
export interface SourceEntry {
  /** Identifies the source, e.g. `file:/data/invoices`; with `relativePath` it determines the document's id. */
  source: string;
  relativePath: string;
  /** Shown to the user and passed to `read`: an absolute path or a URL. */
  path: string;
  name: string;
  mimetype: string;
  size: number;
  modifiedTime: string;
  /** From the access list next to the document (a sidecar) or the source itself; undefined if none covers it. */
  allowedUsers?: string[];
  /** Principals of the same list; absent without one. */
  allowedPrincipals?: string[];
  deniedPrincipals?: string[];
  metadata: Record<string, unknown>;
  /** Version identifier of the source, such as an ETag: the same version means the same bytes. */
  version?: string;
  /** Set if the entry was found but cannot be read (unreadable, too large). */
  failure?: { code: string; message: string };
  /** The reason, if the entry is skipped on purpose (a symbolic link). */
  skip?: string;
  /** Set if the content of the entry could not be listed, so that documents missing from the listing may still exist. */
  incomplete?: true;
}

/** Who may read an entry, as its source has it. */
export type EntryAccess = Pick<SourceEntry, 'allowedUsers' | 'allowedPrincipals' | 'deniedPrincipals'>;

/** One kind of source; `config` is the configuration of the ingest operator. */
export interface Source {
  list(config: Record<string, unknown>, signal: AbortSignal, readers?: readonly Reader[]): AsyncIterable<SourceEntry>;
  read(path: string, config: Record<string, unknown>, signal: AbortSignal): Promise<Uint8Array>;
  hash(path: string, config: Record<string, unknown>, signal: AbortSignal): Promise<string>;
}
