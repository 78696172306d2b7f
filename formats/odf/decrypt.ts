import { createDecipheriv, createHash, pbkdf2Sync } from 'node:crypto';
import { AppError } from '../../model/errors';
import type { ReadLimits } from '../format';
import { explainPassword } from '../password';
import { findChild, listElements, type XmlElement } from '../xml/xml';
import { inflateWithin, type Zip } from '../zip/zip';

/** The encryption of one part (OpenDocument 1.3 part 2, 3.4.2). */
interface Cipher {
  size: number;
  algorithm: string;
  iv: Buffer;
  salt: Buffer;
  iterations: number;
  keyBytes: number;
  startKeyHash: 'sha1' | 'sha256';
  checksum: Buffer;
  checksumHash: 'sha1' | 'sha256';
}

/** No program uses more rounds; a larger number would only waste CPU time. */
const maxIterations = 1_000_000;
const ciphers: Readonly<Record<string, string>> = {
  'http://www.w3.org/2001/04/xmlenc#aes256-cbc': 'aes-256-cbc',
  'http://www.w3.org/2001/04/xmlenc#aes192-cbc': 'aes-192-cbc',
  'http://www.w3.org/2001/04/xmlenc#aes128-cbc': 'aes-128-cbc',
};

/**
 * Returns the package with its encrypted parts decrypted. Packages without encrypted parts are returned unchanged. Throws
 * DOCUMENT_ENCRYPTED if there is no password, if it is wrong, and for unknown ciphers.
 */
export function openEncryptedParts(
  zip: Zip,
  manifest: XmlElement | undefined,
  { password, limits }: { password: string | undefined; limits: ReadLimits },
): Zip {
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
  const derivation = readAttribute('manifest:key-derivation', 'key-derivation-name');
  const iterations = Number(readAttribute('manifest:key-derivation', 'iteration-count'));
  const algorithm = ciphers[named];
  if (
    algorithm === undefined ||
    !/(?:^|#)PBKDF2$/i.test(derivation) ||
    !(iterations > 0 && iterations <= maxIterations)
  ) {
    throw new AppError(
      'DOCUMENT_ENCRYPTED',
      `The encryption of the OpenDocument file is not supported: ${named || 'no algorithm'}, ${derivation || 'no key derivation'}.`,
    );
  }
  const getHash = (name: string) => (/sha256/i.test(name) ? 'sha256' : 'sha1');
  return {
    size: Number(entry.attributes['manifest:size']) || 0,
    algorithm,
    iv: Buffer.from(readAttribute('manifest:algorithm', 'initialisation-vector'), 'base64'),
    salt: Buffer.from(readAttribute('manifest:key-derivation', 'salt'), 'base64'),
    iterations,
    keyBytes: Number(algorithm.slice(4, 7)) / 8,
    startKeyHash: getHash(readAttribute('manifest:start-key-generation', 'start-key-generation-name')),
    checksum: Buffer.from(data?.attributes['manifest:checksum'] ?? '', 'base64'),
    checksumHash: getHash(data?.attributes['manifest:checksum-type'] ?? ''),
  };
}

/** Returns the compressed content; undefined if the password is wrong. The checksum covers the first 1,024 bytes. */
function decryptEntry(stored: Uint8Array, cipher: Cipher, password: string): Buffer | undefined {
  const start = createHash(cipher.startKeyHash).update(password, 'utf8').digest();
  const key = pbkdf2Sync(start, cipher.salt, cipher.iterations, cipher.keyBytes, 'sha1');
  if (cipher.iv.length !== 16) return undefined;
  const decipher = createDecipheriv(cipher.algorithm, key, cipher.iv).setAutoPadding(false);
  const wholeBlocks = stored.subarray(0, stored.length - (stored.length % 16));
  const padded = Buffer.concat([decipher.update(wholeBlocks), decipher.final()]);
  const packed = padded.subarray(0, padded.length - Math.min(padded.at(-1) ?? 0, 16));
  const proof = createHash(cipher.checksumHash).update(packed.subarray(0, 1024)).digest();
  return proof.equals(cipher.checksum) ? packed : undefined;
}
