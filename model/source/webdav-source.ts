import { readFilesystemSettings } from './filesystem-source';
import type { SourceFilter } from './remote-source';
import { readSignIn, createSettingReader, type SignIn } from './server-settings';

/** The folder of a WebDAV server to read. */
export interface WebdavSourceSettings extends SourceFilter, SignIn {
  folderUrl: string;
}

/** Reads the settings from the members used by every source. */
export function readWebdavSettings(config: Record<string, unknown>): WebdavSourceSettings {
  const { paths: _paths, ...filter } = readFilesystemSettings(config);
  const read = createSettingReader(config);
  return { ...filter, ...readSignIn(config), folderUrl: read('folder_url') ?? '' };
}
