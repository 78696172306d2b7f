import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';

/** The environment variables of a process. */
export type Environment = Record<string, string | undefined>;

/** The folder of package.json, both from the sources and from dist. */
export const packageRoot = existsSync(path.join(__dirname, '..', 'package.json'))
  ? path.join(__dirname, '..')
  : path.join(__dirname, '..', '..');

/** Path of a file shipped unchanged in `embedded/` (Java source, LDIF), not compiled to dist. */
export function buildShippedPath(name: string): string {
  return path.join(packageRoot, 'embedded', name);
}

/** DOCLOOM_CACHE, else ~/.cache/docloom; absolute. */
export function readCacheFolder(env: Environment): string {
  return path.resolve(env['DOCLOOM_CACHE']?.trim() || path.join(homedir(), '.cache', 'docloom'));
}

/** DOCLOOM_MODELS_FOLDER, else `models` in the cache folder; absolute. */
export function readModelsFolder(env: Environment): string {
  const input = (env['DOCLOOM_MODELS_FOLDER'] ?? env['DOCLING_SERVE_ARTIFACTS_PATH'])?.trim();
  return input ? path.resolve(input) : path.join(readCacheFolder(env), 'models');
}

/** DOCLOOM_DATA, else .docloom in the current folder; absolute. */
export function readDataFolder(env: Environment): string {
  return path.resolve(env['DOCLOOM_DATA']?.trim() || '.docloom');
}

/** Creates a folder with those above it, level by level: below /proc, the recursive mode of Node never returns. */
export function createFolder(folder: string, mode?: number): void {
  const absolute = path.resolve(folder);
  if (isFolder(absolute)) return;
  const parent = path.dirname(absolute);
  if (parent !== absolute) createFolder(parent, mode);
  try {
    mkdirSync(absolute, mode);
  } catch (error) {
    // Another process may have created it since.
    if (!isFolder(absolute)) throw error;
  }
}

function isFolder(name: string): boolean {
  return statSync(name, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** The first executable file of that name on PATH. Ignores relative entries of PATH. */
export function findOnPath(name: string, env: Environment): string | undefined {
  for (const folder of (env['PATH'] ?? '').split(path.delimiter)) {
    if (!path.isAbsolute(folder)) continue;
    const file = path.join(folder, name);
    if (isExecutable(file)) return file;
  }
  return undefined;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
