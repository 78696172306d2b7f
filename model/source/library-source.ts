import { readFilesystemSettings } from './filesystem-source';
import type { SourceFilter } from './remote-source';
import { createSettingReader } from './server-settings';

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
  const libraryId = createSettingReader(config)('library_id') ?? '';
  return { ...filter, libraryId: libraryId.toLowerCase() };
}
