import { isBitmap, readBitmap } from './bitmap';

interface Given {
  width: number;
  height: number;
  bits: number;
  rows: number[];
  packing?: number;
  /** The bytes between header and pixels. */
  between?: number[];
  perMeter?: number;
}
function bitmap({ width, height, bits, rows, packing = 0, between = [], perMeter = 0 }: Given): Buffer {
  const header = Buffer.alloc(54);
  header.write('BM');
  header.writeUInt32LE(54 + between.length, 10);
  header.writeUInt32LE(40, 14);
  header.writeInt32LE(width, 18);
  header.writeInt32LE(height, 22);
  header.writeUInt16LE(1, 26);
  header.writeUInt16LE(bits, 28);
  header.writeUInt32LE(packing, 30);
  header.writeInt32LE(perMeter, 38);
  return Buffer.concat([header, Buffer.from(between), Buffer.from(rows)]);
}
const read = (input: Given) => readBitmap(bitmap(input), 'a.bmp', 1_000);

test.each<[string, Given, number[]]>([
  ['24 bits, from below', { width: 1, height: 2, bits: 24, rows: [3, 2, 1, 0, 6, 5, 4, 0] }, [4, 5, 6, 1, 2, 3]],
  ['24 bits, from above', { width: 1, height: -2, bits: 24, rows: [3, 2, 1, 0, 6, 5, 4, 0] }, [1, 2, 3, 4, 5, 6]],
  ['32 bits', { width: 1, height: 1, bits: 32, rows: [3, 2, 1, 255] }, [1, 2, 3]],
  ['16 bits', { width: 1, height: 1, bits: 16, rows: [0, 0x7c, 0, 0] }, [255, 0, 0]],
  [
    '16 bits with masks',
    {
      width: 1,
      height: 1,
      bits: 16,
      packing: 3,
      between: [0, 0xf8, 0, 0, 0xe0, 7, 0, 0, 0x1f, 0, 0, 0],
      rows: [0xe0, 7, 0, 0],
    },
    [0, 255, 0],
  ],
  [
    '1 bit with a palette',
    { width: 2, height: 1, bits: 1, between: [0, 0, 0, 0, 9, 8, 7, 0], rows: [0b0100_0000, 0, 0, 0] },
    [0, 0, 0, 7, 8, 9],
  ],
  [
    '4 bits with a palette, of which an entry is missing',
    { width: 3, height: 1, bits: 4, between: [0, 0, 0, 0, 9, 8, 7, 0], rows: [0x10, 0xf0, 0, 0] },
    [7, 8, 9, 0, 0, 0, 0, 0, 0],
  ],
])('a bitmap of %s', (_, value, rgb) => {
  expect(isBitmap(bitmap(value))).toBe(true);
  expect([...read(value).rgb]).toEqual(rgb);
});

test('its dots per inch are reported if the file has them', () => {
  const input = { width: 1, height: 1, bits: 24, rows: [0, 0, 0, 0] };
  expect(read({ ...input, perMeter: 11_811 }).dpi).toBe(300);
  expect(read(input).dpi).toBeUndefined();
});

test.each<[string, Given, string]>([
  ['packed', { width: 1, height: 1, bits: 8, packing: 1, rows: [0, 0, 0, 0] }, 'DOCUMENT_CORRUPT'],
  ['cut off', { width: 9, height: 9, bits: 24, rows: [0] }, 'DOCUMENT_CORRUPT'],
  ['without pixels', { width: 0, height: 9, bits: 24, rows: [] }, 'DOCUMENT_CORRUPT'],
  ['larger than allowed', { width: 100, height: 11, bits: 24, rows: [] }, 'DOCUMENT_TOO_LARGE'],
])('a bitmap that is %s is rejected', (_, value, code) => {
  expect(() => read(value)).toThrow(expect.objectContaining({ code }) as Error);
});
