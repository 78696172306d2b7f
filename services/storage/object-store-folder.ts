import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import {
  access,
  mkdir,
  open as openFile,
  opendir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { AppError } from '../../model/errors';
import { checkKey, checkPrefix, createNotStoredError } from './object-keys';
import type { ObjectStore, ScratchFiles } from './object-store-port';

/** Folder of partially written files, on the same disk as the others so that a rename is atomic. No key can name it. */
const temporaryFolder = '.tmp';

/** The number of files whose sizes are read at the same time. */
const parallelStats = 64;

/** Stores objects as files below `root`, which is created with the first write. For processes that share a disk. */
export function createFolderStore(root: string): ObjectStore {
  return new FolderStore(root);
}

class FolderStore implements ObjectStore {
  constructor(private readonly root: string) {}

  put(key: string, bytes: Uint8Array | Readable) {
    return replace(this.root, this.fileOf(key), bytes);
  }

  async get(key: string) {
    return readFile(this.fileOf(key)).catch((error: unknown) => {
      throw createStorageError(error, key);
    });
  }

  async open(key: string) {
    const file = await openFile(this.fileOf(key)).catch((error: unknown) => {
      throw createStorageError(error, key);
    });
    return file.createReadStream();
  }

  async exists(key: string) {
    return access(this.fileOf(key)).then(
      () => true,
      (error: unknown) => {
        if (isMissing(error)) return false;
        throw createStorageError(error, key);
      },
    );
  }

  async removePrefix(prefix: string) {
    checkPrefix(prefix);
    if (prefix.endsWith('/')) return rm(path.join(this.root, ...prefix.split('/')), { recursive: true, force: true });
    for await (const key of this.list(prefix)) await rm(this.fileOf(key), { force: true });
  }

  async withFile<T>(key: string, use: (file: string) => Promise<T>) {
    const file = this.fileOf(key);
    await access(file).catch((error: unknown) => {
      throw createStorageError(error, key);
    });
    return use(file);
  }

  async withScratch<T>(use: (scratch: ScratchFiles) => Promise<T>) {
    const scratchFiles = new Map<string, string>();
    const fileFor = (key: string) => {
      const file = scratchFiles.get(key) ?? path.join(this.root, temporaryFolder, randomUUID());
      scratchFiles.set(key, file);
      return file;
    };
    try {
      return await use({
        getFile: fileFor,
        keep: async (key) => {
          const target = this.fileOf(key);
          await moveTo(target, fileFor(key)).catch((error: unknown) => {
            throw createStorageError(error, key);
          });
          scratchFiles.delete(key);
        },
      });
    } finally {
      for (const file of scratchFiles.values()) await rm(file, { force: true });
    }
  }

  removeUnfinished(before: Date) {
    return removeOlder(path.join(this.root, temporaryFolder), before);
  }

  close() {
    return undefined;
  }

  private fileOf(key: string) {
    checkKey(key);
    if (key.split('/')[0] === temporaryFolder)
      throw new AppError(
        'VALIDATION_ERROR',
        `The key '${key}' begins with '${temporaryFolder}', which is kept for unfinished files.`,
      );
    return path.join(this.root, ...key.split('/'));
  }

  async *listSizes(prefix: string) {
    let batch: string[] = [];
    for await (const key of this.list(prefix)) {
      batch.push(key);
      if (batch.length < parallelStats) continue;
      yield* await this.measure(batch);
      batch = [];
    }
    yield* await this.measure(batch);
  }

  /** Files that went away since they were listed are left out. */
  private async measure(keys: readonly string[]) {
    const files = await Promise.all(
      keys.map(async (key) => {
        const file = await stat(path.join(this.root, ...key.split('/'))).catch((error: unknown) => {
          if (isMissing(error)) return undefined;
          throw createStorageError(error, key);
        });
        return file ? [{ key, bytes: file.size }] : [];
      }),
    );
    return files.flat();
  }

  list(prefix: string) {
    if (prefix !== '') checkPrefix(prefix);
    const folder = prefix.includes('/') ? prefix.slice(0, prefix.lastIndexOf('/')) : '';
    return iterateFilesBelow(this.root, folder, prefix);
  }
}

async function removeOlder(folder: string, before: Date): Promise<number> {
  let removed = 0;
  const names = await readdir(folder).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw createStorageError(error, temporaryFolder);
  });
  for (const name of names) {
    const file = path.join(folder, name);
    // Its writer may have finished in the meantime.
    const stats = await stat(file).catch(() => undefined);
    if (!stats || stats.mtime >= before) continue;
    await rm(file, { recursive: true, force: true });
    removed += 1;
  }
  return removed;
}

async function replace(root: string, file: string, bytes: Uint8Array | Readable): Promise<void> {
  const temporary = path.join(root, temporaryFolder, randomUUID());
  try {
    if (bytes instanceof Uint8Array) await inFolderOf(temporary, () => writeFile(temporary, bytes));
    else {
      await mkdir(path.dirname(temporary), { recursive: true });
      await pipeline(bytes, createWriteStream(temporary));
    }
    await moveTo(file, temporary);
  } catch (error) {
    await rm(temporary, { force: true });
    throw createStorageError(error, path.relative(root, file));
  }
}

async function moveTo(file: string, temporary: string): Promise<void> {
  const move = () => inFolderOf(file, () => rename(temporary, file));
  // The folder may be removed after it was created, for example with a deleted run.
  await move().catch((error: unknown) => {
    if (!isMissing(error)) throw error;
    return move();
  });
}

/** Creates the folder of the file only if it is missing, because it seldom is. */
async function inFolderOf(file: string, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!isMissing(error)) throw error;
    await mkdir(path.dirname(file), { recursive: true });
    await write();
  }
}

async function* iterateFilesBelow(root: string, folder: string, prefix: string): AsyncGenerator<string> {
  const directory = await opendir(path.join(root, folder)).catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw createStorageError(error, folder);
  });
  if (!directory) return;
  for await (const entry of directory) {
    const key = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (key === temporaryFolder) continue;
    if (entry.isDirectory()) {
      // Enter a folder when its keys start with the prefix, or when the prefix leads into it.
      if (`${key}/`.startsWith(prefix) || prefix.startsWith(`${key}/`)) yield* iterateFilesBelow(root, key, prefix);
    } else if (key.startsWith(prefix)) yield key;
  }
}

function isMissing(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return code === 'ENOENT' || code === 'ENOTDIR';
}

function createStorageError(error: unknown, key: string): AppError {
  if (error instanceof AppError) return error;
  if (isMissing(error) || (error as NodeJS.ErrnoException).code === 'EISDIR') return createNotStoredError(key, error);
  return new AppError(
    'STORAGE_ERROR',
    `The storage folder failed for '${key}': ${(error as Error).message}.`,
    {},
    error,
  );
}
