import { deflateSync } from 'node:zlib';
import { checkPack } from './check-pack';

const { signal } = new AbortController();
const limits = { objectBytes: 1_000_000, totalBytes: 3_000_000 };

/** A blob with a header that states this size, true or not. */
function blob(bytes: Buffer, size = bytes.length): Buffer {
  const head = [(3 << 4) | (size & 15)];
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    head[head.length - 1]! |= 0x80;
    head.push(rest % 128);
  }
  return Buffer.concat([Buffer.from(head), deflateSync(bytes)]);
}
function pack(...objects: Buffer[]): Buffer {
  const head = Buffer.from('PACK\0\0\0\u0002\0\0\0\0', 'latin1');
  head.writeUInt32BE(objects.length, 8);
  return Buffer.concat([head, ...objects, Buffer.alloc(20)]);
}
const line = (bytes: Buffer) => Buffer.concat([Buffer.from((bytes.length + 4).toString(16).padStart(4, '0')), bytes]);
const banded = (bytes: Buffer) =>
  Buffer.concat([Buffer.from('0008NAK\n'), line(Buffer.concat([Buffer.from([1]), bytes])), Buffer.from('0000')]);

test('a pack within the limits is accepted, with and without side bands', async () => {
  const good = pack(blob(Buffer.from('one')), blob(Buffer.alloc(5_000, 'x')), blob(Buffer.alloc(0)));
  for (const answer of [banded(good), Buffer.concat([Buffer.from('0008NAK\n'), good])])
    await expect(checkPack(answer, limits, signal)).resolves.toBeUndefined();
});

test('an object whose stated or actual size exceeds the limit is rejected, and so are too many objects', async () => {
  const large = { code: 'SOURCE_TOO_LARGE' };
  await expect(checkPack(banded(pack(blob(Buffer.alloc(1_000_001)))), limits, signal)).rejects.toMatchObject(large);
  await expect(checkPack(banded(pack(blob(Buffer.alloc(900_000), 10))), limits, signal)).rejects.toMatchObject(large);
  const many = Array.from({ length: 4 }, () => blob(Buffer.alloc(900_000)));
  await expect(checkPack(banded(pack(...many)), limits, signal)).rejects.toMatchObject(large);
});

test('data that is not a pack is rejected', async () => {
  for (const bytes of [Buffer.from('<html>'), banded(Buffer.from('PACKxxxx')), pack(Buffer.from([0xff]))])
    await expect(checkPack(bytes, limits, signal)).rejects.toMatchObject({ code: 'INVALID_RESPONSE' });
});
