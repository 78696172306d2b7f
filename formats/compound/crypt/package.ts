import { createDecipheriv } from 'node:crypto';
import { AppError } from '../../../model/errors';
import { explainPassword } from '../../password';
import { parseXml, listDescendants, type XmlElement } from '../../xml/xml';
import { openCompound } from '../compound';
import { digest, encodeUint32 } from './digest';
import { listPasswords } from './password';

/** Decrypts a package with a password; returns undefined if the password is wrong. */
type OpenPackage = (password: string) => Uint8Array | undefined;

/**
 * Returns the ZIP inside an encrypted Office document (MS-OFFCRYPTO 2.3.4), opened with the given password or with Excel's
 * default password. Throws DOCUMENT_ENCRYPTED if neither fits.
 */
export function decryptPackage(bytes: Uint8Array, name: string, password: string | undefined): Uint8Array {
  try {
    const open = findDecryption(bytes, name);
    for (const value of open ? listPasswords(password) : []) {
      const opened = open?.(value);
      if (opened) return opened;
    }
  } catch (error) {
    throw new AppError(
      'DOCUMENT_ENCRYPTED',
      `'${name}' is protected by a password, and is damaged or uses an unsupported encryption.`,
      {},
      error,
    );
  }
  throw new AppError('DOCUMENT_ENCRYPTED', `'${name}' is an Office document ${explainPassword(password)}.`);
}

function findDecryption(bytes: Uint8Array, name: string): OpenPackage | undefined {
  const file = openCompound(bytes, name);
  const [info, content] = [file.stream('EncryptionInfo'), file.stream('EncryptedPackage')];
  if (info === undefined || content === undefined) return undefined;
  const [major, minor] = [info.readUInt16LE(0), info.readUInt16LE(2)];
  if (major === 4 && minor === 4) return openAgile(info.subarray(8), content);
  return minor === 2 && major >= 2 && major <= 4 ? openStandard(info, content) : undefined;
}

const encodeUtf16 = (text: string) => Buffer.from(text, 'utf16le');

function decryptData(cipher: string, key: Uint8Array, iv: Uint8Array | null, data: Uint8Array): Buffer {
  const decipher = createDecipheriv(cipher, key, iv);
  decipher.setAutoPadding(false);
  return Buffer.concat([decipher.update(data), decipher.final()]);
}

/** Cuts the content to the length stored before it. */
function truncate(plain: Uint8Array, content: Buffer): Uint8Array {
  return plain.subarray(0, Number(content.readBigUInt64LE(0)));
}

/** Rounds of hashing the password. */
const standardSpins = 50_000;

/** Standard encryption: AES without chaining, keys derived with SHA-1 (2.3.4.5 to 2.3.4.9). */
function openStandard(info: Buffer, content: Buffer): OpenPackage {
  const headerBytes = info.readUInt32LE(8);
  const keyBytes = info.readUInt32LE(12 + 16) / 8;
  const verifier = info.subarray(12 + headerBytes);
  const salt = verifier.subarray(4, 4 + verifier.readUInt32LE(0));
  return (password) => {
    let key = digest('sha1', salt, encodeUtf16(password));
    for (let spin = 0; spin < standardSpins; spin += 1) key = digest('sha1', encodeUint32(spin), key);
    key = digest('sha1', key, encodeUint32(0));
    const [inner, outer] = [0x36, 0x5c].map((fill) => {
      const block = Buffer.alloc(64, fill);
      for (const [at, byte] of key.entries()) block[at]! ^= byte;
      return digest('sha1', block);
    });
    const aes = Buffer.concat([inner!, outer!]).subarray(0, keyBytes);
    const cipher = `aes-${keyBytes * 8}-ecb`;
    const proof = decryptData(cipher, aes, null, verifier.subarray(20, 36));
    const expected = decryptData(cipher, aes, null, verifier.subarray(40, 72)).subarray(0, 20);
    if (!digest('sha1', proof).equals(expected)) return undefined;
    const whole = content.subarray(8, 8 + 16 * Math.floor((content.length - 8) / 16));
    return truncate(decryptData(cipher, aes, null, whole), content);
  };
}

