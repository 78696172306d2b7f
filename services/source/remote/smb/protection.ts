import { createCipheriv, createDecipheriv, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** Signs and encrypts the messages of a session ([MS-SMB2] 3.1.4 and 3.1.5). */
export interface Protection {
  /** Writes the signature into a message. */
  sign(message: Buffer): void;
  isSigned(message: Buffer): boolean;
  encrypt(message: Buffer): Buffer;
  /** Undefined if it is not a message of this session. */
  decrypt(envelope: Buffer): Buffer | undefined;
}

const signatureAt = 48;
const signatureBytes = 16;
const isSignedFlag = 0x8;
const envelopeHead = 52;
const nonceBytes = 11;
const tagBytes = 16;
const dialect3 = 0x0300;

/** Protocol id of an encrypted message. */
export const envelopeId = Buffer.from([0xfd, 0x53, 0x4d, 0x42]);

/** AES-CMAC and AES-CCM from dialect 3.0 on, HMAC-SHA256 without encryption before. */
export function createProtection(key: Buffer, dialect: number, sessionId: bigint): Protection {
  const isDialect3 = dialect >= dialect3;
  const signingKey = isDialect3 ? deriveKey(key, 'SMB2AESCMAC\0', 'SmbSign\0') : key;
  const encryptionKey = deriveKey(key, 'SMB2AESCCM\0', 'ServerIn \0');
  const decryptionKey = deriveKey(key, 'SMB2AESCCM\0', 'ServerOut\0');
  const computeSignature = (message: Buffer) => {
    const unsigned = Buffer.from(message);
    unsigned.fill(0, signatureAt, signatureAt + signatureBytes);
    return isDialect3
      ? computeAesCmac(signingKey, unsigned)
      : createHmac('sha256', signingKey).update(unsigned).digest().subarray(0, signatureBytes);
  };
  return {
    sign(message) {
      message.writeUInt32LE((message.readUInt32LE(16) | isSignedFlag) >>> 0, 16);
      computeSignature(message).copy(message, signatureAt);
    },
    isSigned: (message) =>
      (message.readUInt32LE(16) & isSignedFlag) !== 0 &&
      timingSafeEqual(computeSignature(message), message.subarray(signatureAt, signatureAt + signatureBytes)),
    encrypt: (message) => encrypt(message, encryptionKey, sessionId),
    decrypt: (envelope) => decrypt(envelope, decryptionKey, sessionId),
  };
}

function encrypt(message: Buffer, key: Buffer, sessionId: bigint): Buffer {
  const head = Buffer.alloc(envelopeHead);
  envelopeId.copy(head);
  // Random: a key encrypts far fewer messages than would make a repetition likely.
  randomBytes(nonceBytes).copy(head, 20);
  head.writeUInt32LE(message.length, 36);
  head.writeUInt16LE(1, 42);
  head.writeBigUInt64LE(sessionId, 44);
  const cipher = createCipheriv('aes-128-ccm', key, head.subarray(20, 20 + nonceBytes), { authTagLength: tagBytes });
  cipher.setAAD(head.subarray(20), { plaintextLength: message.length });
  const body = Buffer.concat([cipher.update(message), cipher.final()]);
  cipher.getAuthTag().copy(head, 4);
  return Buffer.concat([head, body]);
}

function decrypt(envelope: Buffer, key: Buffer, sessionId: bigint): Buffer | undefined {
  if (envelope.length <= envelopeHead || envelope.readBigUInt64LE(44) !== sessionId) return undefined;
  const body = envelope.subarray(envelopeHead);
  if (envelope.readUInt32LE(36) !== body.length) return undefined;
  const nonce = envelope.subarray(20, 20 + nonceBytes);
  const decipher = createDecipheriv('aes-128-ccm', key, nonce, { authTagLength: tagBytes });
  decipher.setAuthTag(envelope.subarray(4, 20));
  decipher.setAAD(envelope.subarray(20, envelopeHead), { plaintextLength: body.length });
  try {
    return Buffer.concat([decipher.update(body), decipher.final()]);
  } catch {
    return undefined;
  }
}

/** SP 800-108 in counter mode with HMAC-SHA256, for one key of 128 bits. */
function deriveKey(key: Buffer, label: string, context: string): Buffer {
  const input = Buffer.concat([
    Buffer.from([0, 0, 0, 1]),
    Buffer.from(`${label}\0${context}`, 'latin1'),
    Buffer.from([0, 0, 0, 128]),
  ]);
  return createHmac('sha256', key).update(input).digest().subarray(0, 16);
}

/** AES-CMAC (RFC 4493). */
export function computeAesCmac(key: Buffer, message: Buffer): Buffer {
  const block = (input: Buffer) => {
    const cipher = createCipheriv('aes-128-ecb', key, null).setAutoPadding(false);
    return Buffer.concat([cipher.update(input), cipher.final()]);
  };
  const first = doubleBlock(block(Buffer.alloc(16)));
  const isWhole = message.length > 0 && message.length % 16 === 0;
  const blocks = Math.max(1, Math.ceil(message.length / 16));
  const padded = Buffer.alloc(blocks * 16);
  message.copy(padded);
  if (!isWhole) padded[message.length] = 0x80;
  const mask = isWhole ? first : doubleBlock(first);
  for (let at = 0; at < 16; at += 1) padded[padded.length - 16 + at]! ^= mask[at]!;
  // CBC with an empty first vector; the last block is the code.
  const cipher = createCipheriv('aes-128-cbc', key, Buffer.alloc(16)).setAutoPadding(false);
  return Buffer.concat([cipher.update(padded), cipher.final()]).subarray(-16);
}

function doubleBlock(block: Buffer): Buffer {
  const doubled = Buffer.alloc(16);
  for (let at = 0; at < 16; at += 1) doubled[at] = ((block[at]! << 1) | ((block[at + 1] ?? 0) >> 7)) & 0xff;
  if (block[0]! & 0x80) doubled[15]! ^= 0x87;
  return doubled;
}
