import { unpackSnappy } from './snappy';

describe('unpackSnappy', () => {
  test('copies refer back, even into their own output', () => {
    // "ab", then a copy of six bytes from two bytes back with a one-byte offset, then a copy with a two-byte offset.
    const packed = new Uint8Array([12, 1 << 2, 97, 98, ((6 - 4) << 2) | 1, 2, ((4 - 1) << 2) | 2, 8, 0]);
    expect(Buffer.from(unpackSnappy(packed, 'x', 100)).toString()).toBe('abababababab');
  });

  test.each([
    ['a copy from before the beginning', [4, 1 << 2, 97, 98, 1, 9]],
    ['a literal beyond the end', [4, 3 << 2, 97]],
    ['fewer bytes than announced', [9, 0, 97]],
  ])('%s is reported as damage', (_, bytes) => {
    expect(() => unpackSnappy(new Uint8Array(bytes), 'x', 100)).toThrow("'x' of the document is damaged");
  });
});
