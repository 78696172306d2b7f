import { constants } from 'node:fs';
import { type FileHandle, open, readdir, readlink, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { AppError } from '../../model/errors';
import type { FilesystemSettings } from '../../model/source/filesystem-source';
import { createRenewingCache } from '../pacing/renewing-cache';
import { type AccessRules, readAccessRules } from './access-sidecar';

/** The files that flows may read. */
export interface SourceLimits {
  /** Files below these folders may be read. */
  roots: readonly string[];
  /** Files and folders that must not be read even below a root, whatever path leads to them. */
  closed?: readonly string[];
  /** True if names below a root that start with a dot may be read. */
  hidden?: boolean;
}

/** A path in the flow that exists and may be read. */
export interface Root {
  /** The base of relative paths; for a single file, its folder. */
  folder: string;
  /** `folder` with symbolic links resolved, as it was when it was found to be allowed. */
  real: string;
  /** Set when the path is a single file. */
  file?: string;
  /** Rules of the folders from the allowed root down to `folder`, nearest first. */
  rules: AccessRules[];
}

/** How folders are looked up. Missing ones are undefined. */
interface Lookup {
  realPath: (folder: string) => Promise<string | undefined>;
  /** Identifies the file or folder under every name. */
  identity: (place: string) => Promise<string | undefined>;
}

const uncached: Lookup = {
  realPath: (folder) => realpath(path.resolve(folder)).catch(() => undefined),
  identity: (place) => stat(place).then(formatFileIdentity, () => undefined),
};
/** As they were at most a second ago: otherwise each file of a folder costs a look at all folders above it and all closed ones. */
const briefly = { freshMs: 1_000, maxEntries: 1_000, now: () => performance.now() };
const cached: Lookup = {
  realPath: createRenewingCache(uncached.realPath, briefly),
  identity: createRenewingCache(uncached.identity, briefly),
};

/** Resolves the paths of the flow and removes duplicates. SOURCE_NOT_FOUND and SOURCE_NOT_ALLOWED contain the path as given. */
export async function findRoots(settings: FilesystemSettings, limits: SourceLimits): Promise<Root[]> {
  const roots = new Map<string, Root>();
  for (const givenPath of settings.paths) {
    const absolute = path.resolve(givenPath);
    const real = await realpath(absolute).catch(async (error: unknown) => {
      // Report a path as missing only where it would be readable if it existed.
      await findAllowedRoot(givenPath, await resolveMissing(absolute), limits);
      throw createRootError(givenPath, error);
    });
    const allowedRoot = await findAllowedRoot(givenPath, real, limits);
    if ((await stat(real)).isDirectory()) {
      roots.set(absolute, { folder: absolute, real, rules: await listRulesAbove(real, allowedRoot, absolute) });
    } else {
      // A file is listed under its real name, because access lists use that name.
      const folder = path.dirname(real);
      roots.set(real, { folder, real: folder, file: real, rules: await listRulesAbove(folder, allowedRoot, folder) });
    }
  }
  return omitListedTwice(roots, settings);
}

/** Omits paths inside others, which would be listed twice, with two ids. */
function omitListedTwice(roots: ReadonlyMap<string, Root>, { recursive, ignoreHidden }: FilesystemSettings): Root[] {
  if (!recursive) return [...roots.values()];
  const isListedBy = (inner: string, outer: string) =>
    isInside(inner, outer) && !(ignoreHidden && hasHiddenPart(path.relative(outer, inner)));
  const folders = [...roots].filter(([, { file }]) => file === undefined).map(([absolute]) => absolute);
  return [...roots]
    .filter(([absolute]) => !folders.some((folder) => isListedBy(absolute, folder)))
    .map(([, root]) => root);
}

/** The rules from `folder` up to the allowed root, so that a flow cannot bypass them by naming a subfolder. */
async function listRulesAbove(folder: string, allowedRoot: string, shownFolder: string): Promise<AccessRules[]> {
  const rules: AccessRules[] = [];
  for (let current = folder; ; current = path.dirname(current)) {
    const accessRules = await readAccessRules(current);
    // Files are looked up by their listed path, which differs from the real one if the source itself is a link.
    if (accessRules)
      rules.push({
        folder: current === folder ? shownFolder : current,
        listOf: (file) => accessRules.listOf(path.join(folder, path.relative(shownFolder, file))),
      });
    if (current === allowedRoot || current === path.dirname(current)) return rules;
  }
}

/**
 * Opens the real path, and only inside the allowed roots. Throws SOURCE_UNREADABLE if a link leads somewhere other than the
 * place where the file was listed below one of `paths`, or if the file is not the one with `identity`: it was put there since, and
 * the access list belongs to the file that was there before.
 */
export async function openInside(
  file: string,
  limits: SourceLimits,
  paths: readonly string[] = [],
  identity?: string,
): Promise<FileHandle> {
  const real = await realpath(file).catch((error: unknown) => {
    throw createUnreadableError(file, error);
  });
  await findAllowedRoot(file, real, limits, cached);
  if (!(await isWhereListed(file, real, paths))) throw createReplacedError(file);
  const handle = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    (error: unknown) => {
      throw createUnreadableError(file, error);
    },
  );
  // A folder of the path may have become a link between the two calls.
  const opened = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => real);
  const stats = await handle.stat();
  const isListed = opened === real && (identity === undefined || identity === formatFileIdentity(stats));
  if (isListed && stats.isFile()) return handle;
  await handle.close();
  if (!isListed) throw createReplacedError(file);
  throw createUnreadableError(file, new Error('it is not a regular file'));
}

/**
 * The names in a folder, given by its real path. Throws SOURCE_UNREADABLE if the folder or one above it has become a link: the
 * names behind the link may be those of a closed folder.
 */
