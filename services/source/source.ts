import type { Reader } from '../../model/access';
import type { SourceDirectory } from '../identity/maps';
import type { ChangePage } from './items/item';

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
  /** Further lists that readers must be in, each a JSON array of principals: the lists of the folders above. */
  requiredLists?: string[];
  /** True if the list comes from the source itself, such as the owner, group and mode of a file. */
  hasSourceRights?: true;
  metadata: Record<string, unknown>;
  /** Version identifier of the source, such as an ETag: the same version means the same bytes. */
  version?: string;
  /** Set if the entry was found but cannot be read (unreadable, too large). */
  failure?: { code: string; message: string };
  /** The reason, if the entry is skipped on purpose (a symbolic link). */
  skip?: string;
  /** Where a listing continues after this entry; absent if it cannot continue there. */
  cursor?: string;
  /** Set if the content of the entry could not be listed, so that documents missing from the listing may still exist. */
  incomplete?: true;
}

/** A document of a listing, by the path for `read`. */
export type ListedDocument = Pick<SourceEntry, 'path' | 'version'>;

/** Who may read an entry according to its source. */
export type EntryAccess = Pick<
  SourceEntry,
  'allowedUsers' | 'allowedPrincipals' | 'deniedPrincipals' | 'requiredLists' | 'hasSourceRights'
>;

/** Which part of a source is listed, and for whom. */
export interface ListingStart {
  /** Users who must all be allowed to see a source with access rights of its own. Absent: no restriction. */
  readers?: readonly Reader[];
  /** The cursor of an entry: the rest of the listing after it. Absent: all of it. */
  after?: string;
}

/**
 * The functions of every source; `config` is the configuration of the ingest operator. `model/source/list.ts` describes each
 * source, and test/integration/source/contract.test.ts runs one suite over all of them on real servers.
 */
export interface Source {
  /**
   * Lists every document with its version and access list, without bytes, sorted, so that two listings of an unchanged source are
   * equal. Missing documents are treated as deleted, so an incomplete listing must throw or yield an `incomplete` entry.
   */
  list(config: Record<string, unknown>, signal: AbortSignal, start?: ListingStart): AsyncIterable<SourceEntry>;
  /**
   * The bytes of a listed document. Throws SOURCE_GONE if it no longer exists, SOURCE_UNREADABLE if it cannot be read,
   * SOURCE_TOO_LARGE if it is larger than the flow allows, regardless of the size in the listing. With the version of the listing, a
   * source may refuse another document that has taken the place since, under the access list of the listed one.
   */
  read(path: string, config: Record<string, unknown>, signal: AbortSignal, version?: string): Promise<Uint8Array>;
  /** SHA-256 of the bytes of a listed document in hexadecimal. Throws like `read`. */
  hash(path: string, config: Record<string, unknown>, signal: AbortSignal, version?: string): Promise<string>;
  /**
   * A page of what changed since a cursor; without one, of everything. Undefined if the server no longer knows the
   * cursor. Absent for a source without a change feed, whose changes are the difference between two listings. `list`
   * calls it itself.
   */
  readChanges?(
    config: Record<string, unknown>,
    signal: AbortSignal,
    cursor: string | undefined,
  ): Promise<ChangePage | undefined>;
  /**
   * The accounts and groups of the source, with the groups in groups; absent if they are read elsewhere. Throws if it cannot read
   * all of them: a missing member would lose rights, and a missing denial would give them.
   */
  readDirectory?(config: Record<string, unknown>, signal: AbortSignal): Promise<SourceDirectory>;
}
