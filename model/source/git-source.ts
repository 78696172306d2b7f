import { readFilesystemSettings } from './filesystem-source';
import type { SourceFilter } from './remote-source';
import { readSignIn, createSettingReader, type SignIn } from './server-settings';

/** The branch of a repository to read. */
export interface GitSourceSettings extends SourceFilter, SignIn {
  repositoryUrl: string;
  /** Absent: the default branch of the server. */
  branch?: string;
  /** Absolute within the repository, without a trailing slash; `/` for all. */
  folder: string;
}

/** Reads the settings from the members used by every source. */
export function readGitSettings(config: Record<string, unknown>): GitSourceSettings {
  const { paths: _paths, ...filter } = readFilesystemSettings(config);
  const read = createSettingReader(config);
  return {
    ...filter,
    ...readSignIn(config),
    repositoryUrl: read('repository_url') ?? '',
    folder: toAbsoluteFolder(read('folder') ?? ''),
    branch: read('branch'),
  };
}

/** `docs/api/` is `/docs/api`. */
export function toAbsoluteFolder(folder: string): string {
  return `/${folder
    .split('/')
    .filter((name) => name !== '' && name !== '.')
    .join('/')}`;
}
