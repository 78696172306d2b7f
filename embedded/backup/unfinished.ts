import { existsSync } from 'node:fs';
import path from 'node:path';
import { AppError } from '../../model/errors';

/** Exists while a restore moves files into the data folder. */
export function buildUnfinishedRestorePath(dataDir: string): string {
  return path.join(dataDir, 'restore-unfinished');
}

/** Throws CONFLICT when a restore was interrupted while it moved files into the data folder. */
export function rejectUnfinishedRestore(dataDir: string): void {
  if (!existsSync(buildUnfinishedRestorePath(dataDir))) return;
  throw new AppError(
    'CONFLICT',
    `A restore into ${dataDir} was interrupted, so the folder holds parts of two installations. Run it again with --force; what was there before is in its folder replaced-….`,
  );
}
