import { createDecipheriv, createHash, pbkdf2Sync } from 'node:crypto';
import { argon2id } from '@noble/hashes/argon2';
import { AppError } from '../../model/errors';
import type { ReadLimits } from '../format';
import { explainPassword } from '../password';
import { findChild, listElements, type XmlElement } from '../xml/xml';
import { inflateWithin, openZip, type Zip } from '../zip/zip';

/** The encryption of one part (OpenDocument 1.3 part 2, 3.4.2). */
interface Cipher {
  size: number;
  algorithm: string;
  iv: Buffer;
  /** Derives the key from the hash of the password. */
  deriveKey: (start: Buffer, keyBytes: number) => Uint8Array;
  startKeyHash: 'sha1' | 'sha256';
  checksum: Buffer;
  checksumHash: 'sha1' | 'sha256';
}

/** No program uses more rounds; a larger number would only waste CPU time. */
const maxIterations = 1_000_000;
/** Four times as much memory (in KiB), and as much work, as LibreOffice uses. */
const maxArgon = { memory: 4 * 65_536, iterations: 12, lanes: 16, work: 4 * 3 * 65_536 };
const ciphers: Readonly<Record<string, string>> = {
  'http://www.w3.org/2001/04/xmlenc#aes256-cbc': 'aes-256-cbc',
  'http://www.w3.org/2001/04/xmlenc#aes192-cbc': 'aes-192-cbc',
  'http://www.w3.org/2001/04/xmlenc#aes128-cbc': 'aes-128-cbc',
  'http://www.w3.org/2009/xmlenc11#aes256-gcm': 'aes-256-gcm',
};
/** Bytes around the content that AES-GCM encrypts: the initialisation vector before it, and the tag that proves it after it. */
const gcmBytes = { iv: 12, tag: 16 };
/** The part that holds the whole package when LibreOffice 24.8 or later has encrypted it. */
const packagePart = 'encrypted-package';

/**
 * Returns the package with its encrypted parts decrypted; if it was encrypted as a whole, the package inside. Throws
 * DOCUMENT_ENCRYPTED if there is no password, if it is wrong, and for unknown ciphers.
 */
export function openEncrypted(zip: Zip, manifest: XmlElement | undefined, options: PasswordOptions): Zip {
  const opened = openEncryptedParts(zip, manifest, options);
  const whole = opened === zip ? undefined : opened.read(packagePart);
  return whole ? openZip(whole, options.limits) : opened;
}

interface PasswordOptions {
  password: string | undefined;
  limits: ReadLimits;
}

/** Packages without encrypted parts are returned unchanged. */
function openEncryptedParts(zip: Zip, manifest: XmlElement | undefined, { password, limits }: PasswordOptions): Zip {
  const encrypted = listElements(manifest, 'manifest:file-entry').filter((entry) =>
    findChild(entry, 'manifest:encryption-data'),
  );
  if (encrypted.length === 0) return zip;
  if (password === undefined)
    throw new AppError('DOCUMENT_ENCRYPTED', `The OpenDocument file is ${explainPassword(password)}.`);
  const parts = new Map(encrypted.map((entry) => [entry.attributes['manifest:full-path'] ?? '', readCipher(entry)]));
  let expanded = 0;
  return {
    names: zip.names,
    has: (name) => zip.has(name),
    declaredSize: (name) => parts.get(name)?.size ?? zip.declaredSize(name),
    read(name) {
      const cipher = parts.get(name);
      const stored = zip.read(name);
      if (cipher === undefined || stored === undefined) return stored;
      const packed = decryptEntry(stored, cipher, password);
      if (packed === undefined)
        throw new AppError('DOCUMENT_ENCRYPTED', `The OpenDocument file is ${explainPassword(password)}.`);
      const content = inflateWithin(packed, { name, size: cipher.size }, limits.maxExpandedBytes - expanded);
      expanded += content.length;
      return content;
    },
  };
}

