import { toMarkdown } from '../../document/write/markdown';
import { type Drawing, grid, labelled, prose, readDrawn, ruledTable } from './pdf-test-support';

/** Fills a circle; the pdfkit declarations used here omit `circle`. */
const disc = (pdf: Drawing, x: number, y: number) =>
  (pdf as unknown as { circle(x: number, y: number, radius: number): Drawing }).circle(x, y, 8).fill('blue');

const code = ['for (const pier of piers) {', '  console.log(pier.name, pier.level);', '}'];

test('the caption above or below a listing belongs to it', async () => {
  const document = await readDrawn((pdf) => {
    pdf.fontSize(11).text(prose).moveDown();
    pdf.text('Listing 1: Levels of all piers').moveDown(0.3);
    pdf.font('Courier').fontSize(10);
    for (const row of code) pdf.text(row);
    pdf.moveDown().font('Helvetica').fontSize(11).text(prose);
  });
  const [listing] = document.texts.filter(({ label }) => label === 'code');
  const [caption] = document.texts.filter(({ label }) => label === 'caption');
  expect(listing!.captions).toEqual([{ $ref: caption!.self_ref }]);
  expect(caption).toMatchObject({ text: 'Listing 1: Levels of all piers', parent: { $ref: listing!.self_ref } });
});

test('a label above a heading does not name the code below the heading', async () => {
  const document = await readDrawn((pdf) => {
    pdf.fontSize(11).text(prose, 72, 72);
    pdf.text('Listing 3.2', 72, 130).font('Helvetica-Bold').text('Levels of the piers', 72, 148);
    code.forEach((row, index) =>
      pdf
        .font('Courier')
        .fontSize(10)
        .text(row, 72, 164 + 12 * index),
    );
    pdf.font('Helvetica').fontSize(11).text(prose, 72, 220);
  });
  const [listing] = document.texts.filter(({ label }) => label === 'code');
  expect(listing!.captions).toEqual([]);
  expect(toMarkdown(document)).toMatch(/Listing 3\.2\n\n#+ Levels of the piers\n\n```/);
});

test('an example label is a caption beside code, and a paragraph elsewhere', async () => {
  const document = await readDrawn((pdf) => {
    pdf.fontSize(11).text(`Example 1 of the rule is simple. ${prose}`).moveDown();
    pdf.text('Example 2 The loop').moveDown(0.3);
    pdf.font('Courier').fontSize(10);
    for (const row of code) pdf.text(row);
  });
  expect(labelled(document, 'caption')).toEqual(['Example 2 The loop']);
});

test('a sentence that mentions a table is not its caption', async () => {
  const rows = [
    ['Pier', 'Level'],
    ['North', '3.4'],
    ['South', '2.9'],
  ];
  const document = await readDrawn((pdf) => {
    pdf.fontSize(11).text('Table 3 lists the levels of this year.', 72, 100);
    pdf.text('Table 3 Levels', 72, 130);
    ruledTable(pdf, rows, { x: 72, y: 150, width: 100, height: 20 });
  });
  expect(labelled(document, 'text')).toEqual(['Table 3 lists the levels of this year.']);
  expect(labelled(document, 'caption')).toEqual(['Table 3 Levels']);
});

test('small text alone at the bottom of a single page is furniture, not a note', async () => {
  const foot = (text: string) =>
    readDrawn((pdf) => {
      pdf.fontSize(11).text(prose);
      pdf.page.margins.bottom = 0;
      pdf.fontSize(8).text(text, 72, 784);
    });
  expect(labelled(await foot('Harbour Office, Pier Road 7, Oslo'), 'page_footer')).toHaveLength(1);
  expect(labelled(await foot('* Read at noon.'), 'page_footer')).toEqual([]);
});

test('boxes drawn before words are checkboxes: empty, filled and crossed', async () => {
  const document = await readDrawn((pdf) => {
    pdf.fontSize(11).text(prose, 72, 72);
    pdf.rect(72, 200, 9, 9).stroke().text('Read by hand', 90, 200);
    pdf.rect(72, 230, 9, 9).fill().rect(72, 230, 9, 9).stroke().text('Read by radio', 90, 230);
    pdf.rect(72, 260, 9, 9).stroke().moveTo(73, 261).lineTo(80, 268).moveTo(80, 261).lineTo(73, 268).stroke();
    pdf.text('Not read', 90, 260);
  });
  expect(labelled(document, 'checkbox_unselected')).toEqual(['Read by hand']);
  expect(labelled(document, 'checkbox_selected')).toEqual(['Read by radio', 'Not read']);
});

test('checkboxes in a table cell become symbols in its text and do not split cells', async () => {
  const document = await readDrawn((pdf) => {
    pdf.fontSize(11);
    ruledTable(
      pdf,
      [
        ['Approved?', ''],
        ['Office', 'Pier Road'],
      ],
      { x: 72, y: 100, width: 150, height: 24 },
    );
    pdf.rect(230, 104, 9, 9).stroke().text('Yes', 244, 104, { lineBreak: false });
    pdf.rect(290, 104, 9, 9).fill().rect(290, 104, 9, 9).stroke().text('No', 304, 104, { lineBreak: false });
  });
  expect(grid(document)).toEqual([
    ['Approved?', '☐ Yes ☒ No'],
    ['Office', 'Pier Road'],
  ]);
});

test('words printed on a captioned image become its labels and its description', async () => {
  const pixel = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
    'base64',
  );
  const draw = (caption: string) =>
    readDrawn((pdf) => {
      pdf.fontSize(11).text(prose, 72, 72);
      pdf.image(pixel, 150, 200, { width: 200, height: 150 });
      pdf.fontSize(8).text('Gauge', 200, 250, { lineBreak: false });
      pdf.fontSize(11).text(caption, 150, 360).moveDown().text(prose);
    });
  const figure = await draw('Figure 1: The gauge');
  expect(figure.pictures[0]!.meta).toMatchObject({ description: { text: 'Gauge' } });
  expect(figure.texts.find(({ text }) => text === 'Gauge')!.parent).toEqual({ $ref: '#/pictures/0' });
  expect(toMarkdown(await draw('The gauge at noon.'))).toMatch(/^Gauge$/m);
});

