import { convertBytes } from '../convert';
import { readImageInfo } from './image';
import { openOoxml, readPageCount } from './package';
import { officeFile, pngHeader, readOptions, relationshipsXml, rootXml } from './test-support';

const { limits } = readOptions('x.docx');
const properties = (inner: string) =>
  `<Properties xmlns="http://schemas.openxmlformats.org/officeDocument/2006/extended-properties">${inner}</Properties>`;

test.each([
  ['<Pages>12</Pages>', 12],
  ['<Slides>3</Slides>', 3],
  ['<Pages>0</Pages>', undefined],
  ['<Pages>many</Pages>', undefined],
])('the page count of %s', (inner, count) => {
  const rels = relationshipsXml([
    ['rId1', 'officeDocument', 'word/document.xml'],
    ['rId2', 'extended-properties', 'docProps/app.xml'],
  ]);
  const parts = {
    '_rels/.rels': rels,
    'word/document.xml': rootXml('w:document', ''),
    'docProps/app.xml': properties(inner),
  };
  expect(readPageCount(officeFile('word/document.xml', parts), limits)).toBe(count);
});

test('a Word document has the page count stored by Word; damaged properties are ignored', async () => {
  const getPages = async (app: string) => {
    const parts = {
      '_rels/.rels': relationshipsXml([
        ['a', 'officeDocument', 'word/document.xml'],
        ['b', 'extended-properties', 'docProps/app.xml'],
      ]),
      'word/document.xml': rootXml('w:document', '<w:body><w:p><w:r><w:t>a</w:t></w:r></w:p></w:body>'),
      'docProps/app.xml': app,
    };
    return (await convertBytes({ bytes: officeFile('word/document.xml', parts), name: 'a.docx' })).pages;
  };
  expect(await getPages(properties('<Pages>12</Pages>'))).toBe(12);
  expect(await getPages('<Properties><Pages>')).toBe(1);
});

test('relationship targets are resolved against their part', () => {
  const office = openOoxml(
    officeFile('a/b/main.xml', {
      'a/b/main.xml': rootXml('w:document', ''),
      'a/b/_rels/main.xml.rels': relationshipsXml([
        ['r1', 'image', '../media/i.png'],
        ['r2', 'image', '/top.png'],
        ['r3', 'image', '../../../../escape.png'],
        ['r4', 'hyperlink', 'https://a.example/?b=c', 'External'],
      ]),
    }),
    limits,
  );
  expect([...office.relationships('a/b/main.xml').values()].map(({ target }) => target)).toEqual([
    'a/media/i.png',
    'top.png',
    'escape.png',
    'https://a.example/?b=c',
  ]);
});

test('a compound file is a protected document unless it contains a binary document from before 2007', () => {
  const magic = Buffer.from('d0cf11e0a1b11ae1', 'hex');
  const open = (stream: string) => () => openOoxml(Buffer.concat([magic, Buffer.from(stream, 'utf16le')]), limits);
  expect(open('EncryptedPackage')).toThrow(expect.objectContaining({ code: 'DOCUMENT_ENCRYPTED' }));
  expect(open('WordDocument')).toThrow(expect.objectContaining({ code: 'FORMAT_UNSUPPORTED' }));
});

test('images are recognized by their first bytes', () => {
  const jpeg = Buffer.from('ffd8ffe000040000ffc0001108001000200301220002110103110100000000', 'hex');
  const gif = Buffer.concat([Buffer.from('GIF89a'), Buffer.from('05000700', 'hex'), Buffer.alloc(20)]);
  expect(readImageInfo(pngHeader(3, 4))).toEqual({ mimetype: 'image/png', width: 3, height: 4 });
  expect(readImageInfo(jpeg)).toEqual({ mimetype: 'image/jpeg', width: 32, height: 16 });
  expect(readImageInfo(gif)).toEqual({ mimetype: 'image/gif', width: 5, height: 7 });
  expect(readImageInfo(Buffer.alloc(64))).toBeUndefined();
  expect(readImageInfo(Buffer.from('short'))).toBeUndefined();
});
