import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { link, lstat, mkdir, open, readdir, realpath, rename, rm, rmdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { AppError } from '../../model/errors';
import { listClosedPlaces, isClosed, hasHiddenPart } from '../source/roots';
import type { ExportPlace } from './place';

/** The folders that flows may write to. */
export interface ExportLimits {
  roots: readonly string[];
  /** Files and folders that are never written to, even below a root. */
  closed: readonly string[];
}

/**
 * Folder of files that are being written, next to the others so that a rename is atomic. No export has a name that starts with
 * a dot.
 */
const unfinishedFolder = '.docloom-unfinished';
/** Older unfinished files belong to a process that was killed. */
const abandonedMs = 24 * 3_600_000;

/**
 * Opens a folder below an allowed root, and creates it when it is missing. Files are for the worker's own user and group; nothing is
 * written through links that lead out of the root.
 */
export async function openFolder(value: string, limits: ExportLimits): Promise<ExportPlace> {
  const rules = await readRules(value, limits);
  const enter = (folder: string) => enterFolder(folder, rules);
  const base = await enter(path.resolve(value));
  await removeAbandoned(path.join(base, unfinishedFolder));
  return new FolderPlace(base, enter);
}

/**
 * Opens a folder to try it. Nothing is created or tidied: files are written into the folder itself, or into the nearest existing folder
 * above it below the allowed root. Throws EXPORT_NOT_ALLOWED like `openFolder`.
 */
export async function openProbeFolder(value: string, limits: ExportLimits): Promise<ExportPlace> {
  const rules = await readRules(value, limits);
  const { real, isMissing } = await findProbeFolder(path.resolve(value), value);
  await checkFolder(real, rules);
  if (!(await stat(real)).isDirectory()) throw createRefusal(value, 'it is not a folder');
  const resolve = (name: string) => path.join(real, name);
  const write = (name: string, bytes: Uint8Array) => writeNew(resolve(name), bytes).catch(failWith(resolve(name)));
  const remove = (name: string) => rm(resolve(name), { force: true }).catch(failWith(resolve(name)));
  return {
    key: `folder:${real}`,
    ...(isMissing
      ? { note: 'The folder does not exist: a run creates it. A file was written into the nearest one above.' }
      : {}),
    async create(name, bytes) {
      await write(name, bytes);
      return true;
    },
    async put(name, bytes) {
      await remove(name);
      await write(name, bytes);
    },
    read: (name) => readFile(resolve(name)),
    remove,
    close: () => undefined,
  };
}

/** The real path of the folder, or of the nearest existing one above; a dangling link is neither. */
async function findProbeFolder(folder: string, given: string): Promise<{ real: string; isMissing: boolean }> {
  const real = await realpath(folder).catch(() => undefined);
  if (real !== undefined) return { real, isMissing: false };
  const isLink = await lstat(folder).then(
    () => true,
    () => false,
  );
  if (isLink || folder === path.dirname(folder)) throw createRefusal(given, 'it cannot be entered');
  return { ...(await findProbeFolder(path.dirname(folder), given)), isMissing: true };
}

/** Creates a folder and returns its real path, or throws if the export may not write there. */
type Enter = (folder: string) => Promise<string>;

const writeAttempts = 3;

class FolderPlace implements ExportPlace {
  readonly key: string;

  constructor(
    private readonly base: string,
    private readonly enter: Enter,
  ) {
    this.key = `folder:${base}`;
  }

  async put(name: string, bytes: Uint8Array) {
    await this.write(name, bytes, rename);
  }

  async create(name: string, bytes: Uint8Array) {
    try {
      await this.write(name, bytes, link);
      return true;
    } catch (error) {
      if (readErrorCode((error as AppError).cause) === 'EEXIST') return false;
      throw error;
    }
  }

  async read(name: string) {
    return await readFile(await this.resolveFile(name));
  }

  async remove(name: string) {
    const file = path.join(this.base, name);
    const folder = await realpath(path.dirname(file)).catch(() => undefined);
    if (folder === undefined || !isWithin(folder, this.base)) return;
    await rm(path.join(folder, path.basename(file)), { force: true }).catch(failWith(file));
    await removeEmpty(folder, this.base);
  }

  close() {
    return undefined;
  }

  private async resolveFile(name: string): Promise<string> {
    const file = path.join(this.base, name);
    return path.join(await this.enter(path.dirname(file)), path.basename(file));
  }

  /** A folder may be removed while it is empty, between its creation and its first file. */
  private async write(name: string, bytes: Uint8Array, finish: typeof rename): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      const file = await this.resolveFile(name);
      const temporary = path.join(await this.enter(path.join(this.base, unfinishedFolder)), randomUUID());
      try {
        await writeNew(temporary, bytes);
        await finish(temporary, file);
        return;
      } catch (error) {
        if (readErrorCode(error) !== 'ENOENT' || attempt === writeAttempts) throw createFailure(file, error);
      } finally {
        await rm(temporary, { force: true });
      }
    }
  }
}

