import { AppError } from '../../model/errors';
import { type SourceProvider, sourceProviderOf } from '../../model/source/remote-source';
import { type AddressGuard, createAddressGuard } from '../net/address-guard';
import type { SourceEntry, Sources } from '../ports';
import { createFilesystemSource } from './filesystem';
import { createHttpSource } from './http';
import { createS3Source } from './s3';

/** One kind of source; `config` is the configuration of the ingest operator. */
export interface Source {
  list(config: Record<string, unknown>, signal: AbortSignal): AsyncIterable<SourceEntry>;
  read(path: string, config: Record<string, unknown>, signal: AbortSignal): Promise<Uint8Array>;
  hash(path: string, config: Record<string, unknown>, signal: AbortSignal): Promise<string>;
}

/** What sources need: the folders that flows may read (without any, no file can be read), and the guard of what is not here. */
export interface SourcesOptions {
  roots: readonly string[];
  /** Lets public addresses only pass where it is absent. */
  guard?: AddressGuard;
}

/** All sources by provider. */
export function createSources({ roots, guard = createAddressGuard([]) }: SourcesOptions): Sources {
  const sources: Readonly<Record<SourceProvider, Source>> = {
    filesystem: createFilesystemSource({ roots }),
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
