import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { checkLines, checkPack, omitMessages } from './check-pack';

const { signal } = new AbortController();
const limits = { objectBytes: 1_000_000, totalBytes: 3_000_000, workBytes: 5_000_000, objects: 1_000 };

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

test('an answer in which the library might find another pack is rejected', async () => {
  const good = pack(blob(Buffer.from('one')));
  const lines = banded(pack(blob(Buffer.alloc(1_000_001))));
  for (const answer of [Buffer.concat([lines, good]), Buffer.concat([Buffer.from('0001'), banded(good)])])
    await expect(checkPack(answer, limits, signal)).rejects.toMatchObject({ code: 'INVALID_RESPONSE' });
});

test('more objects than the limit are refused before one is unpacked', async () => {
  const good = pack(...Array.from({ length: 1_000 }, () => blob(Buffer.alloc(0))));
  await expect(checkPack(banded(good), limits, signal)).resolves.toBeUndefined();
  const head = Buffer.from('PACK\0\0\0\u0002\u00ff\u00ff\u00ff\u00ff', 'latin1');
  await expect(checkPack(banded(head), limits, signal)).rejects.toMatchObject({ code: 'SOURCE_TOO_LARGE' });
});

test('an answer of millions of tiny lines is refused', async () => {
  const packets = Buffer.from('0006\u0001x'.repeat(1_000_001), 'latin1');
  await expect(checkPack(packets, limits, signal)).rejects.toMatchObject({ code: 'INVALID_RESPONSE' });
  const flushes = Buffer.from('0000'.repeat(1_000_001), 'latin1');
  expect(() => checkLines(flushes)).toThrow(expect.objectContaining({ code: 'INVALID_RESPONSE' }));
  expect(() => checkLines(flushes.subarray(0, 4_000))).not.toThrow();
});

test('a delta refers to an object before it, and not to itself, to a later one or into the middle of one', async () => {
  const full = blob(Buffer.from('one'));
  const changes = deflateSync(Buffer.from([3, 1, 1, 120]));
  const refer = (...distance: number[]) => Buffer.concat([Buffer.from([(6 << 4) | 4, ...distance]), changes]);
  await expect(checkPack(banded(pack(full, refer(full.length))), limits, signal)).resolves.toBeUndefined();
  const far = [0x80, 0x80 | ((full.length + 128) >> 7), 0];
  for (const distance of [[0], [full.length - 1], [full.length + 1], far, [0xff, 0xff, 0xff, 0xff, 0x7f]])
    await expect(checkPack(banded(pack(full, refer(...distance))), limits, signal)).rejects.toMatchObject({
      code: 'INVALID_RESPONSE',
    });
});

test('small deltas of a large object, each of which needs the whole object, are too many at some number', async () => {
  const full = blob(Buffer.alloc(900_000, 'x'));
  // The result is one byte of the base.
  const changes = deflateSync(Buffer.from([0xa0, 0xf7, 0x36, 1, 0x90, 1]));
  const deltas = (count: number) => {
    const all = [full];
    for (let index = 0; index < count; index += 1) {
      const distance = all.reduce((sum, { length }) => sum + length, 0);
      const high = (distance >> 7) - 1;
      all.push(
        Buffer.concat([
          Buffer.from([(6 << 4) | 6, ...(high >= 0 ? [...(high >= 128 ? [0x80 | ((high >> 7) - 1)] : []), 0x80 | (high & 0x7f)] : []), distance & 0x7f]), // prettier-ignore
          changes,
        ]),
      );
    }
    return banded(pack(...all));
  };
  await expect(checkPack(deltas(3), limits, signal)).resolves.toBeUndefined();
  await expect(checkPack(deltas(8), limits, signal)).rejects.toMatchObject({ code: 'SOURCE_TOO_LARGE' });
});

describe('a delta that names its base', () => {
  const hello = Buffer.from('hello');
  const getName = (bytes: Buffer) => createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest();
  /** Five bytes of the base, and up to one more. */
  const refer = (name: Buffer, more = '') => {
    const changes = Buffer.from([5, 5 + more.length, 0x90, 5, ...(more ? [1, more.charCodeAt(0)] : [])]);
    return Buffer.concat([Buffer.from([(7 << 4) | changes.length]), name, deflateSync(changes)]);
  };

  test('is accepted wherever its base is', async () => {
    const longer = refer(getName(hello), '!');
    for (const objects of [[blob(hello), longer], [longer, blob(hello)], [longer], [blob(hello), blob(hello)]])
      await expect(checkPack(banded(pack(...objects)), limits, signal)).resolves.toBeUndefined();
  });

  test('is refused if it makes the same object again, directly or in a circle', async () => {
    const one = Buffer.from('hello!');
    const shorter = Buffer.concat([
      Buffer.from([(7 << 4) | 4]),
      getName(one),
      deflateSync(Buffer.from([6, 5, 0x90, 5])),
    ]);
    const circle = [blob(hello), refer(getName(hello), '!'), shorter];
    for (const objects of [[blob(hello), refer(getName(hello))], circle, circle.toReversed()])
      await expect(checkPack(banded(pack(...objects)), limits, signal)).rejects.toMatchObject({
        code: 'INVALID_RESPONSE',
      });
  });

  test('counts with all objects that it needs', async () => {
    const large = Buffer.alloc(900_000, 'y');
    const changes = deflateSync(Buffer.from([0xa0, 0xf7, 0x36, 2, 0x90, 1, 1, 0]));
    const many = Array.from({ length: 8 }, (_, index) => {
      const own = deflateSync(Buffer.from([0xa0, 0xf7, 0x36, 2, 0x90, 1, 1, index]));
      return Buffer.concat([Buffer.from([(7 << 4) | 8]), getName(large), own]);
    });
    const one = Buffer.concat([Buffer.from([(7 << 4) | 8]), getName(large), changes]);
    await expect(checkPack(banded(pack(blob(large), one)), limits, signal)).resolves.toBeUndefined();
    await expect(checkPack(banded(pack(blob(large), ...many)), limits, signal)).rejects.toMatchObject({
      code: 'SOURCE_TOO_LARGE',
    });
  });

  test('is refused if it copies from outside of its base', async () => {
    for (const changes of [
      [5, 5, 0x91, 1, 5],
      [5, 9, 0x90, 5],
      [4, 5, 0x90, 5],
      [5, 1, 0],
      [5, 5, 0x90],
      [5, 2, 2, 1],
    ]) {
      const bad = Buffer.concat([
        Buffer.from([(7 << 4) | changes.length]),
        getName(hello),
        deflateSync(Buffer.from(changes)),
      ]);
      await expect(checkPack(banded(pack(blob(hello), bad)), limits, signal)).rejects.toMatchObject({
        code: 'INVALID_RESPONSE',
      });
    }
  });
});

test('messages of the server are left out, and the message of a failure is an error', async () => {
  const message = (band: number) =>
    line(Buffer.concat([Buffer.from([band]), Buffer.from('Counting objects: 50% (1/2)\n')]));
  const nak = line(Buffer.from('NAK\n'));
  const answer = banded(pack(blob(Buffer.from('text'))));
  expect(omitMessages(Buffer.concat([nak, message(2), answer, message(2)]))).toEqual(Buffer.concat([nak, answer]));
  const bare = Buffer.concat([nak, pack(blob(Buffer.from('text')))]);
  expect(omitMessages(bare)).toEqual(bare);
  expect(() => omitMessages(Buffer.concat([nak, message(3)]))).toThrow('the message of a failure');
});
