import { labelled, prose, readDrawn } from './pdf-test-support';

const texts = ['One', 'Two', 'Three', 'Four', 'Five', 'Six'].map((name) => `${name}. ${prose}`);

test('columns with a narrow gutter are read one after the other, and the text below them last', async () => {
  for (const align of ['left', 'justify'] as const) {
    const document = await readDrawn((pdf) => {
      pdf.fontSize(10);
      texts.slice(0, 4).forEach((text, index) => {
        const column = Math.floor(index / 2);
        pdf.text(text, 72 + column * 228, 80 + (index % 2) * 100, { width: 220, align });
      });
      pdf.text(texts[4]!, 72, 290, { width: 448 });
    });
    expect(labelled(document, 'text')).toEqual(texts.slice(0, 5));
  }
});

test('three justified columns keep their lines', async () => {
  const document = await readDrawn((pdf) => {
    pdf.fontSize(9);
    texts.forEach((text, index) => {
      const column = Math.floor(index / 2);
      pdf.text(text, 60 + column * 162, 80 + (index % 2) * 140, { width: 150, align: 'justify' });
    });
  });
  expect(document.tables).toEqual([]);
  expect(labelled(document, 'text')).toEqual(texts);
});

test('a drop cap three lines high starts the first word of its paragraph', async () => {
  const document = await readDrawn((pdf) => {
    const lines = [
      'he harbour office keeps a daily record of',
      'the water level at the northern pier, and',
      'every morning',
    ];
    pdf.fontSize(40).text('T', 72, 96, { lineBreak: false }).fontSize(11);
    lines.forEach((line, index) => pdf.text(line, 100, 100 + index * 13, { lineBreak: false }));
    pdf.text('the reading is compared with the table of the tides.', 72, 139, { lineBreak: false });
  });
  expect(labelled(document, 'text').join(' ')).toBe(
    'The harbour office keeps a daily record of the water level at the northern pier, and every morning the reading is compared with the table of the tides.',
  );
});

test('a sentence continues in the next column above small print at the end of its column', async () => {
  const [start, rest] = [
    'The gauge at the pier is read every morning and',
    'evening, and the reading is compared with the table.',
  ];
  const notice = 'Permission to copy this report is granted to all visitors of the harbour.';
  const build = (noticeSize: number) =>
    readDrawn((pdf) => {
      pdf.fontSize(10);
      for (let row = 0; row < 4; row += 1) pdf.text(texts[row]!, 72, 80 + row * 110, { width: 220 });
      pdf.text(start, 72, 540, { width: 220 });
      pdf.fontSize(noticeSize).text(notice, 72, 600, { width: 220 });
      pdf.fontSize(10).text(rest, 300, 80, { width: 220 });
      for (let row = 0; row < 4; row += 1) pdf.text(texts[row]!, 300, 130 + row * 110, { width: 220 });
    });
  const small = labelled(await build(7), 'text');
  expect(small).toContain(`${start} ${rest}`);
  expect(small).toContain(notice);
  expect(labelled(await build(10), 'text')).toContain(start);
});

test('columns of a form end at a ruling as wide as the text, and the question below it is read after all of them', async () => {
  const boxes = ['Aerospace', 'Automotive', 'Business Services', 'Chemicals', 'Consumer Products', 'Electrical'];
  const document = await readDrawn((pdf) => {
    pdf.fontSize(11);
    for (const column of [0, 1, 2])
      boxes.forEach((name, row) => {
        const [x, y] = [72 + 160 * column, 90 + 18 * row];
        pdf.rect(x, y, 9, 9).stroke();
        pdf.text(`${name} ${column + 1}`, x + 18, y, { lineBreak: false });
      });
    for (const [index, question] of ['Why do you want to attend?', 'For how long do you work there?'].entries()) {
      pdf
        .moveTo(72, 210 + 80 * index)
        .lineTo(520, 210 + 80 * index)
        .stroke();
      pdf.text(question, 72, 220 + 80 * index, { lineBreak: false });
    }
    pdf.moveTo(72, 370).lineTo(520, 370).stroke();
    pdf.text('Signature:', 72, 380, { lineBreak: false });
  });
  const texts = document.texts.map(({ text }) => text);
  expect(texts.indexOf('Electrical 3')).toBeLessThan(texts.indexOf('Why do you want to attend?'));
  expect(texts.at(-1)).toBe('Signature:');
});
