import { zipSync } from 'fflate';
import { defaultLimits } from '../../format';
import { openOoxml } from '../package';
import { relationshipsXml } from '../test-support';
import { readBinaryLinks } from './links';

const wide = (text: string) => {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(text.length);
  return Buffer.concat([length, Buffer.from(text, 'utf16le')]);
};
const record = (type: number, data: Buffer) =>
  Buffer.concat([Buffer.from([(type & 0x7f) | 0x80, type >>> 7, data.length]), data]);

test('a table or another workbook that many sheets or records name is read once', () => {
  const repeated = 500;
  const office = openOoxml(
    zipSync({
      '[Content_Types].xml': Buffer.from(
        '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
      ),
      '_rels/.rels': Buffer.from(relationshipsXml([['w', 'officeDocument', 'xl/workbook.bin']])),
      'xl/workbook.bin': Buffer.concat(Array<Buffer>(repeated).fill(record(355, wide('o')))),
      'xl/_rels/workbook.bin.rels': Buffer.from(
        relationshipsXml([
          ['s', 'worksheet', 'sheet.bin'],
          ['o', 'externalLink', 'other.bin'],
        ]),
      ),
      'xl/sheet.bin': Buffer.alloc(0),
      'xl/_rels/sheet.bin.rels': Buffer.from(relationshipsXml([['t', 'table', 'table.bin']])),
      'xl/table.bin': Buffer.alloc(1),
      'xl/other.bin': record(577, wide('Level')),
    }),
    defaultLimits,
  );
  let reads = 0;
  const zip = { ...office.zip, read: (name: string) => ((reads += 1), office.zip.read(name)) };
  const sheet = { name: 'S', part: 'xl/sheet.bin', isHidden: false, pageNo: 1 };
  const { books } = readBinaryLinks({ ...office, zip }, Array(repeated).fill(sheet));
  expect(books).toHaveLength(repeated);
  expect(books.at(-1)?.names).toEqual(['Level']);
  expect(reads).toBe(3);
});
