import { type Drawing, labelled, prose, readDrawn } from '../pdf-test-support';

type Turned = Drawing & { rotate(angle: number, options: { origin: [number, number] }): void };

const paragraphs = (pdf: Drawing, count: number) => {
  pdf.fontSize(10).font('Helvetica').fillColor('black');
  for (let index = 0; index < count; index += 1) pdf.text(prose, 72, 80 + index * 60);
};

test('a word printed across the page is a single header', async () => {
  const document = await readDrawn((pdf) => {
    paragraphs(pdf, 6);
    (pdf as Turned).rotate(-45, { origin: [200, 300] });
    pdf.fontSize(70).fillColor('#dddddd').text('FIRST DRAFT', 60, 260, { lineBreak: false });
  });
  expect(labelled(document, 'text')).toEqual(Array.from({ length: 6 }, () => prose));
  expect(labelled(document, 'page_header')).toEqual(['FIRST DRAFT']);
});

test('a large word behind the text is not a heading, one above it is', async () => {
  const document = await readDrawn((pdf) => {
    pdf.fontSize(50).fillColor('#dddddd').text('SECRET', 150, 160, { lineBreak: false });
    paragraphs(pdf, 4);
    pdf.fontSize(30).fillColor('black').text('Tides', 72, 360);
  });
  expect(labelled(document, 'page_header')).toEqual(['SECRET']);
  expect([...labelled(document, 'section_header'), ...labelled(document, 'title')]).toEqual(['Tides']);
  expect(labelled(document, 'text')).toHaveLength(4);
});

test('slanted words that cover no text are read normally', async () => {
  const document = await readDrawn((pdf) => {
    paragraphs(pdf, 2);
    (pdf as Turned).rotate(-30, { origin: [200, 500] });
    pdf.fontSize(10).text('northern pier', 200, 500, { lineBreak: false });
  });
  expect(labelled(document, 'text')).toEqual([prose, prose, 'northern pier']);
});
