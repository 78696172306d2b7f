import { inflateSync } from 'node:zlib';
import { AppError } from '../../../model/errors';
import { defaultLimits } from '../../format';
import { writePng } from '../../image/png';
import { draw, prose, readDrawn, ruledTable } from '../pdf-test-support';
import { read } from '../read';
import { loadPdfium } from './pdfium';

/** One red pixel. */
const redPixel = Buffer.from(writePng(Uint8Array.of(255, 0, 0), 1, 1));

/** The colour of the first pixel, read directly from the PNG data: after the header and the filter byte. */
function firstPixel(png: Buffer): Uint8Array {
  const start = png.indexOf('IDAT') + 4;
  return inflateSync(png.subarray(start)).subarray(1, 4);
}

test('a missing password gives DOCUMENT_ENCRYPTED, garbage and truncated files DOCUMENT_CORRUPT, too many pages DOCUMENT_TOO_LARGE', async () => {
  const plain = await draw((pdf) => void pdf.text(prose).addPage());
  const locked = await draw((pdf) => void pdf.text(prose), { userPassword: 'secret' });
  const open = (bytes: Uint8Array, maxPages = 10) =>
    read(bytes, { name: 'a.pdf', limits: { ...defaultLimits, maxPages } });
  await expect(open(locked)).rejects.toMatchObject({ code: 'DOCUMENT_ENCRYPTED' });
  await expect(open(new TextEncoder().encode('%PDF-1.7 and then nothing of the kind'))).rejects.toMatchObject({
    code: 'DOCUMENT_CORRUPT',
  });
  await expect(open(plain.slice(0, 300))).rejects.toMatchObject({ code: 'DOCUMENT_CORRUPT' });
  await expect(open(plain, 1)).rejects.toMatchObject({
    code: 'DOCUMENT_TOO_LARGE',
    message: expect.stringContaining('2 pages'),
  });
});

test("the user's password opens a protected document", async () => {
  const locked = await draw((pdf) => void pdf.text(prose), { userPassword: 'secret', ownerPassword: 'other' });
  const open = (password: string) => read(locked, { name: 'a.pdf', limits: defaultLimits, paged: { password } });
  expect((await open('secret')).texts[0]!.text).toBe(prose);
  await expect(open('wrong')).rejects.toMatchObject({
    code: 'DOCUMENT_ENCRYPTED',
    message: expect.stringContaining('a password other than the one given'),
  });
});

test('a page range reads only these pages and keeps their numbers', async () => {
  const bytes = await draw((pdf) => {
    for (let page = 1; page <= 5; page += 1) {
      if (page > 1) pdf.addPage();
      pdf.text(`This is what stands on page number ${page}.`);
    }
  });
  const document = await read(bytes, { name: 'a.pdf', limits: defaultLimits, paged: { range: [2, 3] } });
  expect(Object.keys(document.pages)).toEqual(['2', '3']);
  expect(document.texts.map(({ prov }) => prov[0]!.page_no)).toEqual([2, 3]);
});

test('a page that fails is reported, and the others are read', async () => {
  const bytes = await draw((pdf) => void pdf.text('First page of it.').addPage().text('Second page of it.'));
  const text = Buffer.from(bytes).toString('latin1');
  const kids = /\/Kids \[(\d+) 0 R (\d+) 0 R\]/.exec(text)!;
  // The reference to the second page names a missing object.
  const broken = text.replace(kids[0], kids[0].replace(`${kids[2]} 0 R`, '9'.repeat(kids[2]!.length) + ' 0 R'));
  const failed: number[] = [];
  const document = await read(new Uint8Array(Buffer.from(broken, 'latin1')), {
    name: 'a.pdf',
    limits: defaultLimits,
    pageFailed: (pageNo) => void failed.push(pageNo),
  });
  expect(failed).toEqual([2]);
  expect(document.texts.map(({ text: content }) => content)).toEqual(['First page of it.']);
});

