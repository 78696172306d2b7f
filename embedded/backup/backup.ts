import { createWriteStream, existsSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { PassThrough, type Transform, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { AppError } from '../../model/errors';
import { tryLock } from '../lock';
import { versions } from '../releases';
import { buildLockPath, findRunningStack, type StackInfo } from '../stack-file';
import { type Counts, type Description, writeArchive } from './archive';
import { checkWhole } from './contents';
import { createEncryption } from './encryption';
import { removeStaging, type Snapshot, openStoppedSnapshot, takeSnapshot } from './snapshot';

/** What to back up, and where to. `passphrase` encrypts the file; `overwrite` replaces an existing file. */
export interface BackupOptions {
  dataDir: string;
  file: string;
  /** The version of Docloom. */
  version: string;
  passphrase?: string;
  overwrite?: boolean;
}

/** A backup that was written. */
export interface Backup extends Counts {
  file: string;
  /** Size of the file. */
  fileBytes: number;
  isEncrypted: boolean;
  wasRunning: boolean;
  /** How long the installation paused. */
  frozenMs: number;
}

/**
 * Writes the state of the data folder at one moment into one file, readable only by its owner. A running stack is frozen for that
 * moment. Throws CONFLICT when the file exists, or when a server of the stack is not in the data folder.
 */
export async function backup(options: BackupOptions): Promise<Backup> {
  const dataDir = path.resolve(options.dataDir);
  const file = path.resolve(options.file);
  if (!statSync(dataDir, { throwIfNoEntry: false })?.isDirectory())
    throw new AppError('NOT_FOUND', `There is no data folder ${dataDir}.`);
  if (file.startsWith(`${dataDir}${path.sep}`))
    throw new AppError('CONFLICT', `${file} is in the data folder itself; a backup belongs outside of it.`);
  if (existsSync(file) && !options.overwrite)
    throw new AppError('CONFLICT', `${file} exists; name another file, or pass --force to replace it.`);
  checkWhole(dataDir);
  const part = `${file}.part`;
  return runUnderLocks(dataDir, async (stack) => {
    removeStaging(dataDir);
    const snapshot = stack ? await takeSnapshot(dataDir, listNames(stack)) : openStoppedSnapshot(dataDir);
    try {
      const description = buildDescription(dataDir, options.version, stack !== undefined);
      const counts = await writeBackup(part, { snapshot, description, passphrase: options.passphrase });
      renameSync(part, file);
      const { frozenMs } = snapshot;
      const fileBytes = statSync(file).size;
      const isEncrypted = options.passphrase !== undefined;
      return { file, fileBytes, isEncrypted, wasRunning: stack !== undefined, frozenMs, ...counts };
    } finally {
      snapshot.remove();
      rmSync(part, { force: true });
    }
  });
}

/** Keeps other backups away and, when nothing runs in the data folder, starts as well. */
async function runUnderLocks<T>(dataDir: string, work: (stack: StackInfo | undefined) => Promise<T>): Promise<T> {
  const backupLock = tryLock(path.join(dataDir, 'backup.lock'));
  if (!backupLock) throw new AppError('CONFLICT', `Another backup of ${dataDir} is running.`);
  const stopped = tryLock(buildLockPath(dataDir));
  try {
    const stack = stopped ? undefined : findRunningStack(dataDir);
    if (!stopped && !stack)
      throw new AppError(
        'SERVICE_UNAVAILABLE',
        `Docloom is starting or stopping in ${dataDir}. Try again when it is up.`,
      );
    return await work(stack);
  } finally {
    stopped?.release();
    backupLock.release();
  }
}

/** The processes to freeze. Throws CONFLICT for a server that keeps its data elsewhere. */
function listNames({ servers, processes }: StackInfo): string[] {
  const externalServers = servers.filter(({ pid }) => pid === undefined);
  if (externalServers.length > 0)
    throw new AppError(
      'CONFLICT',
      `The data of ${externalServers.map(({ title, address }) => `${title} (${address})`).join(' and ')} are not in the data folder. Back up your own servers with their own tools, as docs/operations.md describes.`,
    );
  return [...processes, ...servers].map(({ name }) => name);
}

async function writeBackup(
  file: string,
  {
    snapshot,
    description,
    passphrase,
  }: { snapshot: Snapshot; description: Omit<Description, 'format'>; passphrase?: string },
): Promise<Counts> {
  rmSync(file, { force: true });
  const sealed: Transform = passphrase === undefined ? new PassThrough() : await createEncryption(passphrase);
  // Level 1: at higher ones the compression takes longer than the disk.
  const gzip = createGzip({ level: 1 });
  const written = pipeline(gzip, sealed, createWriteStream(file, { mode: 0o600, flags: 'wx' }));
  const [counts] = await Promise.all([fill(gzip, () => writeArchive(gzip, description, snapshot)), written]);
  const handle = await open(file, 'r');
  await handle.sync();
  await handle.close();
  return counts;
}

/** Ends `out` when the work is done, and destroys it when the work fails, so that neither side waits for the other. */
async function fill(out: Writable, work: () => Promise<Counts>): Promise<Counts> {
  // A pipeline that fails further down destroys `out`, which then never drains.
  const broken = new Promise<never>((_resolve, reject) => out.once('close', () => reject(new Error('closed')))).catch(
    (error: unknown) => Promise.reject(out.errored ?? error),
  );
  try {
    const counts = await Promise.race([work(), broken]);
    broken.catch(() => undefined);
    out.end();
    return counts;
  } catch (error) {
    out.destroy(error as Error);
    throw error;
  }
}

function buildDescription(dataDir: string, version: string, running: boolean): Omit<Description, 'format'> {
  const temporal = path.join(dataDir, 'temporal', 'version');
  return {
    version,
    created_at: new Date().toISOString(),
    running,
    servers: {
      temporal: existsSync(temporal) ? readFileSync(temporal, 'utf8').trim() : versions.temporalFromSource,
      mongo: existsSync(path.join(dataDir, 'mongo', 'mongod'))
        ? 'mongod'
        : `mongo-java-server ${versions.mongoJavaServer}`,
      opensearch: versions.opensearch,
    },
  };
}
