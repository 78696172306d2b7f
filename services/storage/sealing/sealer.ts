import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { AppError } from '../../../model/errors';
import { maskSecrets } from '../../../model/flow/secrets';
import { parseEncryptionKeys } from './encryption-keys';

/** Encrypts the secrets in a value before it is stored, and decrypts them after it is read. */
export interface Sealer {
  /** Encrypts everything that `maskSecrets` would mask. `place` identifies the record and must be the same for `open`. */
  seal<T>(value: T, place: string): T;
  /** Decrypts the value. Values stored as plain text are unchanged. Throws INVALID_CONFIGURATION when the key is missing. */
  open<T>(value: T, place: string): T;
  /** Re-encrypts all secrets with the first key; undefined when they already use it. */
  reseal<T>(value: T, place: string): T | undefined;
}

const cipher = 'aes-256-gcm';
const ivBytes = 12;
const tagBytes = 16;
/** Begins every encrypted text: `docloom-sealed:1:<key id>:<base64 of iv, tag and ciphertext>` */
export const sealedPrefix = 'docloom-sealed:1:';

/** Stores plain text; for tests, and for tools without a key. */
export const clearSealer: Sealer = {
  seal: (value) => value,
  open: (value) => value,
  reseal: () => undefined,
};

/**
 * AES-256-GCM with `keys` of 32 bytes in base64: the first encrypts, all decrypt. `keys` is called with the first secret. The
 * place of the record is authenticated with each secret, so that an encrypted text cannot be used in another record.
 */
export function createSealer(keys: () => readonly string[]): Sealer {
  let keysById: Map<string, Buffer> | undefined;
  const getKeys = () => (keysById ??= parseEncryptionKeys(keys(), 'DOCLOOM_CONNECTION_KEYS'));
  const getFirstKey = (): readonly [string, Buffer] => {
    const [first] = getKeys();
    if (!first) throw new AppError('INVALID_CONFIGURATION', 'There is no key to encrypt secrets with.');
    return first;
  };
  const seal: Sealer['seal'] = (value, place) =>
    replaceTexts(value, maskSecrets(value), (text) => encrypt(text, getFirstKey(), place)) as typeof value;
  const open: Sealer['open'] = (value, place) =>
    openTexts(value, (text) => decrypt(text, getKeys(), place)) as typeof value;
  return {
    seal,
    open,
    reseal: (value, place) => (isSealedBy(value, () => getFirstKey()[0]) ? undefined : seal(open(value, place), place)),
  };
}

/** Decrypts a value that was sealed before it was written as JSON. Texts without secrets, which are most, take less time than with `open`. */
export function openJson(sealer: Pick<Sealer, 'open'>, text: string, place: string): unknown {
  const value = JSON.parse(text) as unknown;
  return text.includes(sealedPrefix) ? sealer.open(value, place) : value;
}

function encrypt(clear: unknown, [id, key]: readonly [string, Buffer], place: string): string {
  const iv = randomBytes(ivBytes);
  const sealing = createCipheriv(cipher, key, iv).setAAD(Buffer.from(place));
  const sealed = Buffer.concat([sealing.update(JSON.stringify(clear), 'utf8'), sealing.final()]);
  return `${sealedPrefix}${id}:${Buffer.concat([iv, sealing.getAuthTag(), sealed]).toString('base64')}`;
}

function decrypt(text: string, keys: ReadonlyMap<string, Buffer>, place: string): unknown {
  const [id = '', data = ''] = text.slice(sealedPrefix.length).split(':');
  const key = keys.get(id);
  if (!key)
    throw new AppError(
      'INVALID_CONFIGURATION',
      `A secret of ${place} was encrypted with the key ${id}, which is missing: give every api and worker the same DOCLOOM_CONNECTION_KEYS, or the same data folder.`,
    );
  const bytes = Buffer.from(data, 'base64');
  try {
    const opening = createDecipheriv(cipher, key, bytes.subarray(0, ivBytes)).setAAD(Buffer.from(place));
    opening.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
    const clear = Buffer.concat([opening.update(bytes.subarray(ivBytes + tagBytes)), opening.final()]);
    return JSON.parse(clear.toString('utf8')) as unknown;
  } catch (error) {
    throw new AppError('INVALID_CONFIGURATION', `A secret of ${place} was altered or moved there.`, {}, error);
  }
}

/** Replaces each leaf that differs from `masked`, and each text that looks encrypted, which only a user can have written. */
function replaceTexts(value: unknown, masked: unknown, replace: (leaf: unknown) => string): unknown {
  if (typeof value !== 'object' || value === null) {
    const isForged = typeof value === 'string' && value.startsWith(sealedPrefix);
    return value === masked && !isForged ? value : replace(value);
  }
  const other = masked as Record<string, unknown>;
  if (Array.isArray(value)) return value.map((item: unknown, index) => replaceTexts(item, other[index], replace));
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, replaceTexts(member, other[name], replace)]),
  );
}

/** True when every secret in the value is encrypted with the key that has this id. */
function isSealedBy(value: unknown, getKeyId: () => string): boolean {
  let isSealed = true;
  replaceTexts(value, maskSecrets(value), (leaf) => {
    isSealed &&= typeof leaf === 'string' && leaf.startsWith(`${sealedPrefix}${getKeyId()}:`);
    return '';
  });
  return isSealed;
}

function openTexts(value: unknown, open: (text: string) => unknown): unknown {
  if (typeof value === 'string') return value.startsWith(sealedPrefix) ? open(value) : value;
  if (Array.isArray(value)) return value.map((item: unknown) => openTexts(item, open));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, openTexts(member, open)]));
}