/** Throws DOCUMENT_ENCRYPTED for unknown algorithms. */
function readCipher(entry: XmlElement): Cipher {
  const data = findChild(entry, 'manifest:encryption-data');
  const readAttribute = (element: string, name: string) =>
    findChild(data, element)?.attributes[`manifest:${name}`] ?? '';
  const named = readAttribute('manifest:algorithm', 'algorithm-name');
  const algorithm = ciphers[named];
  const derivation = findChild(data, 'manifest:key-derivation')?.attributes ?? {};
  const deriveKey = findDerivation(derivation);
  if (algorithm === undefined || deriveKey === undefined) {
    const name = derivation['manifest:key-derivation-name'];
    throw new AppError(
      'DOCUMENT_ENCRYPTED',
      `The encryption of the OpenDocument file is not supported: ${named || 'no algorithm'}, ${name || 'no key derivation'}.`,
    );
  }
  const getHash = (name: string) => (/sha256/i.test(name) ? 'sha256' : 'sha1');
  return {
    size: Number(entry.attributes['manifest:size']) || 0,
    algorithm,
    iv: Buffer.from(readAttribute('manifest:algorithm', 'initialisation-vector'), 'base64'),
    deriveKey,
    startKeyHash: getHash(readAttribute('manifest:start-key-generation', 'start-key-generation-name')),
    checksum: Buffer.from(data?.attributes['manifest:checksum'] ?? '', 'base64'),
    checksumHash: getHash(data?.attributes['manifest:checksum-type'] ?? ''),
  };
}

/** Undefined if the function is unknown, or would take too much memory or time. */
function findDerivation(attributes: Readonly<Record<string, string>>): Cipher['deriveKey'] | undefined {
  const name = attributes['manifest:key-derivation-name'] ?? '';
  const salt = Buffer.from(attributes['manifest:salt'] ?? '', 'base64');
  if (/(?:^|#)PBKDF2$/i.test(name)) {
    const iterations = Number(attributes['manifest:iteration-count']);
    const isPossible = iterations > 0 && iterations <= maxIterations;
    return isPossible ? (start, keyBytes) => pbkdf2Sync(start, salt, iterations, keyBytes, 'sha1') : undefined;
  }
  if (!/[:#]argon2id$/i.test(name)) return undefined;
  const [t, m, p] = ['iterations', 'memory', 'lanes'].map((key) =>
    Number(attributes[`loext:argon2-${key}`] ?? attributes[`manifest:argon2-${key}`]),
  ) as [number, number, number];
  const isWhole = [t, m, p].every((value) => Number.isSafeInteger(value) && value > 0);
  const isSmall = t <= maxArgon.iterations && m <= maxArgon.memory && p <= maxArgon.lanes && t * m <= maxArgon.work;
  // The shortest salt and the least memory that Argon2 accepts.
  if (!isWhole || !isSmall || m < 8 * p || salt.length < 8) return undefined;
  return (start, keyBytes) => argon2id(start, salt, { t, m, p, dkLen: keyBytes });
}

/** Returns the compressed content; undefined if the password is wrong. */
function decryptEntry(stored: Uint8Array, cipher: Cipher, password: string): Buffer | undefined {
  const start = createHash(cipher.startKeyHash).update(password, 'utf8').digest();
  const key = cipher.deriveKey(start, Number(cipher.algorithm.slice(4, 7)) / 8);
  return cipher.algorithm === 'aes-256-gcm' ? decryptProven(stored, key) : decryptChained(stored, cipher, key);
}

/** AES-GCM, which proves the password itself. */
function decryptProven(stored: Uint8Array, key: Uint8Array): Buffer | undefined {
  if (stored.length < gcmBytes.iv + gcmBytes.tag) return undefined;
  const decipher = createDecipheriv('aes-256-gcm', key, stored.subarray(0, gcmBytes.iv));
  decipher.setAuthTag(stored.subarray(-gcmBytes.tag));
  const content = decipher.update(stored.subarray(gcmBytes.iv, -gcmBytes.tag));
  try {
    return Buffer.concat([content, decipher.final()]);
  } catch {
    return undefined;
  }
}

/** AES with chaining. The checksum of the first 1,024 bytes proves the password. */
function decryptChained(stored: Uint8Array, cipher: Cipher, key: Uint8Array): Buffer | undefined {
  if (cipher.iv.length !== 16) return undefined;
  const decipher = createDecipheriv(cipher.algorithm, key, cipher.iv).setAutoPadding(false);
  const wholeBlocks = stored.subarray(0, stored.length - (stored.length % 16));
  const padded = Buffer.concat([decipher.update(wholeBlocks), decipher.final()]);
  const packed = padded.subarray(0, padded.length - Math.min(padded.at(-1) ?? 0, 16));
  const proof = createHash(cipher.checksumHash).update(packed.subarray(0, 1024)).digest();
  return proof.equals(cipher.checksum) ? packed : undefined;
}