export async function listNames(real: string): Promise<string[]> {
  const handle = await open(real, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    const opened = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => undefined);
    if ((opened ?? (await realpath(real))) !== real) throw createReplacedError(real);
    return await readdir(opened === undefined ? real : `/proc/self/fd/${handle.fd}`);
  } finally {
    await handle.close();
  }
}

/**
 * Walks do not follow links, so the real path of a listed file below a path of the flow is the path itself. The path of the
 * flow may be a link.
 */
async function isWhereListed(file: string, real: string, paths: readonly string[]): Promise<boolean> {
  const foldersAbove = paths.map((given) => path.resolve(given)).filter((folder) => isInside(file, folder));
  if (foldersAbove.length === 0) return true;
  const places = await Promise.all(
    foldersAbove.map(async (folder) => {
      const realFolder = await realpath(folder).catch(() => undefined);
      return realFolder === undefined ? undefined : path.join(realFolder, path.relative(folder, file));
    }),
  );
  return places.includes(real);
}

function createReplacedError(file: string): AppError {
  return new AppError('SOURCE_UNREADABLE', `'${file}' was replaced since it was listed.`);
}

/** The real path of the root that allows reading `real`. Throws SOURCE_NOT_ALLOWED with the path as given if there is none. */
async function findAllowedRoot(
  givenPath: string,
  real: string,
  limits: SourceLimits,
  lookup = uncached,
): Promise<string> {
  let isHidden = false;
  for (const root of limits.roots) {
    const realRoot = await lookup.realPath(root);
    if (realRoot === undefined || (real !== realRoot && !isInside(real, realRoot))) continue;
    if (limits.hidden || !hasHiddenPart(path.relative(realRoot, real))) {
      if (await isClosed(real, await listClosedPlaces(limits, lookup), lookup)) throw createClosedError(givenPath);
      return realRoot;
    }
    isHidden = true;
  }
  throw isHidden ? createHiddenError(givenPath) : createNotAllowedError(givenPath, limits.roots);
}

/** The limit of Linux for the links of one path. */
const maxLinks = 40;

/** The real path, or what it would be if the missing parts existed. Follows links, including dangling ones. */
async function resolveMissing(absolute: string, links = 0): Promise<string> {
  const real = await realpath(absolute).catch(() => undefined);
  const parent = path.dirname(absolute);
  if (real !== undefined || parent === absolute) return real ?? absolute;
  const folder = await resolveMissing(parent, links);
  const place = path.join(folder, path.basename(absolute));
  const target = await readlink(place).catch(() => undefined);
  return target === undefined || links >= maxLinks ? place : resolveMissing(path.resolve(folder, target), links + 1);
}

/** Device and inode of each closed place, which are the same under every name. */
export async function listClosedPlaces({ closed = [] }: SourceLimits, lookup = uncached): Promise<ReadonlySet<string>> {
  const identities = await Promise.all(closed.map((place) => lookup.identity(place)));
  return new Set(identities.filter((identity) => identity !== undefined));
}

/** Identifies a file or folder independently of its path. */
export function formatFileIdentity({ dev, ino }: { dev: number; ino: number }): string {
  return `${dev}:${ino}`;
}

/** True if the file or one of its parent folders is closed. The file itself is never looked up in the cache. */
export async function isClosed(real: string, places: ReadonlySet<string>, lookup = uncached): Promise<boolean> {
  for (let current = real; places.size > 0; current = path.dirname(current)) {
    const identity = await (current === real ? uncached : lookup).identity(current);
    if (identity !== undefined && places.has(identity)) return true;
    if (current === path.dirname(current)) return false;
  }
  return false;
}

/** True for paths below a folder with a name that begins with a dot. */
export function hasHiddenPart(relative: string): boolean {
  return relative.split(path.sep).some((name) => name.startsWith('.'));
}

function isInside(file: string, folder: string): boolean {
  const relative = path.relative(folder, file);
  return relative !== '' && relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}

function createRootError(value: string, error: unknown): AppError {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return new AppError('SOURCE_NOT_FOUND', `The source path '${value}' does not exist on the worker.`, {}, error);
  return new AppError(
    'SOURCE_NOT_FOUND',
    `The source path '${value}' cannot be reached on the worker: ${message}.`,
    {},
    error,
  );
}

function createNotAllowedError(value: string, allowed: readonly string[]): AppError {
  const roots = allowed.length > 0 ? `Allowed are: ${allowed.join(', ')}.` : 'No folder is allowed yet.';
  return new AppError(
    'SOURCE_NOT_ALLOWED',
    `The path '${value}' is outside the folders that flows may read. ${roots} DOCLOOM_SOURCE_ROOTS on the worker sets them.`,
  );
}

function createClosedError(value: string): AppError {
  return new AppError(
    'SOURCE_NOT_ALLOWED',
    `The path '${value}' belongs to Docloom or to the system. No flow may read it, even if DOCLOOM_SOURCE_ROOTS contains it.`,
  );
}

function createHiddenError(value: string): AppError {
  return new AppError(
    'SOURCE_NOT_ALLOWED',
    `The path '${value}' is hidden: a part of it begins with a dot. Runs may read such files only if they act for administrators and DOCLOOM_HIDDEN_FILES is set on the worker.`,
  );
}

/** The error for a file that cannot be read, with the system's reason. */
export function createUnreadableError(file: string, error: unknown): AppError {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return new AppError('SOURCE_GONE', `'${file}' no longer exists.`, {}, error);
  return new AppError('SOURCE_UNREADABLE', `'${file}' cannot be read: ${(error as Error).message}.`, {}, error);
}