test('text printed over a table is a separate text next to it, not part of its cells', async () => {
  const document = await readDrawn((pdf) => {
    pdf.fontSize(11).text(prose, 72, 72);
    pdf.font('Times-Roman').fontSize(14).text('Without guarantee', 130, 165, { lineBreak: false });
    pdf.font('Helvetica').fontSize(11);
    ruledTable(
      pdf,
      [
        ['N', '', '', '', 'x'],
        ['S', '', '', '', 'y'],
        ['T', '', '', '', 'z'],
      ],
      { x: 72, y: 140, width: 40, height: 24 },
    );
  });
  expect(grid(document).flat().join(' ')).not.toMatch(/guarantee/);
  expect(toMarkdown(document)).toMatch(/^#* ?Without guarantee$/m);
});

test('an indented line after a short line that ends a sentence starts a paragraph', async () => {
  const document = await readDrawn((pdf) => {
    pdf.fontSize(11).text(`${prose} ${prose} And so on.`, 72, 72, { width: 440 });
    pdf.text(`Every morning the gauge is read. ${prose}`, { width: 440, indent: 9 });
  });
  expect(labelled(document, 'text')).toHaveLength(2);
});

test('notes and sources below a table are footnotes', async () => {
  const rows = [
    ['Pier', 'Level'],
    ['North', '3.4'],
  ];
  const document = await readDrawn((pdf) => {
    pdf.fontSize(11).text(prose, 72, 72).text(prose);
    ruledTable(pdf, rows, { x: 72, y: 200, width: 100, height: 20 });
    pdf.fontSize(8).text('Note: read at noon.', 72, 245).text('Source: Harbour Office', 72, 257);
    pdf.fontSize(11).text(prose, 72, 300);
  });
  expect(labelled(document, 'footnote')).toEqual(['Note: read at noon.', 'Source: Harbour Office']);
});

test('an image under running text or a heading is background, not a picture; curves close together are one picture', async () => {
  const pixel = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
    'base64',
  );
  const document = await readDrawn((pdf) => {
    pdf.image(pixel, 70, 70, { width: 300, height: 26 });
    pdf.image(pixel, 70, 150, { width: 460, height: 120 });
    pdf.font('Helvetica-Bold').fontSize(16).text('Readings', 80, 76);
    pdf.font('Times-Roman').fontSize(11).text(prose, 80, 170, { width: 440 });
    for (let index = 0; index < 5; index += 1) disc(pdf, 480 + index * 9, 50);
  });
  expect(document.pictures.map(({ prov }) => Math.round(prov[0]!.bbox.l))).toEqual([472]);
});

test('a clause number set apart comes before its text', async () => {
  const document = await readDrawn((pdf) => {
    pdf.fontSize(11);
    ['1.1', '1.2'].forEach((number, index) => {
      pdf.text(number, 72, 72 + index * 70, { lineBreak: false });
      pdf.text(prose, 110, 72 + index * 70, { width: 400 });
    });
  });
  expect(labelled(document, 'text')).toEqual([`1.1 ${prose}`, `1.2 ${prose}`]);
});

test('line numbers in the margin are furniture', async () => {
  const document = await readDrawn((pdf) => {
    pdf.fontSize(10);
    const long = `${prose} ${prose} ${prose} ${prose} ${prose} ${prose}`;
    pdf.text(long, 72, 72, { width: 200 }).text(long, 320, 72, { width: 200 });
    // Line spacing of Helvetica at this size.
    const leading = 11.56;
    for (let count = 5; count <= 40; count += 5)
      pdf.text(String(count), 291, 72 + (count - 1) * leading, { lineBreak: false });
  });
  expect(labelled(document, 'text').join(' ')).not.toMatch(/\d/);
});
