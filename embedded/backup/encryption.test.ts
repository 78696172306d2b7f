import { randomBytes } from 'node:crypto';
import { PassThrough, Readable, type Transform } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { AppError } from '../../model/errors';
import { checkPassphrase, createDecryption, createEncryption, encryptedMagic } from './encryption';

const passphrase = 'correct horse battery';
/** Low, for many keys. */
const cheap = 2 ** 10;
const segment = 64 * 1024;

async function through(transform: Transform, bytes: Buffer, chunkBytes = 10_000): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += chunkBytes) chunks.push(bytes.subarray(at, at + chunkBytes));
  const out = new PassThrough();
  const [found] = await Promise.all([buffer(out), pipeline(Readable.from(chunks), transform, out)]);
  return found;
}

async function open(file: Buffer, key = passphrase): Promise<Buffer> {
  const end = file.indexOf('\n') + 1;
  return through(await createDecryption(key, file.subarray(0, end)), file.subarray(end));
}

async function seal(bytes: Buffer): Promise<Buffer> {
  return through(await createEncryption(passphrase, cheap), bytes);
}

test.each([0, 1, segment - 1, segment, segment + 1, 3 * segment, 200_001])(
  '%d bytes survive a round trip',
  async (size) => {
    const bytes = randomBytes(size);
    const file = await seal(bytes);
    expect(file.subarray(0, encryptedMagic.length).toString()).toBe(encryptedMagic);
    expect((await open(file)).equals(bytes)).toBe(true);
  },
);

test('two encrypted files of the same bytes have no bytes in common', async () => {
  const bytes = Buffer.alloc(1000, 7);
  const [one, other] = await Promise.all([seal(bytes), seal(bytes)]);
  expect(one.subarray(-1000).equals(other.subarray(-1000))).toBe(false);
  expect(one.includes(bytes.subarray(0, 16))).toBe(false);
});

describe('a file is refused when', () => {
  let file: Buffer;
  let start: number;
  const sealed = segment + 16;
  beforeAll(async () => {
    file = await seal(randomBytes(3 * segment + 5));
    start = file.indexOf('\n') + 1;
  });
  const getCode = (bytes: Buffer, key?: string) =>
    open(bytes, key).then(
      () => 'opened',
      (error: AppError) => error.code,
    );

  test('the key is a different one', async () => {
    expect(await getCode(file)).toBe('opened');
    expect(await getCode(file, 'wrong horse battery')).toBe('BACKUP_INVALID');
  });
  test('a bit has changed anywhere', async () => {
    for (const at of [start, start + sealed + 3, file.length - 1]) {
      const changed = Buffer.from(file);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(await getCode(changed)).toBe('BACKUP_INVALID');
    }
  });
  test.each([0, 100, sealed, 2 * sealed, 2 * sealed + 100])('it was cut off after %d bytes', async (bytes) => {
    expect(await getCode(file.subarray(0, start + bytes))).toBe('BACKUP_INVALID');
  });
  test('segments were exchanged or left out', async () => {
    const parts = [0, 1, 2].map((index) => file.subarray(start + index * sealed, start + (index + 1) * sealed));
    const rest = file.subarray(start + 3 * sealed);
    const [bytes, two, three] = parts as [Buffer, Buffer, Buffer];
    expect(await getCode(Buffer.concat([file.subarray(0, start), bytes, two, three, rest]))).toBe('opened');
    expect(await getCode(Buffer.concat([file.subarray(0, start), two, bytes, three, rest]))).toBe('BACKUP_INVALID');
    expect(await getCode(Buffer.concat([file.subarray(0, start), bytes, three, rest]))).toBe('BACKUP_INVALID');
  });
  test('its header requires more memory than any backup needs', async () => {
    const header = JSON.stringify({ cipher: 'aes-256-gcm', kdf: 'scrypt', salt: 'AAAA', cost: 2 ** 40 });
    const greedy = Buffer.concat([Buffer.from(`${encryptedMagic}${header}\n`), file.subarray(start)]);
    expect(await getCode(greedy)).toBe('BACKUP_INVALID');
  });
});

test('a short passphrase is rejected with its length', () => {
  expect(checkPassphrase(' twelve chars \n')).toBe('twelve chars');
  expect(() => checkPassphrase('secret\n')).toThrow('The key has 6 characters; it needs 12 or more.');
});
