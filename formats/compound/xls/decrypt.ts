import { createRc4Mask, createRc4Keys } from '../crypt/rc4-keys';
import { biff } from './records';
import { computeXorArray } from './xor';

/** Records that are not encrypted (MS-XLS 2.2.10). In sheet records the offset is not encrypted either. */
const plainRecords: ReadonlySet<number> = new Set([biff.bof, biff.filePass, 0x195, 0xe1, 0x196, 0x138]);
const blockBytes = 1024;

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
  const mask = createMask(filePass, password);
  if (mask === undefined) return undefined;
  const decrypted = Buffer.from(stream);
  for (let at = 0; at + 4 <= decrypted.length;) {
    const [type, length] = [decrypted.readUInt16LE(at), decrypted.readUInt16LE(at + 2)];
    const end = Math.min(at + 4 + length, decrypted.length);
    const from = at + 4 + (type === biff.boundSheet ? 4 : 0);
    if (!plainRecords.has(type) && from < end) mask(decrypted, { begin: at + 4, from, to: end });
    at = end;
  }
  return decrypted;
}

function createMask(filePass: Buffer, password: string): Mask | undefined {
  // Before BIFF8 there was only one kind, without a number.
  if (filePass.length === 4) return createXorMask(filePass.readUInt16LE(0), password);
  if (filePass.length < 6) return undefined;
  if (filePass.readUInt16LE(0) === 0) return createXorMask(filePass.readUInt16LE(2), password);
  const keyOf = createRc4Keys(filePass.subarray(2), password);
  return keyOf && createRc4Mask(keyOf, blockBytes);
}

/** Reverses the XOR obfuscation of Excel 5 to 2003 (MS-OFFCRYPTO 2.3.7.2): rotates each byte and repeats a key of sixteen bytes. */
function createXorMask(key: number, password: string): Mask | undefined {
  const bytes = computeXorArray(password, key);
  if (bytes === undefined) return undefined;
  return (stream, { begin, from, to }) => {
    // Counts from the end of the record, as other programs do.
    for (let at = from; at < to; at += 1) {
      const byte = stream[at]!;
      stream[at] = (((byte << 3) | (byte >> 5)) & 0xff) ^ bytes[(to + at - begin) & 0xf]!;
    }
  };
}
