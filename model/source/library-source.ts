import { readFilesystemSettings } from './filesystem-source';
import type { SourceFilter } from './remote-source';

/** Prefix of the `source` of documents in a library; the library id follows. */
export const librarySource = 'library:';

/** The settings of a library source in a flow. */
export interface LibrarySettings extends SourceFilter {
  /** Empty if none is named. */
  libraryId: string;
}

/** Reads `library_id` from `connection_params`, `provider_config` or the operator's top level, in this order. */
export function readLibrarySettings(config: Record<string, unknown>): LibrarySettings {
  const { paths: _paths, ...filter } = readFilesystemSettings(config);
  const places = [config['connection_params'], config['provider_config'], config];
  const input = places
    .map((place) => (place as Record<string, unknown> | null | undefined)?.['library_id'])
    .find((value) => typeof value === 'string' && value.trim() !== '');
  return { ...filter, libraryId: typeof input === 'string' ? input.trim().toLowerCase() : '' };
}
