import { Readable } from 'node:stream';
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

/** Where documents come from. `list` is sorted, so two listings of an unchanged source are equal. */
export interface Sources {
  /** `readers` are the users who must all be able to see a source that has rights of its own; none for everybody. */
  list(
    provider: string,
    config: Record<string, unknown>,
    signal: AbortSignal,
    readers?: readonly string[],
  ): AsyncIterable<SourceEntry>;
  /** The bytes of a listed file; SOURCE_UNREADABLE if it no longer exists or cannot be read. */
  read(provider: string, path: string, config: Record<string, unknown>, signal: AbortSignal): Promise<Uint8Array>;
  /** SHA-256 of these bytes, hexadecimal, without holding them in memory. */
  hash(provider: string, path: string, config: Record<string, unknown>, signal: AbortSignal): Promise<string>;
}

/** What sources need: the files that flows may read (without a root, none), and the guard of what is not here. */
export interface SourcesOptions extends SourceLimits {
  /** Lets public addresses only pass where it is absent. */
  guard?: AddressGuard;
  /** Document libraries; where they are absent, none is found. */
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
