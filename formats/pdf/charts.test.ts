import { type Drawing, paragraphs, prose, readDrawn } from './pdf-test-support';

/** Stacked bars that stand apart, with a figure in each and a name below, above an axis of numbers. */
function drawBars(pdf: Drawing, gap: number): void {
  pdf.fontSize(9).lineWidth(0.5).moveTo(112, 290).lineTo(112, 400).stroke();
  for (let line = 0; line < 5; line += 1)
    pdf
      .moveTo(112, 304 + line * 24)
      .lineTo(460, 304 + line * 24)
      .stroke();
  ['North', 'South', 'East', 'West'].forEach((name, index) => {
    const x = 120 + index * (40 + gap);
    pdf.rect(x, 300, 40, 40).fill('#88f');
    pdf.rect(x, 340, 40, 60).fill('#ccf');
    pdf.fillColor('black');
    for (const [row, value] of [22 + index, 31 + index].entries())
      pdf.text(String(value), x + 14, 315 + row * 50, { lineBreak: false });
    pdf.text(name, x + 8, 406, { lineBreak: false });
  });
  for (const [index, value] of ['80', '60', '40', '20', '0'].entries())
    pdf.text(value, 96, 296 + index * 24, { lineBreak: false });
  pdf.text('Harvest by district', 120, 240, { lineBreak: false });
  pdf.fontSize(11).text(prose, 72, 460, { width: 450 });
}

test('bars that stand apart are a chart, whose words are its labels', async () => {
  const { tables, pictures, texts } = await readDrawn((pdf) => drawBars(pdf, 40));
  expect([tables.length, pictures.length]).toEqual([0, 1]);
  const labels = texts.filter(({ parent }) => parent?.$ref === '#/pictures/0').map(({ text }) => text);
  for (const label of ['22', '34', 'North', 'West', '80', '0']) expect(labels).toContain(label);
  expect(labels).not.toContain(prose);
});

test('coloured cells that touch are a table', async () => {
  const { tables } = await readDrawn((pdf) => drawBars(pdf, 1));
  expect(tables).toHaveLength(1);
});

test('a curve across grid lines makes them a chart', async () => {
  const document = await readDrawn((pdf) => {
    pdf.fontSize(9);
    for (let row = 0; row < 5; row += 1)
      pdf
        .moveTo(120, 300 + row * 25)
        .lineTo(440, 300 + row * 25)
        .stroke();
    for (let column = 0; column < 5; column += 1)
      pdf
        .moveTo(120 + column * 80, 300)
        .lineTo(120 + column * 80, 400)
        .stroke();
    pdf.moveTo(120, 390).lineTo(200, 340).lineTo(280, 360).lineTo(360, 320).lineTo(440, 310).stroke();
    for (const [index, text] of ['12', '31', '24', '47'].entries())
      pdf.text(text, 140 + index * 80, 308, { lineBreak: false });
    for (const [index, text] of ['51', '8', '29', '3'].entries())
      pdf.text(text, 140 + index * 80, 358, { lineBreak: false });
    pdf.fontSize(11).text(prose, 72, 460, { width: 450 });
  });
  expect(document.tables).toEqual([]);
  expect(paragraphs(document)).toContain(prose);
});
