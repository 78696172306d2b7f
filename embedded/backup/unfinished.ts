import { existsSync } from 'node:fs';
import path from 'node:path';
import { AppError } from '../../model/errors';

/** Exists while a restore moves files into the data folder. */
export function getUnfinishedRestore(dataDir: string): string {
  return path.join(dataDir, 'restore-unfinished');
}

/** Throws CONFLICT when a restore was interrupted while it moved files into the data folder. */
export function refuseUnfinishedRestore(dataDir: string): void {
  if (!existsSync(getUnfinishedRestore(dataDir))) return;
  throw new AppError(
    'CONFLICT',
    `A restore into ${dataDir} was interrupted, so the folder holds parts of two installations. Run it again with --force; what was there before is in its folder replaced-….`,
  );
}
