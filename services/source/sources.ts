import { Readable } from 'node:stream';
import type { Reader } from '../../model/access';
import { AppError } from '../../model/errors';
import { type SourceProvider, sourceProviderOf } from '../../model/source/remote-source';
import { type AddressGuard, createAddressGuard } from '../net/address-guard';
import { createFilesystemSource } from './filesystem';
import type { SourceLimits } from './roots';
import type { Source, SourceEntry } from './source';
import { createHttpSource } from './http';
import { createLibrarySource, type LibrarySourceDeps } from './library';
import { createS3Source } from './s3';

export type { SourceEntry } from './source';

/** Sources of documents, by provider. `list` is sorted, so two listings of an unchanged source are equal. */
export interface Sources {
  /** `readers`: users who must all be allowed to see a source with access rights. Absent: no restriction. */
  list(
    provider: string,
    config: Record<string, unknown>,
    signal: AbortSignal,
    readers?: readonly Reader[],
  ): AsyncIterable<SourceEntry>;
  /** The bytes of a listed file. Throws SOURCE_UNREADABLE when it no longer exists or cannot be read. */
  read(provider: string, path: string, config: Record<string, unknown>, signal: AbortSignal): Promise<Uint8Array>;
  /** SHA-256 of the file's bytes in hexadecimal, computed without loading them into memory. */
  hash(provider: string, path: string, config: Record<string, unknown>, signal: AbortSignal): Promise<string>;
}

/** The files that flows may read (none without a root), and the guard for remote sources. */
export interface SourcesOptions extends SourceLimits {
  /** Default: a guard that allows only public addresses. */
  guard?: AddressGuard;
  /** Document libraries. When absent, no library is found. */
  library?: LibrarySourceDeps;
}

const noLibraries: LibrarySourceDeps = {
  libraries: { get: async () => undefined },
  files: { all: async function* none() {}, named: async () => undefined, open: () => Readable.from([]) },
};

/** All sources by provider. */
export function createSources({
  guard = createAddressGuard([]),
  library = noLibraries,
  ...limits
}: SourcesOptions): Sources {
  const sources: Readonly<Record<SourceProvider, Source>> = {
    filesystem: createFilesystemSource(limits),
    s3: createS3Source({ guard }),
    http: createHttpSource({ guard }),
    library: createLibrarySource(library),
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
    list: (provider, config, signal, readers) => find(provider).list(config, signal, readers),
    read: async (provider, path, config, signal) => find(provider).read(path, config, signal),
    hash: async (provider, path, config, signal) => find(provider).hash(path, config, signal),
  };
}
