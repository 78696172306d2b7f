import { homedir } from 'node:os';
import path from 'node:path';
import type { Config } from '../../model/config';
import type { SourceLimits } from './roots';

/** The settings that say where the product keeps what is its own. */
export type OwnFolders = Pick<
  Config,
  'DOCLOOM_DATA' | 'DOCLOOM_CACHE' | 'PROJECT_REPOSITORY_BASE_DIR' | 'PIPE_JOB_STATS_BASE_DIR'
>;

/** Files of the data folder that hold keys. */
export const secretFiles = ['jwt-secret', 'connection-keys'] as const;

/** Folders that the system fills with the state of processes and devices. */
const systemFolders = ['/proc', '/sys', '/dev'];

/** The data folder and the cache folder; absolute. */
export function ownFolders({ DOCLOOM_DATA, DOCLOOM_CACHE }: OwnFolders): { data: string; cache: string } {
  return { data: path.resolve(DOCLOOM_DATA), cache: path.resolve(DOCLOOM_CACHE || defaultCache()) };
}

/**
 * Files and folders that no flow may read, whatever DOCLOOM_SOURCE_ROOTS says: keys, databases, the flows and statistics
 * of others, and the environment of processes. Key files stand in the list themselves, so that a hard link is found too.
 */
export function closedFolders(settings: OwnFolders): string[] {
  const { data, cache } = ownFolders(settings);
  const flows = settings.PROJECT_REPOSITORY_BASE_DIR;
  const statistics = settings.PIPE_JOB_STATS_BASE_DIR;
  return [
    data,
    cache,
    ...secretFiles.map((name) => path.join(data, name)),
    ...(flows ? [path.resolve(flows, 'flows'), path.resolve(flows, 'projects')] : []),
    ...(statistics ? [path.resolve(statistics)] : []),
    ...systemFolders,
  ];
}

/** The limits of the filesystem source by the settings of a process. */
export function sourceLimits(
  settings: OwnFolders & Pick<Config, 'DOCLOOM_SOURCE_ROOTS' | 'DOCLOOM_HIDDEN_FILES'>,
): SourceLimits {
  return {
    roots: settings.DOCLOOM_SOURCE_ROOTS,
    closed: closedFolders(settings),
    hidden: settings.DOCLOOM_HIDDEN_FILES,
  };
}

function defaultCache(): string {
  return path.join(homedir(), '.cache', 'docloom');
}
