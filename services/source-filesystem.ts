import { createHash } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, open, readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { AppError } from '../model/errors';
import { type FilesystemSettings, readFilesystemSettings } from '../model/filesystem-source';
import { type AccessRules, readAccessRules, sidecarName } from './access-sidecar';
import { createFileFilter, type FileFilter } from './file-filter';
import { mediaTypeOf } from './media-types';
import type { SourceEntry } from './ports';
import type { Source } from './sources';

/** A path of the flow that was found and may be read. */
interface Root {
  /** The folder that relative paths count from; for a single file its own folder. */
  folder: string;
  /** Set when the path is one file. */
  file?: string;
  /** Rules of the folders from the allowed root down to `folder`, nearest first. */
  rules: AccessRules[];
}
interface Walk {
  root: Root;
  settings: FilesystemSettings;
  filter: FileFilter;
  signal: AbortSignal;
}

/** How many files are looked at together: enough to hide the latency of a network drive. */
const together = 32;

/**
 * Files below the allowed roots, in the order of their paths, one folder in memory at a time. Symbolic links are not
 * followed: what they point at inside is listed under its own path, and what is outside must not be.
 */
export function createFilesystemSource({ roots }: { roots: readonly string[] }): Source {
  return {
    async *list(config, signal) {
      const settings = readFilesystemSettings(config);
      const filter = createFileFilter(settings);
      for (const root of await findRoots(settings, roots)) {
        const walk = { root, settings, filter, signal };
        if (root.file) yield* entriesOf(walk, root.folder, [path.basename(root.file)], root.rules);
        else yield* walkFolder(walk, root.folder, root.rules.slice(root.rules[0]?.folder === root.folder ? 1 : 0));
      }
    },
    async read(file, _config, signal) {
      const handle = await openInside(file, roots);
      try {
        return await handle.readFile({ signal });
      } catch (error) {
        throw signal.aborted ? error : unreadable(file, error);
      } finally {
        await handle.close();
      }
    },
    async hash(file, _config, signal) {
      const handle = await openInside(file, roots);
      const hash = createHash('sha256');
      try {
        for await (const chunk of handle.createReadStream({ autoClose: false, signal })) hash.update(chunk as Buffer);
        return hash.digest('hex');
      } catch (error) {
        throw signal.aborted ? error : unreadable(file, error);
      } finally {
        await handle.close();
      }
    },
  };
}

async function findRoots(settings: FilesystemSettings, allowed: readonly string[]): Promise<Root[]> {
  const found = new Map<string, Root>();
  for (const given of settings.paths) {
    const absolute = path.resolve(given);
    const real = await realpath(absolute).catch((error: unknown) => {
      throw rootError(given, error);
    });
    const limit = await allowedRootOf(real, allowed);
    if (limit === undefined) throw notAllowed(given, allowed);
    if ((await stat(real)).isDirectory())
      found.set(absolute, { folder: absolute, rules: await rulesAbove(real, limit, absolute) });
    // A file goes by its real name, since that is the one that access lists speak of.
    else
      found.set(real, {
        folder: path.dirname(real),
        file: real,
        rules: await rulesAbove(path.dirname(real), limit, path.dirname(real)),
      });
  }
  // A path within another would be listed twice, under two ids.
  const isListedBy = (inner: string, [outer, root]: [string, Root]) =>
    !root.file &&
    settings.recursive &&
    isInside(inner, outer) &&
    !(
      settings.ignoreHidden &&
      path
        .relative(outer, inner)
        .split(path.sep)
        .some((name) => name.startsWith('.'))
    );
  return [...found]
    .filter(([absolute]) => ![...found].some((other) => isListedBy(absolute, other)))
    .map(([, root]) => root);
}

/** The rules from `folder` up to the allowed root: a flow that names a folder further down does not escape them. */
async function rulesAbove(folder: string, limit: string, shown: string): Promise<AccessRules[]> {
  const rules: AccessRules[] = [];
  for (let current = folder; ; current = path.dirname(current)) {
    const found = await readAccessRules(current);
    // Files are looked up by the path as listed, which differs from the real one when the source itself is a link.
    if (found)
      rules.push({
        folder: current === folder ? shown : current,
        usersOf: (file) => found.usersOf(path.join(folder, path.relative(shown, file))),
      });
    if (current === limit || current === path.dirname(current)) return rules;
  }
}

async function* walkFolder(walk: Walk, folder: string, above: readonly AccessRules[]): AsyncGenerator<SourceEntry> {
  walk.signal.throwIfAborted();
  let names: string[];
  try {
    names = await readdir(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || folder === walk.root.folder)
      yield unlisted(walk, folder, error);
    return;
  }
  const own = names.includes(sidecarName) ? await readAccessRules(folder) : undefined;
  yield* entriesOf(walk, folder, names.toSorted(byCodeUnits), own ? [own, ...above] : above);
}