/** Block keys for deriving keys from passwords (2.3.4.13). */
const blocks = {
  proof: 'fea7d2763b4b9e79',
  proofHash: 'd7aa0f6d3061344e',
  key: '146e0be7abacd0d6',
} as const;
const segmentBytes = 4096;
/** No program uses more rounds; a larger number would only waste CPU time. */
const maxSpins = 10_000_000;

/** Agile encryption: AES with chaining in segments, described in XML (2.3.4.10 to 2.3.4.15). */
function openAgile(xml: Buffer, content: Buffer): OpenPackage | undefined {
  const root = parseXml(xml, { source: 'EncryptionInfo', prefixes: {}, maxDepth: 20 });
  const findNamed = (name: string) => listDescendants({ name: '', attributes: {}, children: [root] }, name)[0];
  const [data, key] = [findNamed('keyData'), findNamed('p:encryptedKey') ?? findKey(root)];
  if (data === undefined || key === undefined) return undefined;
  const readBinary = (element: XmlElement, name: string) => Buffer.from(element.attributes[name] ?? '', 'base64');
  const readAlgorithm = (element: XmlElement) =>
    (element.attributes['hashAlgorithm'] ?? 'SHA1').replace('-', '').toLowerCase();
  const keyBits = Number(key.attributes['keyBits']);
  const spins = Math.min(Number(key.attributes['spinCount']), maxSpins);
  const cipher = `aes-${keyBits}-cbc`;
  const salt = readBinary(key, 'saltValue');
  return (password) => {
    let base = digest(readAlgorithm(key), salt, encodeUtf16(password));
    for (let spin = 0; spin < spins; spin += 1) base = digest(readAlgorithm(key), encodeUint32(spin), base);
    const open = (block: string, encrypted: Buffer) => {
      const bytes = resize(digest(readAlgorithm(key), base, Buffer.from(block, 'hex')), keyBits / 8);
      return decryptData(cipher, bytes, resize(salt, 16), encrypted);
    };
    const proof = open(blocks.proof, readBinary(key, 'encryptedVerifierHashInput'));
    const verifier = digest(readAlgorithm(key), proof.subarray(0, salt.length));
    const expected = open(blocks.proofHash, readBinary(key, 'encryptedVerifierHashValue'));
    if (!verifier.equals(expected.subarray(0, verifier.length))) return undefined;
    const secret = open(blocks.key, readBinary(key, 'encryptedKeyValue')).subarray(0, keyBits / 8);
    const parts: Buffer[] = [];
    for (let at = 8, number = 0; at < content.length; at += segmentBytes, number += 1) {
      const segment = content.subarray(at, at + segmentBytes);
      const iv = resize(digest(readAlgorithm(data), readBinary(data, 'saltValue'), encodeUint32(number)), 16);
      parts.push(decryptData(cipher, secret, iv, segment.subarray(0, 16 * Math.floor(segment.length / 16))));
    }
    return truncate(Buffer.concat(parts), content);
  };
}

/** Finds the key for a password, whatever its namespace prefix. */
function findKey(root: XmlElement): XmlElement | undefined {
  const open = [root];
  for (let element = open.pop(); element; element = open.pop()) {
    if (element.name.endsWith('encryptedKey') && element.attributes['spinCount'] !== undefined) return element;
    for (const inner of element.children) if (typeof inner !== 'string') open.push(inner);
  }
  return undefined;
}

/** Truncates bytes to a length, or pads them with the byte that the format specifies. */
function resize(bytes: Buffer, length: number): Buffer {
  return bytes.length >= length
    ? bytes.subarray(0, length)
    : Buffer.concat([bytes, Buffer.alloc(length - bytes.length, 0x36)]);
}
