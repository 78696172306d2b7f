import { AppError } from '../../model/errors';
import { type SourceProvider, sourceProviderOf } from '../../model/source/remote-source';
import { type AddressGuard, createAddressGuard } from '../net/address-guard';
import { createFilesystemSource } from './filesystem';
import type { SourceLimits } from './roots';
import { createHttpSource } from './http';
import { createS3Source } from './s3';

/** One file of a source, before its bytes are read. */
export interface SourceEntry {
  /** Identity of the source, e.g. `file:/data/invoices`; with `relativePath` it makes the document's id. */
  source: string;
  relativePath: string;
  /** Shown to the user and passed to `read`: an absolute path or a URL. */
  path: string;
  name: string;
  mimetype: string;
  size: number;
  modifiedTime: string;
  /** From the list beside the document (a sidecar); undefined if none covers it. */
  allowedUsers?: string[];
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

/** Where documents come from. `list` is sorted, so two listings of an unchanged source are equal. */
export interface Sources {
  list(provider: string, config: Record<string, unknown>, signal: AbortSignal): AsyncIterable<SourceEntry>;
  /** The bytes of a listed file; SOURCE_UNREADABLE if it no longer exists or cannot be read. */
  read(provider: string, path: string, config: Record<string, unknown>, signal: AbortSignal): Promise<Uint8Array>;
  /** SHA-256 of these bytes, hexadecimal, without holding them in memory. */
  hash(provider: string, path: string, config: Record<string, unknown>, signal: AbortSignal): Promise<string>;
}

/** One kind of source; `config` is the configuration of the ingest operator. */
export interface Source {
  list(config: Record<string, unknown>, signal: AbortSignal): AsyncIterable<SourceEntry>;
  read(path: string, config: Record<string, unknown>, signal: AbortSignal): Promise<Uint8Array>;
  hash(path: string, config: Record<string, unknown>, signal: AbortSignal): Promise<string>;
}

/** What sources need: the files that flows may read (without a root, none), and the guard of what is not here. */
export interface SourcesOptions extends SourceLimits {
  /** Lets public addresses only pass where it is absent. */
  guard?: AddressGuard;
}

/** All sources by provider. */
export function createSources({ guard = createAddressGuard([]), ...limits }: SourcesOptions): Sources {
  const sources: Readonly<Record<SourceProvider, Source>> = {
    filesystem: createFilesystemSource(limits),
    s3: createS3Source({ guard }),
    http: createHttpSource({ guard }),
  };
  const find = (provider: string): Source => {
    const known = sourceProviderOf({ provider });
    if (known) return sources[known];
    throw new AppError(
      'OPERATOR_CONFIGURATION_INVALID',
      `There is no source provider '${provider}'; expected one of ${Object.keys(sources).join(', ')}.`,
    );
  };
  return {
    list: (provider, config, signal) => find(provider).list(config, signal),
    read: async (provider, path, config, signal) => find(provider).read(path, config, signal),
    hash: async (provider, path, config, signal) => find(provider).hash(path, config, signal),
  };
}
