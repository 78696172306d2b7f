import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto';
import { Transform, type TransformCallback } from 'node:stream';
import { AppError } from '../../model/errors';
import { createDamageError } from './tar';

/** First characters of an encrypted backup. A line of JSON (`EncryptionHeader`) follows, then the segments. */
export const encryptedMagic = 'docloom-backup-encrypted ';
/** The longest header line that is read. */
export const longestHeader = 1024;
const segmentBytes = 64 * 1024;
const minPassphraseLength = 12;
const tagBytes = 16;
/** Memory for scrypt: 128 * 8 * cost bytes. */
const defaultCost = 2 ** 16;
const highestCost = 2 ** 20;

interface EncryptionHeader {
  cipher: 'aes-256-gcm';
  kdf: 'scrypt';
  salt: string;
  cost: number;
}

/** Encrypts with a key that scrypt derives from the passphrase and a random salt. The output begins with the header. */
export async function createEncryption(passphrase: string, cost = defaultCost): Promise<Transform> {
  const salt = randomBytes(16);
  const fields: EncryptionHeader = {
    cipher: 'aes-256-gcm',
    kdf: 'scrypt',
    salt: salt.toString('base64'),
    cost,
  };
  const header = Buffer.from(`${encryptedMagic}${JSON.stringify(fields)}\n`);
  const key = await deriveKey(passphrase, salt, cost);
  return new Segments(segmentBytes, header, (segment, nonce) => {
    const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(header);
    return Buffer.concat([cipher.update(segment), cipher.final(), cipher.getAuthTag()]);
  });
}

/** Decrypts the data after `header`, the first line with its line feed. Fails at the first segment that was changed. */
export async function createDecryption(passphrase: string, header: Buffer): Promise<Transform> {
  const { salt, cost } = parseHeader(header);
  const key = await deriveKey(passphrase, Buffer.from(salt, 'base64'), cost);
  return new Segments(segmentBytes + tagBytes, undefined, (segment, nonce) => {
    if (segment.length < tagBytes) throw createDamageError('it ends too early');
    const decipher = createDecipheriv('aes-256-gcm', key, nonce).setAAD(header);
    decipher.setAuthTag(segment.subarray(-tagBytes));
    try {
      return Buffer.concat([decipher.update(segment.subarray(0, -tagBytes)), decipher.final()]);
    } catch (error) {
      const isFirst = nonce.subarray(0, -1).every((byte) => byte === 0);
      throw createDamageError(
        isFirst ? 'the key is another one, or the file was changed' : 'it was changed or ends too early',
        error,
      );
    }
  });
}

/** The passphrase in a file, without the trailing line feed. Throws VALIDATION_ERROR if it is too short. */
export function checkPassphrase(text: string): string {
  const passphrase = text.trim();
  if (passphrase.length >= minPassphraseLength) return passphrase;
  throw new AppError(
    'VALIDATION_ERROR',
    `The key has ${passphrase.length} characters; it needs ${minPassphraseLength} or more.`,
  );
}

function parseHeader(header: Buffer): EncryptionHeader {
  try {
    const fields = JSON.parse(header.toString('utf8').slice(encryptedMagic.length)) as EncryptionHeader;
    const isSupported = fields.cipher === 'aes-256-gcm' && fields.kdf === 'scrypt' && typeof fields.salt === 'string';
    if (isSupported && fields.cost > 1 && fields.cost <= highestCost) return fields;
  } catch {
    // Reported below.
  }
  throw createDamageError('its encryption is unknown to this version');
}

function deriveKey(passphrase: string, salt: Buffer, cost: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const options = { N: cost, r: 8, p: 1, maxmem: 256 * 8 * cost };
    scrypt(passphrase, salt, 32, options, (error, key) => (error ? reject(error) : resolve(key)));
  });
}

/**
 * Cuts a stream into segments. The nonce is the number of the segment and, in its last byte, whether it is the last one, so that no
 * segment can be left out, moved, or cut off at the end.
 */
class Segments extends Transform {
  private held: Buffer[] = [];
  private heldBytes = 0;
  private index = 0;

  constructor(
    private readonly size: number,
    private readonly prefix: Buffer | undefined,
    private readonly convert: (segment: Buffer, nonce: Buffer) => Buffer,
  ) {
    super();
    if (this.prefix) this.push(this.prefix);
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.held.push(chunk);
    this.heldBytes += chunk.length;
    // The last segment is known only at the end, so one is always held back.
    if (this.heldBytes <= this.size) return done();
    let rest = Buffer.concat(this.held);
    this.attempt(done, () => {
      for (; rest.length > this.size; rest = rest.subarray(this.size))
        this.emitSegment(rest.subarray(0, this.size), false);
      this.held = [rest];
      this.heldBytes = rest.length;
    });
  }

  override _flush(done: TransformCallback): void {
    this.attempt(done, () => this.emitSegment(Buffer.concat(this.held), true));
  }

  private emitSegment(segment: Buffer, isLast: boolean): void {
    const nonce = Buffer.alloc(12);
    nonce.writeUIntBE(this.index, 5, 6);
    nonce[11] = isLast ? 1 : 0;
    this.index += 1;
    this.push(this.convert(segment, nonce));
  }

  private attempt(done: TransformCallback, work: () => void): void {
    try {
      work();
    } catch (error) {
      return done(error as Error);
    }
    done();
  }
}
