import { digest, encodeUint32 } from './digest';
import { createRc4Stream } from './rc4';

/** Returns the RC4 key of a block of the stream. */
export type KeyOfBlock = (block: number) => Uint8Array;

/**
 * Returns the keys of a binary Office file that is encrypted with RC4; undefined if the password is wrong or the cipher is
 * unknown. `header` begins with its version (MS-OFFCRYPTO 2.3.5 and 2.3.6).
 */
export function createRc4Keys(header: Buffer, password: string): KeyOfBlock | undefined {
  if (header.length < 4) return undefined;
  const [major, minor] = [header.readUInt16LE(0), header.readUInt16LE(2)];
  if (major === 1 && minor === 1) return findBasicKeys(header.subarray(4), password);
  return minor === 2 ? findProviderKeys(header.subarray(4), password) : undefined;
}

/** Returns a function that decrypts bytes of a stream in place. Blocks count from the start of the stream. */
export function createRc4Mask(
  keyOf: KeyOfBlock,
  blockBytes: number,
): (stream: Buffer, range: { from: number; to: number }) => void {
  // Successive ranges often share a block, so its key stream is kept.
  let currentBlock = -1;
  let keys: Uint8Array = new Uint8Array();
  return (stream, { from, to }) => {
    for (let at = from; at < to; at += 1) {
      const block = Math.floor(at / blockBytes);
      if (block !== currentBlock) [currentBlock, keys] = [block, createRc4Stream(keyOf(block), blockBytes)];
      stream[at]! ^= keys[at % blockBytes]!;
    }
  };
}

/** Returns the keys of 40-bit RC4 with MD5 (MS-OFFCRYPTO 2.3.6): salt, verifier, hash of the verifier. */
function findBasicKeys(header: Buffer, password: string): KeyOfBlock | undefined {
  if (header.length < 48) return undefined;
  const start = digest('md5', Buffer.from(password, 'utf16le')).subarray(0, 5);
  const round = Buffer.concat([start, header.subarray(0, 16)]);
  const base = digest('md5', ...Array.from({ length: 16 }, () => round)).subarray(0, 5);
  const getKey = (block: number) => digest('md5', base, encodeUint32(block));
  return isPasswordRight(getKey, 'md5', header.subarray(16, 32), header.subarray(32, 48)) ? getKey : undefined;
}

/** Returns the keys of RC4 with SHA-1 (MS-OFFCRYPTO 2.3.5). */
function findProviderKeys(header: Buffer, password: string): KeyOfBlock | undefined {
  const headerBytes = header.readUInt32LE(4);
  const at = 8 + headerBytes;
  if (headerBytes < 32 || at + 4 + 16 + 16 + 4 + 20 > header.length) return undefined;
  const keyBytes = (header.readUInt32LE(8 + 16) || 40) / 8;
  const salt = header.subarray(at + 4, at + 20);
  const base = digest('sha1', salt, Buffer.from(password, 'utf16le'));
  const getKey = (block: number) => {
    const key = digest('sha1', base, encodeUint32(block)).subarray(0, keyBytes);
    return keyBytes === 5 ? Buffer.concat([key, Buffer.alloc(11)]) : key;
  };
  return isPasswordRight(getKey, 'sha1', header.subarray(at + 20, at + 36), header.subarray(at + 40, at + 60))
    ? getKey
    : undefined;
}

/** True if the keys decrypt the verifier to bytes that match its hash. */
function isPasswordRight(keyOf: KeyOfBlock, algorithm: string, proof: Buffer, hash: Buffer): boolean {
  const keys = createRc4Stream(keyOf(0), proof.length + hash.length);
  const opened = Buffer.concat([proof, hash]).map((byte, at) => byte ^ keys[at]!);
  return digest(algorithm, opened.subarray(0, proof.length)).equals(opened.subarray(proof.length));
}
