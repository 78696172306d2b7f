import { createReadStream, createWriteStream, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { chmod, mkdir, open, utimes } from 'node:fs/promises';
import path from 'node:path';
import { PassThrough, Readable, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { AppError } from '../../model/errors';
import { tryLock } from '../lock';
import { createFolder } from '../paths';
import { describeHolder, buildLockPath } from '../stack-file';
import { type Counts, type Description, readArchive, type Sink } from './archive';
import { hasData, listNamesToReplace } from './contents';
import { createDecryption, encryptedMagic, longestHeader } from './encryption';
import { removeStaging } from './snapshot';
import { createDamageError, type TarEntry } from './tar';
import { buildUnfinishedRestorePath } from './unfinished';

const stagingPrefix = '.restoring-';

/** What to restore, and where to. `replace` moves existing data aside first. */
export interface RestoreOptions {
  dataDir: string;
  file: string;
  passphrase?: string;
  replace?: boolean;
}

/** A restored or checked backup. */
export interface Restored extends Counts {
  description: Description;
  /** Where the earlier data is now. */
  replaced?: string;
}

/**
 * Restores a backup into the data folder. Nothing in it changes until the whole file has been read and its digests match. Throws
 * ALREADY_RUNNING when the folder is in use, CONFLICT when it holds data and `replace` is not set, and BACKUP_INVALID.
 */
export async function restore(options: RestoreOptions): Promise<Restored> {
  const dataDir = path.resolve(options.dataDir);
  createFolder(dataDir, 0o700);
  const lock = tryLock(buildLockPath(dataDir));
  if (!lock) throw new AppError('ALREADY_RUNNING', describeHolder(dataDir));
  const staged = path.join(dataDir, `${stagingPrefix}${process.pid}`);
  try {
    if (hasData(dataDir) && !options.replace)
      throw new AppError(
        'CONFLICT',
        `${dataDir} holds data. Restore into another folder (DOCLOOM_DATA), or pass --force to move them aside.`,
      );
    removeStaging(dataDir, stagingPrefix);
    mkdirSync(staged, { mode: 0o700 });
    const { description, counts } = await read(options, () => writeInto(staged));
    return { description, ...counts, ...swap(dataDir, staged) };
  } finally {
    removeStaging(dataDir, stagingPrefix);
    lock.release();
  }
}

/** Reads the whole file and compares its digests. Writes nothing. */
export async function check(options: Pick<RestoreOptions, 'file' | 'passphrase'>): Promise<Restored> {
  const { description, counts } = await read(options, () => ({
    folder: async () => undefined,
    file: async (_name, _entry, content) => {
      for await (const chunk of content) void chunk;
    },
  }));
  return { description, ...counts };
}

async function read(
  { file, passphrase }: Pick<RestoreOptions, 'file' | 'passphrase'>,
  begin: () => Sink,
): Promise<{ description: Description; counts: Counts }> {
  const { start, transform } = await openBackup(file, passphrase);
  const gunzip = createGunzip();
  const fed = pipeline(createReadStream(file, { start, highWaterMark: 1 << 20 }), transform, gunzip);
  // Its error also reaches the reader below.
  fed.catch(() => undefined);
  try {
    const archive = await readArchive(gunzip, begin);
    await fed;
    return archive;
  } catch (error) {
    gunzip.destroy();
    if (error instanceof AppError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code?.startsWith('Z_')) throw createDamageError('it was changed or ends too early', error);
    throw error;
  }
}

/** Where the compressed archive begins in the file, and what decrypts it. */
async function openBackup(
  file: string,
  passphrase: string | undefined,
): Promise<{ start: number; transform: Transform }> {
  const head = Buffer.alloc(longestHeader);
  const handle = await open(file, 'r');
  const { bytesRead } = await handle.read(head, 0, longestHeader, 0);
  await handle.close();
  const first = head.subarray(0, bytesRead);
  if (first[0] === 0x1f && first[1] === 0x8b) return { start: 0, transform: new PassThrough() };
  const end = first.indexOf('\n');
  if (!first.subarray(0, encryptedMagic.length).equals(Buffer.from(encryptedMagic)) || end < 0)
    throw createDamageError('it is not a backup of Docloom');
  if (passphrase === undefined)
    throw new AppError('VALIDATION_ERROR', `${file} is encrypted; name the file of its key with --key-file.`);
  const header = first.subarray(0, end + 1);
  return { start: header.length, transform: await createDecryption(passphrase, header) };
}

function writeInto(root: string): Sink {
  return {
    folder: async (name, { mode }) => {
      await mkdir(path.join(root, name), { recursive: true, mode: mode | 0o700 });
    },
    file: async (name, entry, content) => {
      const target = path.join(root, name);
      await mkdir(path.dirname(target), { recursive: true, mode: 0o700 });
      await writeContent(target, entry, content);
    },
  };
}

async function writeContent(target: string, { mode, mtime }: TarEntry, content: AsyncIterable<Buffer>): Promise<void> {
  await pipeline(Readable.from(content), createWriteStream(target, { flags: 'wx', mode: 0o600 }));
  await chmod(target, mode & 0o777);
  await utimes(target, mtime, mtime);
}

/** Moves the existing data aside and the restored data into its place. No stack can start in between. */
function swap(dataDir: string, staged: string): { replaced?: string } {
  const old = listNamesToReplace(dataDir);
  const aside = path.join(dataDir, `replaced-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`);
  writeFileSync(buildUnfinishedRestorePath(dataDir), '', { mode: 0o600 });
  if (old.length > 0) mkdirSync(aside, { mode: 0o700 });
  for (const name of old) renameSync(path.join(dataDir, name), path.join(aside, name));
  for (const name of listNamesToReplace(staged)) renameSync(path.join(staged, name), path.join(dataDir, name));
  rmSync(buildUnfinishedRestorePath(dataDir));
  return existsSync(aside) ? { replaced: aside } : {};
}
