import type { SourceFilter } from './remote-source';
import { readFilesystemSettings } from './filesystem-source';

/** How the `source` of a document of a library begins; the id of the library follows. */
export const librarySource = 'library:';

/** How a flow names a document library. */
export interface LibrarySettings extends SourceFilter {
  /** Empty when none is named. */
  libraryId: string;
}

/** Reads `library_id` from `connection_params`, `provider_config` or the operator's own level, in this order. */
export function readLibrarySettings(config: Record<string, unknown>): LibrarySettings {
  const { paths: _paths, ...filter } = readFilesystemSettings(config);
  const places = [config['connection_params'], config['provider_config'], config];
  const given = places
    .map((place) => (place as Record<string, unknown> | null | undefined)?.['library_id'])
    .find((value) => typeof value === 'string' && value.trim() !== '');
  return { ...filter, libraryId: typeof given === 'string' ? given.trim().toLowerCase() : '' };
}
