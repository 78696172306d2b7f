import { homedir } from 'node:os';
import path from 'node:path';
import type { Config } from '../../model/config';
import type { SourceLimits } from './roots';

/** The settings of the product's own folders. */
export type OwnFolders = Pick<
  Config,
  'DOCLOOM_DATA' | 'DOCLOOM_CACHE' | 'PROJECT_REPOSITORY_BASE_DIR' | 'PIPE_JOB_STATS_BASE_DIR'
>;

/** Files in the data folder that contain keys. */
export const secretFiles = ['jwt-secret', 'connection-keys'] as const;

/** System folders with the state of processes and devices. */
const systemFolders = ['/proc', '/sys', '/dev'];

/** The data and cache folders, as absolute paths. */
export function buildOwnFolders({ DOCLOOM_DATA, DOCLOOM_CACHE }: OwnFolders): { data: string; cache: string } {
  return { data: path.resolve(DOCLOOM_DATA), cache: path.resolve(DOCLOOM_CACHE || getDefaultCache()) };
}

/**
 * Files and folders that no flow may read, whatever DOCLOOM_SOURCE_ROOTS allows: keys, databases, flows and statistics of other
 * users, and the environment of processes. Key files are listed separately, so that hard links to them are recognised.
 */
export function listClosedFolders(settings: OwnFolders): string[] {
  const { data, cache } = buildOwnFolders(settings);
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

/** The limits of the filesystem source in the settings of a process. */
export function readSourceLimits(
  settings: OwnFolders & Pick<Config, 'DOCLOOM_SOURCE_ROOTS' | 'DOCLOOM_HIDDEN_FILES' | 'DOCLOOM_EXPORT_ROOTS'>,
): SourceLimits {
  return {
    roots: settings.DOCLOOM_SOURCE_ROOTS,
    // Exported files have lost their access lists: a flow that ingests them could reveal content to unauthorized readers.
    closed: [...listClosedFolders(settings), ...settings.DOCLOOM_EXPORT_ROOTS.map((root) => path.resolve(root))],
    hidden: settings.DOCLOOM_HIDDEN_FILES,
  };
}

function getDefaultCache(): string {
  return path.join(homedir(), '.cache', 'docloom');
}
