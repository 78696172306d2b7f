import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import sharp from 'sharp';
import { toMarkdown } from '../../../document/write/markdown';
import { convertBytes } from '../../../formats/convert';
import { openReader } from '../../../formats/pdf/engine/reader';
import { draw, type Drawing } from '../../../formats/pdf/pdf-test-support';
import { buildDefaultConvertOptions } from '../../../model/conversion/request/options';
import { openImage } from '../../../services/image/images';
import { createOcr } from '../../../services/image/ocr';
import { exportDocument } from '../../../threads/conversion/export-document';
import { drawScrawl } from '../../support/scrawl';

const ocr = createOcr({ languages: ['en'] });
afterAll(() => ocr.close());

const sentence = 'The harbour office keeps a register of every ship that calls here.';

/** The bytes of a small page. */
const drawPage = (content: (pdf: Drawing) => void) => draw(content, { size: [420, 300], margin: 30 });

/** A page as a scanner would give it. */
async function scan(): Promise<Uint8Array> {
  const pdf = await drawPage((page) => {
    page.font('Helvetica-Bold').fontSize(20).text('Register of ships').moveDown();
    page.font('Helvetica').fontSize(12).text(sentence).moveDown();
    page.text('Captains sign it before noon, and the clerk adds the weather.');
  });
  const reader = await openReader(pdf, 'scan.pdf');
  try {
    return (await reader.render(1, 200 / 72)).png;
  } finally {
    reader.close();
  }
}

async function exported(task: Parameters<typeof exportDocument>[0]) {
  const answer = await exportDocument(task);
  if ('failure' in answer) throw new Error(answer.failure.message);
  return answer.exported;
}
const read = async (bytes: Uint8Array, name: string, mode: 'auto' | 'force' = 'auto') =>
  convertBytes({ bytes, name, openImage, ocr: { mode, recognize: ocr.recognize } });

