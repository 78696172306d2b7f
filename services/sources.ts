import { AppError } from '../model/errors';
import type { SourceEntry, Sources } from './ports';
import { createFilesystemSource } from './source-filesystem';

/** One kind of source; `config` is the configuration of the ingest operator. */
export interface Source {
  list(config: Record<string, unknown>, signal: AbortSignal): AsyncIterable<SourceEntry>;
  read(path: string, config: Record<string, unknown>, signal: AbortSignal): Promise<Uint8Array>;
  hash(path: string, config: Record<string, unknown>, signal: AbortSignal): Promise<string>;
}

/** All sources by provider. `roots` are the folders that flows may read; without any, no file can be read. */
export function createSources({ roots }: { roots: readonly string[] }): Sources {
  const sources: Readonly<Record<string, Source>> = { filesystem: createFilesystemSource({ roots }) };
  const find = (provider: string): Source => {
    const source = Object.hasOwn(sources, provider) ? sources[provider] : undefined;
    if (source) return source;
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