async function* entriesOf(
  walk: Walk,
  folder: string,
  names: readonly string[],
  rules: readonly AccessRules[],
): AsyncGenerator<SourceEntry> {
  for (let start = 0; start < names.length; start += together) {
    walk.signal.throwIfAborted();
    const files = names
      .slice(start, start + together)
      .filter((name) => name !== sidecarName)
      .map((name) => path.join(folder, name));
    const stats = await Promise.all(
      files.map((file) => lstat(file).catch((error: unknown) => error as NodeJS.ErrnoException)),
    );
    for (const [index, file] of files.entries()) {
      const found = stats[index];
      if (found === undefined || ('code' in found && found.code === 'ENOENT')) continue;
      yield* entriesAt(walk, file, found, rules);
    }
  }
}

async function* entriesAt(
  walk: Walk,
  file: string,
  stats: Stats | Error,
  rules: readonly AccessRules[],
): AsyncGenerator<SourceEntry> {
  const { root, settings, filter } = walk;
  const relative = path.relative(root.folder, file).split(path.sep).join('/');
  // A file that the flow names itself is wanted, hidden or not.
  if (settings.ignoreHidden && !root.file && path.basename(file).startsWith('.')) return;
  if (stats instanceof Error) {
    yield unlisted(walk, file, stats);
    return;
  }
  if (stats.isDirectory()) {
    if (settings.recursive && filter.entersFolder(relative)) yield* walkFolder(walk, file, rules);
    return;
  }
  if (!filter.takesFile(relative)) return;
  if (!stats.isFile()) {
    yield {
      ...entryOf(root, file),
      skip: stats.isSymbolicLink() ? 'Symbolic links are not followed' : 'Not a regular file',
    };
    return;
  }
  yield withAccess({ ...entryOf(root, file, stats), ...tooLarge(stats.size, settings) }, file, rules, settings);
}

/** A folder, or what may be one, that could not be looked into. */
function unlisted(walk: Walk, file: string, error: unknown): SourceEntry {
  return {
    ...entryOf(walk.root, file),
    failure: { code: 'SOURCE_UNREADABLE', message: unreadable(file, error).message },
    incomplete: true,
  };
}

function withAccess(
  entry: SourceEntry,
  file: string,
  rules: readonly AccessRules[],
  settings: FilesystemSettings,
): SourceEntry {
  try {
    for (const rule of rules) {
      const users = rule.usersOf(file);
      if (users) return { ...entry, allowedUsers: users };
    }
  } catch (error) {
    const { code, message } = error as AppError;
    return { ...entry, failure: { code, message } };
  }
  return settings.allowedUsers ? { ...entry, allowedUsers: settings.allowedUsers } : entry;
}

function tooLarge(size: number, { maxFileBytes }: FilesystemSettings): Pick<SourceEntry, 'failure'> {
  if (maxFileBytes === undefined || size <= maxFileBytes) return {};
  return {
    failure: {
      code: 'SOURCE_TOO_LARGE',
      message: `The file has ${size} bytes; max_file_size_mb allows ${maxFileBytes}.`,
    },
  };
}

function entryOf(root: Root, file: string, stats?: Stats): SourceEntry {
  const relativePath = path.relative(root.folder, file).split(path.sep).join('/');
  const extension = path.extname(file).slice(1).toLowerCase();
  return {
    source: `file:${root.folder.split(path.sep).join('/')}`,
    relativePath,
    path: file,
    name: path.basename(file),
    mimetype: mediaTypeOf(extension),
    size: stats?.size ?? 0,
    modifiedTime: stats?.mtime.toISOString() ?? '',
    metadata: { relative_path: relativePath, extension },
  };
}

/** Opens what the path really is, and only inside the allowed roots: a link may have taken the file's place since. */
async function openInside(file: string, allowed: readonly string[]): Promise<FileHandle> {
  const real = await realpath(file).catch((error: unknown) => {
    throw unreadable(file, error);
  });
  if ((await allowedRootOf(real, allowed)) === undefined) throw notAllowed(file, allowed);
  const handle = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    (error: unknown) => {
      throw unreadable(file, error);
    },
  );
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  throw unreadable(file, new Error('it is not a regular file'));
}

async function allowedRootOf(real: string, allowed: readonly string[]): Promise<string | undefined> {
  for (const root of allowed) {
    const realRoot = await realpath(path.resolve(root)).catch(() => undefined);
    if (realRoot !== undefined && (real === realRoot || isInside(real, realRoot))) return realRoot;
  }
  return undefined;
}

function isInside(file: string, folder: string): boolean {
  const relative = path.relative(folder, file);
  return relative !== '' && relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}

function byCodeUnits(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

function rootError(given: string, error: unknown): AppError {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return new AppError('SOURCE_NOT_FOUND', `The source path '${given}' does not exist on the worker.`, {}, error);
  return new AppError(
    'SOURCE_NOT_FOUND',
    `The source path '${given}' cannot be reached on the worker: ${message}.`,
    {},
    error,
  );
}

function notAllowed(given: string, allowed: readonly string[]): AppError {
  const roots = allowed.length > 0 ? `Allowed are: ${allowed.join(', ')}.` : 'No folder is allowed yet.';
  return new AppError(
    'SOURCE_NOT_ALLOWED',
    `The path '${given}' lies outside the folders that flows may read. ${roots} DOCLOOM_SOURCE_ROOTS on the worker sets them.`,
  );
}

function unreadable(file: string, error: unknown): AppError {
  return new AppError('SOURCE_UNREADABLE', `'${file}' cannot be read: ${(error as Error).message}.`, {}, error);
}
