import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Config } from '../model/config';
import { AppError } from '../model/errors';

/**
 * The signing key of the local api: JWT_SECRET_KEY, else the one in the data folder. Throws INVALID_CONFIGURATION if there is
 * none.
 */
export function getSigningSecret(config: Config): string {
  if (config.JWT_SECRET_KEY) return config.JWT_SECRET_KEY;
  const file = path.resolve(config.DOCLOOM_DATA, 'jwt-secret');
  if (existsSync(file)) return readFileSync(file, 'utf8').trim();
  throw new AppError(
    'INVALID_CONFIGURATION',
    `No secret to sign with: JWT_SECRET_KEY is not set and ${file} does not exist; \`docloom up\` makes it.`,
  );
}
