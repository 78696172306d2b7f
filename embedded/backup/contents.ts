import { lstatSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { AppError } from '../../model/errors';

/** A file or folder of a data folder that belongs into a backup. */
export interface Content {
  /** Relative to the data folder, with slashes. */
  name: string;
  type: 'file' | 'directory';
  mode: number;
  /** In seconds. */
  mtime: number;
  inode: number;
}

/** Files that a start recreates, marks of running processes, and leftovers of backups and restores. */
const excluded = [
  /^(logs|servers|lost\+found)$/,
  /^(stack|backup)\.(json|lock)/,
  /^\.(backup|restoring)-/,
  /^replaced-/,
  /^restore-unfinished$/,
  /^opensearch\/(config|logs|tmp)$/,
  /^store\/\.tmp$/,
  // SQLite derives it from the write-ahead log.
  /^temporal\/temporal\.db-shm$/,
];

/** Folders that every complete data folder has, with their content. */
const requiredFolders = { mongo: 'database', opensearch: 'index', temporal: 'workflow histories' } as const;

/** Everything in the data folder that belongs into a backup, folders before their files. Sockets are left out. */
export function listContents(dataDir: string): Content[] {
  return listFolder(dataDir, '');
}

/** Throws CONFLICT when the database, the index or the histories are not in the data folder. */
export function checkWhole(dataDir: string): void {
  for (const [name, title] of Object.entries(requiredFolders)) {
    if (statSync(path.join(dataDir, name), { throwIfNoEntry: false })?.isDirectory()) continue;
    throw new AppError('CONFLICT', `${dataDir} does not hold the ${title} of an installation ('${name}' is missing).`);
  }
}

/** True when the data folder holds data of an installation. */
export function hasData(dataDir: string): boolean {
  return readdirSync(dataDir).some((name) => !isExcluded(name));
}

/** Names in the data folder that a restore replaces. */
export function listNamesToReplace(dataDir: string): string[] {
  return readdirSync(dataDir).filter((name) => name === 'logs' || !isExcluded(name));
}

/**
 * True for files that are written once and then only renamed or removed: objects of the store, and segments of the search index. A
 * hard link keeps them as they are.
 */
export function isWrittenOnce(name: string): boolean {
  return /^store\//.test(name) || /^opensearch\/data\/.*\/index\/[^/]+$/.test(name);
}

function isExcluded(name: string): boolean {
  return excluded.some((pattern) => pattern.test(name));
}

function listFolder(dataDir: string, folder: string): Content[] {
  return readdirSync(path.join(dataDir, folder)).flatMap((entry) => {
    const name = folder === '' ? entry : `${folder}/${entry}`;
    if (isExcluded(name)) return [];
    const full = path.join(dataDir, name);
    // At the top, a link to a folder on another disk is followed.
    const stats = folder === '' ? statSync(full) : lstatSync(full, { throwIfNoEntry: false });
    // The store removes files while they are listed.
    if (!stats) return [];
    if (stats.isSymbolicLink())
      throw new AppError('CONFLICT', `${full} is a symbolic link; a backup holds files and folders only.`);
    if (!stats.isFile() && !stats.isDirectory()) return [];
    const type = stats.isFile() ? 'file' : 'directory';
    const content: Content = { name, type, mode: stats.mode & 0o777, mtime: stats.mtimeMs / 1000, inode: stats.ino };
    return type === 'file' ? [content] : [content, ...listFolder(dataDir, name)];
  });
}
