import { existsSync, statfsSync } from 'node:fs';
import path from 'node:path';
import { createServerError } from '../server';

const bytesPerMb = 1024 * 1024;
/** With less than this, databases end while they start. */
const minFreeMb = 32;

/** True when the disk of the folder has too little space for a server to start. */
export function isDiskFull(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(findExisting(folder));
    return bavail * bsize < minFreeMb * bytesPerMb;
  } catch {
    return false;
  }
}

/** The folder, or the nearest one above it that exists. */
function findExisting(folder: string): string {
  const parent = path.dirname(folder);
  return existsSync(folder) || parent === folder ? folder : findExisting(parent);
}

/** The error of a failed start. On a full disk it says so, because the servers report nothing or something else. */
export function explainFailedStart(error: unknown, folder: string): unknown {
  if (isOtherSystemError(error) || !isDiskFull(folder)) return error;
  const message = `the disk of ${folder} is full; free at least ${minFreeMb} MB and start again`;
  return createServerError('Docloom cannot start', message, error);
}

/** True for a missing or forbidden folder and the like. A file system of the kernel such as /proc never has free space. */
function isOtherSystemError(error: unknown): boolean {
  const { syscall, code } = (error ?? {}) as NodeJS.ErrnoException;
  return syscall !== undefined && code !== 'ENOSPC';
}