test('an item that is entirely a link carries its address', async () => {
  const document = await readDrawn((pdf) => {
    pdf.fontSize(11).text('Read the tide tables of the harbour', 72, 72, {
      link: 'https://harbour.example/tides',
    } as Record<string, unknown>);
    pdf.text(prose, 72, 120, { width: 450 });
  });
  expect(document.texts.map(({ hyperlink }) => hyperlink)).toEqual(['https://harbour.example/tides', null]);
});

test('pictures and pages are rendered on request, at the requested scale', async () => {
  const bytes = await draw((pdf) => {
    pdf.fontSize(11).text(prose, 72, 72, { width: 450 });
    pdf.image(redPixel, 100, 200, { width: 200, height: 100 });
  });
  const plain = await read(bytes, { name: 'a.pdf', limits: defaultLimits });
  expect(plain.pictures[0]!.image ?? null).toBeNull();
  const drawn = await read(bytes, { name: 'a.pdf', limits: defaultLimits, paged: { pictureScale: 2, pageScale: 0.5 } });
  expect(drawn.pictures[0]!.image).toMatchObject({
    mimetype: 'image/png',
    dpi: 144,
    size: { width: 400, height: 200 },
  });
  expect(drawn.pages['1']!.image).toMatchObject({ dpi: 36, size: { width: 298, height: 421 } });
  const png = Buffer.from(drawn.pictures[0]!.image!.uri.split(',')[1]!, 'base64');
  expect([...firstPixel(png)]).toEqual([255, 0, 0]);
});

test('table_mode fast finds ruled tables only', async () => {
  const bytes = await draw((pdf) => {
    pdf.fontSize(10).text(prose, 72, 72, { width: 450 });
    ruledTable(
      pdf,
      [
        ['Pier', 'Level'],
        ['North', '3.40'],
      ],
      { x: 72, y: 150, width: 120, height: 20 },
    );
    for (let row = 0; row < 4; row += 1)
      ['a', 'b', 'c'].forEach((text, column) =>
        pdf.text(`${text}${row}`, 72 + column * 110, 300 + row * 15, { lineBreak: false }),
      );
  });
  const tables = async (tableMode: 'fast' | 'accurate') =>
    (await read(bytes, { name: 'a.pdf', limits: defaultLimits, paged: { tableMode } })).tables.length;
  expect([await tables('fast'), await tables('accurate')]).toEqual([1, 2]);
});

test('a file damaged anywhere gives a document or a coded error, and the engine keeps working', async () => {
  const bytes = await draw((pdf) => {
    pdf.text(prose);
    ruledTable(
      pdf,
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
      { x: 72, y: 300, width: 80, height: 20 },
    );
  });
  for (let index = 0; index < 60; index += 1) {
    const damaged = bytes.slice();
    for (let step = 0; step < 20; step += 1)
      damaged[(index * 7919 + step * 104_729) % damaged.length] = (index * 31 + step * 17) % 256;
    const outcome = await read(damaged, { name: 'a.pdf', limits: defaultLimits }).catch((error: unknown) => error);
    if (outcome instanceof Error && !(outcome instanceof AppError)) throw outcome;
  }
  expect((await read(bytes, { name: 'a.pdf', limits: defaultLimits })).texts[0]!.text).toBe(prose);
});

test('the memory of the engine does not grow with the number of documents', async () => {
  const bytes = await draw((pdf) => {
    for (let page = 0; page < 3; page += 1) pdf.text(prose).addPage();
  });
  const readOne = () => read(bytes, { name: 'a.pdf', limits: defaultLimits });
  for (let index = 0; index < 10; index += 1) await readOne();
  const before = (await loadPdfium()).HEAPU8.byteLength;
  for (let index = 0; index < 60; index += 1) await readOne();
  expect((await loadPdfium()).HEAPU8.byteLength).toBe(before);
});
