import { createHash } from 'node:crypto';
import { rc4Stream } from '../crypt/rc4';
import { biff } from './records';
import { xorArray } from './xor';

/** Records that are not encrypted (MS-XLS 2.2.10). In sheet records the offset is not encrypted either. */
const plain: ReadonlySet<number> = new Set([biff.bof, biff.filePass, 0x195, 0xe1, 0x196, 0x138]);
const blockBytes = 1024;

type KeyOfBlock = (block: number) => Uint8Array;
interface Stretch {
  /** Start of the record data, and the encrypted part of it. */
  begin: number;
  from: number;
  to: number;
}
type Mask = (stream: Buffer, stretch: Stretch) => void;

/**
 * Decrypts the stream of a workbook; undefined if the password is wrong or the cipher is unknown. `filePass` is the content of
 * the record that describes the encryption.
 */
export function decryptWorkbook(stream: Buffer, filePass: Buffer, password: string): Buffer | undefined {
  const mask = maskOf(filePass, password);
  if (mask === undefined) return undefined;
  const opened = Buffer.from(stream);
  for (let at = 0; at + 4 <= opened.length;) {
    const [type, length] = [opened.readUInt16LE(at), opened.readUInt16LE(at + 2)];
    const end = Math.min(at + 4 + length, opened.length);
    const from = at + 4 + (type === biff.boundSheet ? 4 : 0);
    if (!plain.has(type) && from < end) mask(opened, { begin: at + 4, from, to: end });
    at = end;
  }
  return opened;
}

function maskOf(filePass: Buffer, password: string): Mask | undefined {
  // Before BIFF8 there was only one kind, without a number.
  if (filePass.length === 4) return xorMask(filePass.readUInt16LE(0), password);
  if (filePass.length < 6) return undefined;
  if (filePass.readUInt16LE(0) === 0) return xorMask(filePass.readUInt16LE(2), password);
  const [major, minor] = [filePass.readUInt16LE(2), filePass.readUInt16LE(4)];
  const keyOf = minor === 1 && major === 1 ? basicKeys(filePass.subarray(6), password) : undefined;
  const key = keyOf ?? (minor === 2 ? providerKeys(filePass.subarray(6), password) : undefined);
  return key && rc4Mask(key);
}

function rc4Mask(keyOf: KeyOfBlock): Mask {
  let known = -1;
  let keys: Uint8Array = new Uint8Array();
  return (stream, { from, to }) => {
    for (let at = from; at < to; at += 1) {
      const block = Math.floor(at / blockBytes);
      if (block !== known) [known, keys] = [block, rc4Stream(keyOf(block), blockBytes)];
      stream[at]! ^= keys[at % blockBytes]!;
    }
  };
}

/** XOR obfuscation of Excel 5 to 2003 (MS-OFFCRYPTO 2.3.7.2): rotates each byte and repeats a key of sixteen bytes. */
function xorMask(key: number, password: string): Mask | undefined {
  const bytes = xorArray(password, key);
  if (bytes === undefined) return undefined;
  return (stream, { begin, from, to }) => {
    // Counts from the end of the record, as other programs do.
    for (let at = from; at < to; at += 1) {
      const byte = stream[at]!;
      stream[at] = (((byte << 3) | (byte >> 5)) & 0xff) ^ bytes[(to + at - begin) & 0xf]!;
    }
  };
}

const digest = (algorithm: string, ...parts: Uint8Array[]) => {
  const sum = createHash(algorithm);
  for (const part of parts) sum.update(part);
  return sum.digest();
};
const uint32 = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};

/** 40-bit RC4 with MD5 (MS-OFFCRYPTO 2.3.6): salt, verifier, hash of the verifier. */
function basicKeys(header: Buffer, password: string): KeyOfBlock | undefined {
  if (header.length < 48) return undefined;
  const start = digest('md5', Buffer.from(password, 'utf16le')).subarray(0, 5);
  const round = Buffer.concat([start, header.subarray(0, 16)]);
  const base = digest('md5', ...Array.from({ length: 16 }, () => round)).subarray(0, 5);
  const keyOf = (block: number) => digest('md5', base, uint32(block));
  return isProven(keyOf, 'md5', header.subarray(16, 32), header.subarray(32, 48)) ? keyOf : undefined;
}

/** RC4 with SHA-1 (MS-OFFCRYPTO 2.3.5). */
function providerKeys(header: Buffer, password: string): KeyOfBlock | undefined {
  const headerBytes = header.readUInt32LE(4);
  const at = 8 + headerBytes;
  if (headerBytes < 32 || at + 4 + 16 + 16 + 4 + 20 > header.length) return undefined;
  const keyBytes = (header.readUInt32LE(8 + 16) || 40) / 8;
  const salt = header.subarray(at + 4, at + 20);
  const base = digest('sha1', salt, Buffer.from(password, 'utf16le'));
  const keyOf = (block: number) => {
    const key = digest('sha1', base, uint32(block)).subarray(0, keyBytes);
    return keyBytes === 5 ? Buffer.concat([key, Buffer.alloc(11)]) : key;
  };
  return isProven(keyOf, 'sha1', header.subarray(at + 20, at + 36), header.subarray(at + 40, at + 60))
    ? keyOf
    : undefined;
}

function isProven(keyOf: KeyOfBlock, algorithm: string, proof: Buffer, hash: Buffer): boolean {
  const keys = rc4Stream(keyOf(0), proof.length + hash.length);
  const opened = Buffer.concat([proof, hash]).map((byte, at) => byte ^ keys[at]!);
  return digest(algorithm, opened.subarray(0, proof.length)).equals(opened.subarray(proof.length));
}