/** The folder that the flow names, its allowed root, and what is never written to. */
interface FolderRules {
  given: string;
  root: string;
  closed: ReadonlySet<string>;
}

async function readRules(given: string, { roots, closed }: ExportLimits): Promise<FolderRules> {
  return { given, root: await readRoot(given, roots), closed: await listClosedPlaces({ roots: [], closed }) };
}

async function checkFolder(real: string, { given, root, closed }: FolderRules): Promise<string> {
  if (!isWithin(real, root)) throw createRefusal(given, 'a link leads out of the allowed folder');
  if (await isClosed(real, closed)) throw createRefusal(given, 'the folder belongs to Docloom or to the system');
  return real;
}

/** Creates the folder after checking its parent, and returns its real path. */
async function enterFolder(folder: string, { given, root, closed }: FolderRules): Promise<string> {
  const check = (real: string) => checkFolder(real, { given, root, closed });
  await check(await findRealFolder(folder));
  await mkdir(folder, { recursive: true, mode: 0o750 }).catch(failWith(folder));
  return check(await realpath(folder).catch(failWith(folder)));
}

/** The real path of the folder, or of the nearest one above that exists. */
async function findRealFolder(folder: string): Promise<string> {
  const real = await realpath(folder).catch(() => undefined);
  return real ?? (folder === path.dirname(folder) ? folder : findRealFolder(path.dirname(folder)));
}

/** The allowed root that contains the folder, as a real path. */
async function readRoot(value: string, roots: readonly string[]): Promise<string> {
  const folder = path.resolve(value);
  for (const root of roots) {
    const absolute = path.resolve(root);
    const real = await realpath(absolute).catch(() => undefined);
    if (real === undefined) continue;
    for (const start of [absolute, real]) {
      if (!isWithin(folder, start)) continue;
      if (hasHiddenPart(path.relative(start, folder))) throw createRefusal(value, 'a part of it begins with a dot');
      return real;
    }
  }
  throw createRefusal(
    value,
    'it is outside the folders that flows may export to; set them in DOCLOOM_EXPORT_ROOTS on the worker',
  );
}

function isWithin(folder: string, root: string): boolean {
  const relative = path.relative(root, folder);
  return relative === '' || (relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative));
}

/** Files of processes that died while they wrote. */
async function removeAbandoned(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names) {
    const stats = await stat(path.join(folder, name)).catch(() => undefined);
    if (stats && Date.now() - stats.mtimeMs > abandonedMs) await rm(path.join(folder, name), { force: true });
  }
}

async function readFile(file: string): Promise<Uint8Array | undefined> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await open(file, flags).catch((error: unknown) => {
    if (readErrorCode(error) === 'ENOENT') return undefined;
    throw createFailure(file, error, 'read');
  });
  if (!handle) return undefined;
  try {
    return await handle.readFile();
  } catch (error) {
    throw createFailure(file, error, 'read');
  } finally {
    await handle.close();
  }
}

async function writeNew(file: string, bytes: Uint8Array): Promise<void> {
  const handle = await open(
    file,
    constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
    0o640,
  );
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function removeEmpty(folder: string, base: string): Promise<void> {
  for (let current = folder; current !== base && isWithin(current, base); current = path.dirname(current)) {
    const isRemoved = await rmdir(current).then(
      () => true,
      () => false,
    );
    if (!isRemoved) return;
  }
}

function createRefusal(value: string, reason: string): AppError {
  return new AppError('EXPORT_NOT_ALLOWED', `The flow cannot export to '${value}': ${reason}.`);
}

const readErrorCode = (error: unknown) => (error as NodeJS.ErrnoException | undefined)?.code;

function failWith(file: string): (error: unknown) => never {
  return (error) => {
    throw createFailure(file, error);
  };
}

/** A full disk is temporary; missing permissions are not. */
function createFailure(file: string, error: unknown, action: 'read' | 'written' = 'written'): unknown {
  if (error instanceof AppError) return error;
  const code = readErrorCode(error);
  const message = `'${file}' cannot be ${action}: ${(error as Error).message}.`;
  const isRefused = ['EACCES', 'EPERM', 'EROFS', 'ELOOP', 'ENOTDIR', 'EISDIR', 'ENAMETOOLONG'].includes(code ?? '');
  return new AppError(isRefused ? 'EXPORT_NOT_ALLOWED' : 'STORAGE_ERROR', message, {}, error);
}
