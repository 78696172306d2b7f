import { readFilesystemSettings } from '../filesystem-source';
import type { SourceFilter } from '../remote-source';
import { readSignIn, createSettingReader, type SignIn } from '../server-settings';

/** The wiki to read. */
export interface MediawikiSettings extends SourceFilter, SignIn {
  /** The address of `api.php`. */
  apiUrl: string;
  /** Numbers of the namespaces whose pages are read. */
  namespaces: readonly string[];
}

/** The settings of a wiki, from the members used by every source. */
export function readMediawikiSettings(config: Record<string, unknown>): MediawikiSettings {
  const { paths: _paths, ...filter } = readFilesystemSettings(config);
  const read = createSettingReader(config);
  const namespaces = (read('namespaces') ?? '0').split(',').map((number) => number.trim());
  return { ...filter, ...readSignIn(config), apiUrl: read('api_url') ?? '', namespaces: [...new Set(namespaces)] };
}
