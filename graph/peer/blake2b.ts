import { blake2b } from '@noble/hashes/blake2.js';
import { bytesToHex } from '@noble/hashes/utils.js';

/**
 * BLAKE2b with a digest of `length` bytes (RFC 7693), as hex. Node supports only 64 bytes, and a shorter digest is not a prefix
 * of it.
 */
export function hashBlake2b(input: string | Uint8Array, length: number): string {
  return bytesToHex(blake2b(input, { dkLen: length }));
}
