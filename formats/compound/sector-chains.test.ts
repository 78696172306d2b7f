import { convertBytes } from '../convert';
import { hasCircularChains } from './sector-chains';
import { compoundFile } from './test-support';

/** The position of the entry of a sector in the table of sectors. */
const entryAt = (bytes: Buffer, sector: number) => (bytes.readUInt32LE(0x4c) + 1) * 512 + 4 * sector;

test('a file whose sectors follow each other in a circle is refused before it is read', async () => {
  const bytes = Buffer.from(compoundFile({ Workbook: Buffer.alloc(20_000), Small: Buffer.alloc(300) }));
  expect(hasCircularChains(bytes)).toBe(false);
  for (let sector = 0; sector < 30; sector += 1) {
    const circular = Buffer.from(bytes);
    circular.writeUInt32LE(sector, entryAt(bytes, sector));
    expect(hasCircularChains(circular)).toBe(true);
    await expect(convertBytes({ bytes: circular, name: 'a.xls' })).rejects.toMatchObject({ code: 'DOCUMENT_CORRUPT' });
  }
});

test('small sectors in a circle, and a circular list of tables, are found or end', () => {
  const bytes = Buffer.from(compoundFile({ Workbook: Buffer.alloc(300), Other: Buffer.alloc(300) }));
  const small = (bytes.readUInt32LE(0x3c) + 1) * 512;
  bytes.writeUInt32LE(1, small + 4);
  expect(hasCircularChains(bytes)).toBe(true);
  bytes.writeUInt32LE(0, 0x44);
  expect(typeof hasCircularChains(bytes)).toBe('boolean');
  expect(hasCircularChains(Buffer.alloc(100))).toBe(false);
});
