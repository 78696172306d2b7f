import { hash } from 'node:crypto';
import { AppError } from '../../../model/errors';

const keyBytes = 32;

/**
 * Parses keys of 32 bytes in base64. The result is by key id, the start of the key's SHA-256, in the given order. `setting` is
 * named in the error for a key of another length, INVALID_CONFIGURATION.
 */
export function parseEncryptionKeys(texts: readonly string[], setting: string): Map<string, Buffer> {
  return new Map(
    texts.map((text) => {
      const key = Buffer.from(text, 'base64');
      if (key.length !== keyBytes)
        throw new AppError(
          'INVALID_CONFIGURATION',
          `A key of ${setting} has ${key.length} bytes: expected 32 bytes in base64, as printed by 'openssl rand -base64 32'.`,
        );
      return [hash('sha256', key).slice(0, 16), key];
    }),
  );
}