test('the text of an image is read, in paragraphs with boxes in its page', async () => {
  const png = await sharp(await scan())
    .withMetadata({ density: 200 })
    .png()
    .toBuffer();
  const { document, format, pages, scores } = await read(png, 'scan.png');
  expect([format, pages]).toEqual(['image', 1]);
  expect(scores).toEqual([{ page: 1, ocr: expect.any(Number) as unknown }]);
  expect(scores[0]?.ocr).toBeGreaterThan(0.8);
  expect(scores[0]?.ocr).toBeLessThanOrEqual(1);
  const markdown = toMarkdown(document);
  expect(markdown).toMatch(/^#+ Register of ships$/m);
  expect(markdown).toContain(sentence);
  const [text] = document.texts.filter((item) => item.text.startsWith('The harbour'));
  const box = text?.prov[0]?.bbox;
  expect(box?.l).toBeGreaterThan(20);
  expect(box?.r).toBeLessThan(420);
});

test('a scanned page of a PDF is read, even when it is rotated; a page with its own text is not changed', async () => {
  const png = await scan();
  const turned = await sharp(png).rotate(90).png().toBuffer();
  const pdf = await drawPage((page) => {
    page.image(Buffer.from(png), 0, 0, { width: 420 });
    page.addPage().image(turned, 0, 0, { height: 300 });
    page.addPage().fontSize(12).text('A page with text of its own.');
  });
  const { document, failedPages, scores } = await read(pdf, 'scan.pdf');
  expect(failedPages).toEqual([]);
  const getPages = (part: string) =>
    document.texts.filter(({ text }) => text.includes(part)).map(({ prov }) => prov[0]?.page_no);
  expect(getPages('keeps a register of every ship')).toEqual([1, 2]);
  expect(getPages('A page with text of its own.')).toEqual([3]);
  expect(document.pictures).toEqual([]);
  expect(scores.map((page) => Object.keys(page))).toEqual([
    ['page', 'ocr'],
    ['page', 'ocr'],
    ['page', 'parse'],
  ]);
});

test('tables of a scan are tables: by their rulings, also on a page that is slightly turned, or by the white between columns', async () => {
  const rows = [
    ['Pier', 'Lowest', 'Highest'],
    ['North', '3.14', '4.27'],
    ['South', '2.98', '4.05'],
    ['Inner', '3.30', '3.90'],
  ];
  const drawn = await drawPage((page) => {
    page.fontSize(12).text('Levels of the year at the piers of the harbour.', 30, 20);
    rows.forEach((cells, row) =>
      cells.forEach((text, column) => {
        page.rect(30 + 110 * column, 50 + 24 * row, 110, 24).stroke();
        page.text(text, 38 + 110 * column, 56 + 24 * row, { lineBreak: false });
      }),
    );
    page.text('The readings below are those of the last year.', 30, 165);
    rows.forEach((cells, row) =>
      cells.forEach((text, column) => page.text(text, 38 + 110 * column, 195 + 20 * row, { lineBreak: false })),
    );
  });
  const reader = await openReader(drawn, 'scan.pdf');
  const { png } = await reader.render(1, 200 / 72);
  reader.close();
  for (const angle of [0, 1.2]) {
    const image = await sharp(png)
      .rotate(angle, { background: '#ffffff' })
      .withMetadata({ density: 200 })
      .png()
      .toBuffer();
    const { document } = await read(image, 'scan.png');
    const grids = document.tables.map(({ data }) =>
      Array.from({ length: data.num_rows }, (_, row) =>
        data.table_cells.filter(({ start_row_offset_idx: start }) => start === row).map(({ text }) => text),
      ),
    );
    expect(grids).toEqual([rows, rows]);
    expect(document.texts.map(({ text }) => text)).toEqual([
      'Levels of the year at the piers of the harbour.',
      'The readings below are those of the last year.',
    ]);
  }
});

test('a table that fills its image is read, white text on nothing is seen, and a sentence on black', async () => {
  const drawing = (content: string, height = 420) =>
    sharp(
      Buffer.from(
        `<svg xmlns="http://www.w3.org/2000/svg" width="1000" height="${height}" font-family="sans-serif" font-size="34">${content}</svg>`,
      ),
    )
      .png()
      .toBuffer();
  const rows = [
    ['Ship', 'Port', 'Tons'],
    ['Aurora', 'Bergen', '1200'],
    ['Boreas', 'Lisbon', '950'],
    ['Ceres', 'Malaga', '700'],
  ];
  const line = (x1: number, y1: number, x2: number, y2: number) =>
    `<path d="M${x1} ${y1}L${x2} ${y2}" stroke="#000" stroke-width="3"/>`;
  const table = await drawing(
    [
      '<rect width="1000" height="420" fill="#fff"/>',
      ...rows.flatMap((cells, row) =>
        cells.map((text, column) => `<text x="${70 + 300 * column}" y="${102 + 80 * row}">${text}</text>`),
      ),
      ...[0, 1, 2, 3, 4].map((row) => line(50, 50 + 80 * row, 950, 50 + 80 * row)),
      ...[0, 1, 2, 3].map((column) => line(50 + 300 * column, 50, 50 + 300 * column, 370)),
    ].join(''),
  );
  const { document } = await read(table, 'table.png');
  expect(document.tables[0]?.data.table_cells.map(({ text }) => text)).toEqual(rows.flat());
  const words = `<text x="20" y="60" fill="#fff" font-size="28">${sentence}</text>`;
  for (const ground of ['', '<rect width="1000" height="120" fill="#000"/>']) {
    const { document: seen } = await read(await drawing(ground + words, 120), 'white.png');
    expect(seen.texts.map(({ text }) => text).join(' ')).toBe(sentence);
  }
});

test('small type of a screen is read: every amount of a bill with thin rulings close to its figures', async () => {
  const rows = [
    ['Berth North', '12', '9,60', '115,20'],
    ['Power', '3', '4,05', '12,15'],
    ['Sum', '', '', '127,35'],
  ];
  const cells = rows.flatMap((row, down) =>
    row.map((text, across) => {
      const [x, y] = [10 + 90 * across, 60 + 34 * down];
      const frame = `<rect x="${x}" y="${y}" width="88" height="32" fill="none" stroke="#666"/>`;
      return `${frame}<text x="${x + 7}" y="${y + 21}">${text}</text>`;
    }),
  );
  const intro = '<text x="10" y="30">The harbour office asks for the charges of March as follows.</text>';
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="700" height="300" font-family="sans-serif" font-size="16"><rect width="700" height="300" fill="#fff"/>${intro}${cells.join('')}</svg>`;
  const { document, warnings } = await read(await sharp(Buffer.from(svg)).png().toBuffer(), 'bill.png');
  expect(toMarkdown(document).match(/\d+,\d{2}/g)).toEqual(['9,60', '115,20', '4,05', '12,15', '127,35']);
  expect(warnings).toEqual([]);
});

test('noise has no text, and is not read as a block, which takes minutes', async () => {
  let state = 7;
  const [width, height] = [800, 1_000];
  const pixels = Uint8Array.from({ length: width * height }, () => (state = (state * 48_271) % 2_147_483_647) >> 23);
  const noise = await sharp(pixels, { raw: { width, height, channels: 1 } })
    .png()
    .toBuffer();
  expect((await ocr.recognize(noise)).words).toEqual([]);
});

test('every page of a TIFF is read', async () => {
  const { width, height } = await sharp(await scan()).metadata();
  const raw = await sharp(await scan())
    .removeAlpha()
    .raw()
    .toBuffer();
  const both = Buffer.concat([raw, raw]);
  const tiff = await sharp(both, { raw: { width, height: height * 2, channels: 3, pageHeight: height } })
    .tiff()
    .toBuffer();
  const { document, pages } = await read(tiff, 'fax.tif');
  expect(pages).toBe(2);
  expect(document.texts.filter(({ text }) => text.includes('keeps a register'))).toHaveLength(2);
});

test('with force, OCR replaces the text of the page', async () => {
  const pdf = await drawPage((page) => page.fontSize(14).text(sentence));
  const recognize = async () => ({
    words: [
      { text: 'Seen', confidence: 1, box: { x0: 10, y0: 10, x1: 90, y1: 40 }, line: 0, baseline: 38, height: 30 },
    ],
    turned: 0 as const,
    width: 1167,
    height: 833,
  });
  const forced = await convertBytes({ bytes: pdf, name: 'a.pdf', ocr: { mode: 'force', recognize } });
  expect(forced.document.texts.map(({ text }) => text)).toEqual(['Seen']);
});

test('a damaged image, and one with too many pixels, are rejected with their codes', async () => {
  const png = await scan();
  await expect(read(png.subarray(0, 2_000), 'half.png')).rejects.toMatchObject({ code: 'DOCUMENT_CORRUPT' });
  const huge = Buffer.from(png);
  huge.writeUInt32BE(60_000, 16);
  huge.writeUInt32BE(60_000, 20);
  await expect(read(huge, 'huge.png')).rejects.toMatchObject({ code: expect.stringMatching(/^DOCUMENT_/) });
});

test('languages come from tessdata of the models folder, compressed or not', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'tessdata-'));
  const packed = readFileSync(require.resolve('@tesseract.js-data/eng/4.0.0_best_int/eng.traineddata.gz'));
  mkdirSync(path.join(folder, 'tessdata'));
  writeFileSync(path.join(folder, 'tessdata', 'deu.traineddata.gz'), packed);
  writeFileSync(path.join(folder, 'tessdata', 'fra.traineddata'), gunzipSync(packed));
  const other = createOcr({ languages: ['de', 'fr'], modelsFolder: folder });
  try {
    const { words } = await other.recognize(await scan());
    expect(words.map(({ text }) => text).join(' ')).toContain(sentence);
  } finally {
    await other.close();
    rmSync(folder, { recursive: true, force: true });
  }
});

test('languages without data are reported, and ignored while another has some', async () => {
  const other = createOcr({ languages: ['eng', 'ger', 'zh-Hant-TW', 'mul'] });
  try {
    expect(other.listMissingLanguages()).toEqual([]);
    const { words } = await other.recognize(await scan());
    expect(words.map(({ text }) => text).join(' ')).toContain(sentence);
    expect(other.listMissingLanguages()).toEqual(['deu', 'chi_tra']);
  } finally {
    await other.close();
  }
});

test('a list in one text means several languages', async () => {
  const other = createOcr({ languages: ['eng,fra', 'deu + spa'] });
  try {
    await other.recognize(await scan());
    expect(other.listMissingLanguages()).toEqual(['fra', 'deu', 'spa']);
  } finally {
    await other.close();
  }
});

test('ocr_lang of the service: languages without data are an error of the result, and the others are used', async () => {
  const options = { ...buildDefaultConvertOptions(), to_formats: ['md' as const] };
  const bytes = await scan();
  const answerFor = (languages: string[]) =>
    exported({ name: 'scan.png', bytes, options: { ...options, ocr_lang: languages }, packaging: 'inbody' });
  const some = await answerFor(['eng', 'fra', 'deu', 'spa']);
  expect(Buffer.from(some.outputs['md'] ?? []).toString()).toContain(sentence);
  expect(some).toMatchObject({
    status: 'success',
    errors: [{ component_type: 'model', module_name: 'ocr', error_message: expect.stringContaining('fra, deu, spa') }],
  });
  const none = await answerFor(['tlh']);
  expect(none).toMatchObject({ status: 'failure', outputs: {}, errors: [{ category: 'policy' }] });
  const text = await exported({
    name: 'a.md',
    bytes: Buffer.from('# A'),
    options: { ...options, ocr_lang: ['eng', 'deu'] },
    packaging: 'inbody',
  });
  expect(text.errors).toEqual([]);
});

test('characters outside of the language are not recognized as such, and fail a document without other text', async () => {
  const strokes = await drawScrawl();
  expect(await ocr.recognize(strokes)).toMatchObject({ words: [], isUnreadable: true });
  const scrawled = await exported({
    name: 'scrawl.png',
    bytes: strokes,
    options: { ...buildDefaultConvertOptions(), to_formats: ['md'] },
    packaging: 'inbody',
  });
  expect(scrawled).toMatchObject({
    status: 'failure',
    errors: [{ error_message: expect.stringContaining('ocr_lang') }],
  });
});

test('a language without installed data is named', async () => {
  const other = createOcr({ languages: ['tlh'] });
  await expect(other.recognize(await scan())).rejects.toMatchObject({
    code: 'OPTIONAL_PACKAGE_MISSING',
    message: expect.stringContaining("language 'tlh' is not installed"),
  });
  expect(() => createOcr({ languages: ['../eng'] })).toThrow(/text recognition language/);
});
