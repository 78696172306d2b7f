import { headerBytes, type ArtRecord } from '../art-records';
import { createRc4Stream } from '../crypt/rc4';
import { createRc4Keys, type KeyOfBlock } from '../crypt/rc4-keys';

/** The password of presentations that PowerPoint encrypts without asking for one (MS-OFFCRYPTO 2.4.2.3). */
const powerPointDefaultPassword = '/01Hannes Ruescher/01';

/** Returns the keys of an encrypted presentation; undefined if no password fits. `session` describes the encryption. */
export function findPresentationKeys(session: ArtRecord, password: string | undefined): KeyOfBlock | undefined {
  const candidates = [...(password === undefined ? [] : [password]), powerPointDefaultPassword];
  for (const candidate of candidates) {
    const keys = createRc4Keys(session.data, candidate);
    if (keys) return keys;
  }
  return undefined;
}

/**
 * Returns a copy of the stream in which the parts at these offsets are decrypted, each with the key of its number (MS-PPT 2.3.7).
 * Parts that overlap others are damaged and stay as they are.
 */
export function decryptParts(stream: Buffer, offsets: ReadonlyMap<number, number>, keyOf: KeyOfBlock): Buffer {
  const decrypted = Buffer.from(stream);
  let free = 0;
  for (const [id, at] of [...offsets].sort(([, one], [, other]) => one - other)) {
    if (at < free || at + headerBytes > stream.length) continue;
    const head = Buffer.from(stream.subarray(at, at + headerBytes));
    mask(head, keyOf(id));
    const end = Math.min(at + headerBytes + head.readUInt32LE(4), stream.length);
    mask(decrypted.subarray(at, end), keyOf(id));
    free = end;
  }
  return decrypted;
}

/** Pictures of this type begin with a header for metafiles, others with one byte. */
const [firstMetafile, lastMetafile] = [0xf01a, 0xf01c];
const [sumBytes, metafileBytes, tagBytes] = [16, 34, 1];

/** Returns a copy of the stream with the pictures decrypted. Each of their fields begins with the same key stream. */
export function decryptPictures(pictures: Buffer, keyOf: KeyOfBlock): Buffer {
  const decrypted = Buffer.from(pictures);
  const key = keyOf(0);
  for (let at = 0; at + headerBytes <= decrypted.length;) {
    const head = decrypted.subarray(at, at + headerBytes);
    mask(head, key);
    const [instance, type] = [head.readUInt16LE(0) >> 4, head.readUInt16LE(2)];
    const isMetafile = type >= firstMetafile && type <= lastMetafile;
    const end = Math.min(at + headerBytes + head.readUInt32LE(4), decrypted.length);
    let next = at + headerBytes;
    const fields = [sumBytes, ...(instance & 1 ? [sumBytes] : []), isMetafile ? metafileBytes : tagBytes];
    for (const length of [...fields, decrypted.length]) {
      const stop = Math.min(next + length, end);
      mask(decrypted.subarray(next, stop), key);
      next = stop;
    }
    at = end;
  }
  return decrypted;
}

/** Decrypts the bytes in place. */
function mask(bytes: Buffer, key: Uint8Array): void {
  const keys = createRc4Stream(key, bytes.length);
  for (let at = 0; at < bytes.length; at += 1) bytes[at]! ^= keys[at]!;
}
