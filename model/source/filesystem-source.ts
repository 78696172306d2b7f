import { isObject } from '../json';
/** The files to read, from any of the accepted spellings in a flow. */
export interface FilesystemSettings {
  /** As written; may be relative. Empty if none are given. */
  paths: string[];
  recursive: boolean;
  ignoreHidden: boolean;
  /** Extensions (`pdf`) or globs; empty means all files. */
  include: string[];
  exclude: string[];
  /** Undefined means no limit. */
  maxFileBytes?: number;
  /** From the flow; a sidecar next to the file overrides it. */
  allowedUsers?: string[];
  /** Set when the paths must be covered by an identity map. */
  needsRights?: true;
}

/** Reads the settings from `connection_params`, `provider_config` or the operator's top level, in this order. */
export function readFilesystemSettings(config: Record<string, unknown>): FilesystemSettings {
  const places = [config['connection_params'], config['provider_config'], config].filter(isObject);
  const first = (...names: string[]): unknown =>
    places.flatMap((place) => names.map((name) => place[name])).find((value) => value !== undefined && value !== null);
  const megabytes = first('max_file_size_mb', 'max_file_size');
  const allowedUsers = first('allowed_users');
  return {
    paths: listTexts(first('paths', 'root_path')),
    recursive: first('recursive') !== false,
    ignoreHidden: first('ignore_hidden_files', 'skip_hidden_files') !== false,
    include: listPatterns(first('include_filter')),
    exclude: [...listPatterns(first('exclude_filter')), ...listPatterns(first('exclude_patterns'))],
    ...(typeof megabytes === 'number' ? { maxFileBytes: megabytes * 1024 * 1024 } : {}),
    ...(['posix', 'windows', 'source'].some((value) => first('rights') === value)
      ? { needsRights: true as const }
      : {}),
    ...(Array.isArray(allowedUsers) ? { allowedUsers: listTexts(allowedUsers) } : {}),
  };
}

/**
 * True if the settings choose documents by parts of their names. The number of documents that somebody may not read would then
 * reveal these names letter by letter.
 */
export function choosesByName(config: Record<string, unknown>): boolean {
  const { include, exclude } = readFilesystemSettings(config);
  const places = [config['connection_params'], config['provider_config'], config].filter(isObject);
  const isPartOfName = ({ prefix }: Record<string, unknown>) =>
    typeof prefix === 'string' && !/^\/*$|\/\s*$/.test(prefix);
  return include.length > 0 || exclude.length > 0 || places.some(isPartOfName);
}

/** The texts of a setting that takes one text or a list; blank ones are dropped. */
export function listTexts(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).filter(
    (item): item is string => typeof item === 'string' && item.trim() !== '',
  );
}

/** In `pdf, *.{md,txt}`, commas inside braces belong to the glob. */
function listPatterns(value: unknown): string[] {
  return listTexts(value).flatMap((text) =>
    text
      .split(/,(?![^{]*\})/)
      .map((item) => item.trim())
      .filter(Boolean),
  );
}
