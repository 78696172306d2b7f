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

/** Values of `rights` that read the rights of the source itself. */
const sourceRightsModes = ['posix', 'windows', 'source'];

/** Reads the settings from `connection_params`, `provider_config` or the operator's top level, in this order. */
export function readFilesystemSettings(config: Record<string, unknown>): FilesystemSettings {
  const readFirst = createValueReader([config['connection_params'], config['provider_config'], config]);
  const megabytes = readFirst('max_file_size_mb', 'max_file_size');
  const allowedUsers = readFirst('allowed_users');
  return {
    paths: listTexts(readFirst('paths', 'root_path')),
    recursive: readFirst('recursive') !== false,
    ignoreHidden: readFirst('ignore_hidden_files', 'skip_hidden_files') !== false,
    include: listPatterns(readFirst('include_filter')),
    exclude: [...listPatterns(readFirst('exclude_filter')), ...listPatterns(readFirst('exclude_patterns'))],
    ...(typeof megabytes === 'number' ? { maxFileBytes: megabytes * 1024 * 1024 } : {}),
    ...(sourceRightsModes.some((mode) => mode === readFirst('rights')) ? { needsRights: true as const } : {}),
    ...(Array.isArray(allowedUsers) ? { allowedUsers: listTexts(allowedUsers) } : {}),
  };
}

/** Finds the first value of a setting, under any of its names, in these objects in order. */
export function createValueReader(places: readonly unknown[]): (...names: string[]) => unknown {
  const objects = places.filter(isObject);
  return (...names) =>
    objects.flatMap((place) => names.map((name) => place[name])).find((value) => value !== undefined && value !== null);
}

/**
 * True if the settings choose documents by parts of their names. The number of documents that somebody may not read would then
 * reveal these names letter by letter.
 */
export function choosesByName(config: Record<string, unknown>): boolean {
  const { include, exclude } = readFilesystemSettings(config);
  const places = [config['connection_params'], config['provider_config'], config].filter(isObject);
  // `reports/` is a folder; `reports/a` is the beginning of names.
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
