import { trimSlashes } from '../../trim-slashes';
import { readFilesystemSettings } from '../filesystem-source';
import type { SourceFilter } from '../remote-source';
import { readSignIn, createSettingReader } from '../server-settings';

/** The space of a Confluence site to read. */
export interface ConfluenceSettings extends SourceFilter {
  /** Without `/wiki`. */
  siteUrl: string;
  /** The key of the space. */
  space: string;
  username: string;
  token: string;
}

/** Reads the settings from the members used by every source. */
export function readConfluenceSettings(config: Record<string, unknown>): ConfluenceSettings {
  const { paths: _paths, ...filter } = readFilesystemSettings(config);
  const read = createSettingReader(config);
  const { username = '', token = '' } = readSignIn(config);
  return {
    ...filter,
    siteUrl: trimSlashes(trimSlashes(read('site_url') ?? '').replace(/\/wiki$/, '')),
    space: read('space') ?? '',
    username,
    token,
  };
}
