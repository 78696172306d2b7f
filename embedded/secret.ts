import { randomBytes } from 'node:crypto';
import { chmodSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createFolder } from './paths';

/**
 * A secret of this data folder: generated at the first call and stored, readable only by its owner. `jwt-secret` signs tokens.
 */
export function readStoredSecret(dataDir: string, name: 'jwt-secret' | 's3-secret' = 'jwt-secret'): string {
  createFolder(dataDir, 0o700);
  const file = path.join(dataDir, name);
  const temporaryFile = `${file}.${process.pid}`;
  writeFileSync(temporaryFile, randomBytes(48).toString('base64url'), { mode: 0o600 });
  try {
    // Fails if the file exists, so that two concurrent first calls agree on one secret.
    linkSync(temporaryFile, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    chmodSync(file, 0o600);
  } finally {
    rmSync(temporaryFile, { force: true });
  }
  return readFileSync(file, 'utf8').trim();
}
