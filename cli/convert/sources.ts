import { realpathSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import picomatch from 'picomatch';
import { AppError } from '../../model/errors';

/** A file to convert. `folder` is the folder for its outputs, relative to the output folder. */
export interface ConvertSource {
  path: string;
  folder: string;
  /** True if named on the command line rather than found in a folder. An unsupported format is then a failure. */
  isNamed: boolean;
}

/** A source with the name for its outputs, without extension and relative to the output folder. */
export type NamedSource = ConvertSource & { target: string };

/**
 * The files matched by paths, folders and patterns, without duplicates, in the order given and sorted within each. Files in a
 * folder keep their subfolder. Skips hidden files and folders, and everything below `except`, the output folder.
 */
export async function findSources(inputs: readonly string[], except?: string): Promise<ConvertSource[]> {
  const byPath = new Map<string, ConvertSource>();
  for (const input of inputs)
    for (const source of await findInputFiles(input, except)) {
      const key = path.resolve(source.path);
      if (!byPath.has(key)) byPath.set(key, source);
    }
  return [...byPath.values()];
}

/** The files of one argument: a file, a folder, a pattern, or `-` for standard input. */
async function findInputFiles(name: string, except: string | undefined): Promise<ConvertSource[]> {
  if (name === '-') return [{ path: name, folder: '.', isNamed: true }];
  const stats = await stat(name).catch(() => undefined);
  if (stats?.isDirectory()) {
    return (await listFilesBelow(name, except)).map((file) => ({
      path: path.join(name, file),
      folder: path.dirname(file),
      isNamed: false,
    }));
  }
  if (stats) return [{ path: name, folder: '.', isNamed: true }];
  const { base, isGlob } = picomatch.scan(name.replaceAll('\\', '/'));
  if (!isGlob) throw new AppError('SOURCE_NOT_FOUND', `There is no file or folder '${name}'.`);
  const root = base === '' ? '.' : base;
  const matches = picomatch(path.posix.normalize(name.replaceAll('\\', '/')), { dot: false });
  const files = (await listFilesBelow(root, except).catch(() => [])).filter((file) =>
    matches(path.posix.join(root, file.replaceAll('\\', '/'))),
  );
  if (files.length === 0) throw new AppError('SOURCE_NOT_FOUND', `No file matches '${name}'.`);
  return files.map((file) => ({ path: path.join(root, file), folder: path.dirname(file), isNamed: false }));
}

async function listFilesBelow(root: string, except: string | undefined, below = ''): Promise<string[]> {
  const entries = await readdir(path.join(root, below), { withFileTypes: true });
  const files: string[] = [];
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.name.startsWith('.')) continue;
    const file = path.join(below, entry.name);
    if (entry.isDirectory()) {
      const isOutput = except !== undefined && path.resolve(root, file) === path.resolve(except);
      if (!isOutput) files.push(...(await listFilesBelow(root, except, file)));
    } else if (entry.isFile()) files.push(file);
  }
  return files;
}

/** The output folder, and the extensions of the outputs. */
export interface OutputPlace {
  folder: string;
  extensions: readonly string[];
}

/**
 * Chooses an output name for each source: the file name without extension; with extension if two sources of a folder would
 * collide or an output would overwrite a source; numbered if that is not enough. Names that differ only in letter case collide.
 */
export function nameTargets(
  sources: readonly ConvertSource[],
  { folder, extensions }: OutputPlace = { folder: '.', extensions: [] },
): NamedSource[] {
  const originals = new Set(sources.map((source) => getRealPath(source.path).toLowerCase()));
  const isOriginal = (target: string) =>
    extensions.some((extension) =>
      originals.has(getRealPath(path.join(folder, `${target}.${extension}`)).toLowerCase()),
    );
  const shortNames = sources.map(({ path: file, folder: below }) =>
    path.join(below, file === '-' ? 'stdin' : path.parse(file).name),
  );
  const counts = new Map<string, number>();
  for (const name of shortNames) counts.set(name.toLowerCase(), (counts.get(name.toLowerCase()) ?? 0) + 1);
  const taken = new Set<string>();
  return sources.map((source, index) => {
    const shortName = shortNames[index] as string;
    const isFree = counts.get(shortName.toLowerCase()) === 1 && !isOriginal(shortName);
    const preferred = isFree ? shortName : path.join(source.folder, path.basename(source.path));
    let target = preferred;
    for (let number = 2; taken.has(target.toLowerCase()) || isOriginal(target); number++)
      target = `${preferred}-${number}`;
    taken.add(target.toLowerCase());
    return { ...source, target };
  });
}

/** True if both paths lead to the same file. Ignores letter case, as some file systems do. */
export function isSameFile(file: string, other: string): boolean {
  return getRealPath(file).toLowerCase() === getRealPath(other).toLowerCase();
}

/** The path with symbolic links resolved; for a missing file, resolves its nearest existing folder. */
function getRealPath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    const folder = path.dirname(path.resolve(file));
    return folder === path.resolve(file) ? folder : path.join(getRealPath(folder), path.basename(file));
  }
}
