import { statfsSync } from 'node:fs';

/** With less than this, databases end while they start. */
const minFreeBytes = 32 * 1024 * 1024;

/** True when the disk of the folder has too little space for a server to start. */
export function isDiskFull(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize < minFreeBytes;
  } catch {
    return false;
  }
}
