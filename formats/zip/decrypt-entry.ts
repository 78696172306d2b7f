import { createCipheriv, createHmac, pbkdf2Sync, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** An encrypted entry as described by its header. */
export interface EncryptedEntry {
  packed: Uint8Array;
  /** The compression method in the header; for AES, the actual method is in the extra field. */
  method: number;
  /** The extra fields of the header. */
  extra: DataView;
  /** The check byte of the old cipher, which reveals a wrong password. */
  check: number;
}
/** The decrypted content, still compressed. */
export interface DecryptedEntry {
  packed: Uint8Array;
  method: number;
  /** True if the content was verified by more than the checksum, which may be absent. */
  isProved: boolean;
}

/** Method and extra field of AES (WinZip's specification AE-1 and AE-2). */
const aes = { method: 99, field: 0x9901, iterations: 1_000, verifierBytes: 2, proofBytes: 10 } as const;
const headerBytes = 12;

/** Decrypts an entry; undefined if the password is wrong or the content was altered. */
export function decryptEntry(entry: EncryptedEntry, password: string): DecryptedEntry | undefined {
  return entry.method === aes.method ? decryptAes(entry, password) : decryptOld(entry, password);
}

function decryptAes({ packed, extra }: EncryptedEntry, password: string): DecryptedEntry | undefined {
  const at = findAesField(extra);
  const strength = at === undefined ? 0 : extra.getUint8(at + 8);
  if (at === undefined || strength < 1 || strength > 3) return undefined;
  const keyBytes = 8 + 8 * strength;
  const salt = packed.subarray(0, keyBytes / 2);
  const begin = salt.length + aes.verifierBytes;
  const end = packed.length - aes.proofBytes;
  if (begin > end) return undefined;
  const keys = pbkdf2Sync(password, salt, aes.iterations, 2 * keyBytes + aes.verifierBytes, 'sha1');
  if (!timingSafeEqual(keys.subarray(2 * keyBytes), packed.subarray(salt.length, begin))) return undefined;
  const content = packed.subarray(begin, end);
  const proof = createHmac('sha1', keys.subarray(keyBytes, 2 * keyBytes))
    .update(content)
    .digest();
  if (!timingSafeEqual(proof.subarray(0, aes.proofBytes), packed.subarray(end))) return undefined;
  return {
    packed: applyCounter(content, keys.subarray(0, keyBytes)),
    method: extra.getUint16(at + 9, true),
    isProved: true,
  };
}

function findAesField(extra: DataView): number | undefined {
  for (let at = 0; at + 4 <= extra.byteLength; at += 4 + extra.getUint16(at + 2, true))
    if (extra.getUint16(at, true) === aes.field && at + 11 <= extra.byteLength) return at;
  return undefined;
}

/** Applies AES in counter mode with a little-endian counter that starts at 1, which no runtime offers. */
function applyCounter(content: Uint8Array, key: Uint8Array): Uint8Array {
  const blocks = Math.ceil(content.length / 16);
  const counters = Buffer.alloc(blocks * 16);
  for (let block = 0; block < blocks; block++) counters.writeUInt32LE(block + 1, block * 16);
  const cipher = createCipheriv(`aes-${key.length * 8}-ecb`, key, null).setAutoPadding(false);
  const stream = cipher.update(counters);
  return content.map((byte, at) => byte ^ stream[at]!);
}

/** Decrypts the PKZIP cipher (APPNOTE 6.1), which many archives still use. */
function decryptOld({ packed, method, check }: EncryptedEntry, password: string): DecryptedEntry | undefined {
  if (packed.length < headerBytes) return undefined;
  const keys = new Uint32Array([0x12345678, 0x23456789, 0x34567890]);
  const update = (byte: number) => {
    keys[0] = computeCrcStep(keys[0]!, byte);
    keys[1] = Math.imul(keys[1]! + (keys[0] & 0xff), 134_775_813) + 1;
    keys[2] = computeCrcStep(keys[2]!, keys[1] >>> 24);
  };
  for (const byte of Buffer.from(password)) update(byte);
  const plain = packed.map((byte) => {
    const part = (keys[2]! & 0xffff) | 2;
    const plainByte = byte ^ ((Math.imul(part, part ^ 1) >>> 8) & 0xff);
    update(plainByte);
    return plainByte;
  });
  if (plain[headerBytes - 1] !== check) return undefined;
  return { packed: plain.subarray(headerBytes), method, isProved: false };
}

/** The CRC-32 table for single bytes, derived from the runtime's implementation. */
const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  // The checksum of one byte with initial value 0, without the inversions before and after.
  return (crc32(Uint8Array.of(byte), 0xffffffff) ^ 0xffffffff) >>> 0;
});

function computeCrcStep(crc: number, byte: number): number {
  return (crcTable[(crc ^ byte) & 0xff]! ^ (crc >>> 8)) >>> 0;
}
