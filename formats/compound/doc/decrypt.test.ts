import { createHash } from 'node:crypto';
import type { CompoundFile } from '../compound';
import { createRc4Stream } from '../crypt/rc4';
import { decryptWord } from './decrypt';

const md5 = (...parts: Uint8Array[]) => createHash('md5').update(Buffer.concat(parts)).digest();
const uint32 = (value: number) => Buffer.from(new Uint32Array([value]).buffer);

/** The streams of a document encrypted with 40-bit RC4 (MS-OFFCRYPTO 2.3.6), and the original streams. */
function encrypted(password: string) {
  const salt = Buffer.alloc(16, 3);
  const start = md5(Buffer.from(password, 'utf16le')).subarray(0, 5);
  const base = md5(...Array.from({ length: 16 }, () => Buffer.concat([start, salt]))).subarray(0, 5);
  const masked = (stream: Buffer, from: number) =>
    stream.map((byte, at) =>
      at < from ? byte : byte ^ createRc4Stream(md5(base, uint32(Math.floor(at / 512))), 512)[at % 512]!,
    );
  const verifier = Buffer.alloc(16, 9);
  const proof = Buffer.from(masked(Buffer.concat([verifier, md5(verifier)]), 0));
  const header = Buffer.concat([Buffer.from([1, 0, 1, 0]), salt, proof]);
  const [main, table, data] = [2000, 900, 700].map((length, at) => Buffer.alloc(length, 0x41 + at));
  main!.writeUInt16LE(0x0100 | 0x200, 0x0a);
  main!.writeUInt32LE(header.length, 0x0e);
  header.copy(table!);
  const streams: Record<string, Buffer> = {
    '1table': Buffer.from(masked(table!, header.length)),
    data: Buffer.from(masked(data!, 0)),
    other: Buffer.from('other'),
  };
  const file: CompoundFile = { stream: (name) => streams[name.toLowerCase()], reportFolders: () => undefined };
  return { file, stored: Buffer.from(masked(main!, 68)), main: main!, table: table!, data: data! };
}

test('the streams are decrypted with the password, each from the start of its encrypted part', () => {
  const { file, stored, main, table, data } = encrypted('secret');
  const opened = decryptWord(file, stored, 'secret')!;
  expect(opened.main.equals(main)).toBe(true);
  expect(opened.file.stream('1Table')!.equals(table)).toBe(true);
  expect(opened.file.stream('Data')!.equals(data)).toBe(true);
  expect(opened.file.stream('other')!.toString()).toBe('other');
});

test('a missing or wrong password decrypts nothing, nor does a header beyond the stream', () => {
  const { file, stored } = encrypted('secret');
  expect(decryptWord(file, stored, undefined)).toBeUndefined();
  expect(decryptWord(file, stored, 'other')).toBeUndefined();
  stored.writeUInt32LE(0xffff_ffff, 0x0e);
  expect(decryptWord(file, stored, 'secret')).toBeUndefined();
});
