import { constants } from 'node:fs';
import { type FileHandle, open, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { AppError } from '../../model/errors';
import type { FilesystemSettings } from '../../model/source/filesystem-source';
import { type AccessRules, readAccessRules } from './access-sidecar';

/** A path of the flow that was found and may be read. */
export interface Root {
  /** The folder that relative paths count from; for a single file its own folder. */
  folder: string;
  /** Set when the path is one file. */
  file?: string;
  /** Rules of the folders from the allowed root down to `folder`, nearest first. */
  rules: AccessRules[];
}
/** Where the paths of the flow lead, each once. SOURCE_NOT_FOUND and SOURCE_NOT_ALLOWED name the path as it was given. */
export async function findRoots(settings: FilesystemSettings, allowed: readonly string[]): Promise<Root[]> {
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

/** Opens what the path really is, and only inside the allowed roots: a link may have taken the file's place since. */
export async function openInside(file: string, allowed: readonly string[]): Promise<FileHandle> {
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

/** The error of one file, with the reason that the system gives. */
export function unreadable(file: string, error: unknown): AppError {
  return new AppError('SOURCE_UNREADABLE', `'${file}' cannot be read: ${(error as Error).message}.`, {}, error);
}
