import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Config } from '../../../model/config';
import { AppError } from '../../../model/errors';
import { createSealer, type Sealer } from './sealer';

/** The settings of the keys that encrypt stored secrets. */
export type SealerSettings = Pick<Config, 'DOCLOOM_CONNECTION_KEYS' | 'DOCLOOM_DATA'>;

/**
 * The sealer of a process. Uses the keys in DOCLOOM_CONNECTION_KEYS, or else those in a file of the data folder, created on first
 * use.
 */
export function createConfiguredSealer(settings: SealerSettings): Sealer {
  const configuredKeys = settings.DOCLOOM_CONNECTION_KEYS;
  return createSealer(() => (configuredKeys.length > 0 ? configuredKeys : readOrCreateKeys(settings.DOCLOOM_DATA)));
}

/** Throws INVALID_CONFIGURATION when there is no key. For commands that must not create one in addition to the servers'. */
export function requireKeys({ DOCLOOM_CONNECTION_KEYS: configuredKeys, DOCLOOM_DATA: folder }: SealerSettings): void {
  const file = getKeysFile(folder);
  if (configuredKeys.length > 0 || existsSync(file)) return;
  throw new AppError(
    'INVALID_CONFIGURATION',
    `There is no key: DOCLOOM_CONNECTION_KEYS is not set and ${file} does not exist. Set DOCLOOM_CONNECTION_KEYS or DOCLOOM_DATA as for the api.`,
  );
}

function getKeysFile(dataFolder: string): string {
  return path.resolve(dataFolder, 'connection-keys');
}

function readOrCreateKeys(dataFolder: string): string[] {
  const file = getKeysFile(dataFolder);
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  const temporaryFile = `${file}.${process.pid}`;
  writeFileSync(temporaryFile, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600 });
  try {
    // Fails when the file exists, so that only one key wins when two processes create it at once.
    linkSync(temporaryFile, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    chmodSync(file, 0o600);
  } finally {
    rmSync(temporaryFile, { force: true });
  }
  return readFileSync(file, 'utf8').split('\n').filter(Boolean);
}
