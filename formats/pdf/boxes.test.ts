import { toMarkdown } from '../../document/write/markdown';
import { type Drawing, labelled, prose, readDrawn } from './pdf-test-support';

const rounded = (pdf: Drawing, x: number, y: number, width: number, height: number) =>
  (pdf as unknown as { roundedRect(...box: number[]): Drawing }).roundedRect(x, y, width, height, 8);

const places = Array.from({ length: 8 }, (_, index) => ({
  x: 72 + (index % 4) * 118,
  y: 150 + Math.floor(index / 4) * 90,
  name: `Station ${String.fromCharCode(65 + index)}`,
  value: String(3_100 + index * 7),
  note: `centimetres above the mean of ${2000 + index}`,
}));

/** A dashboard of eight cards. */
function drawCards(pdf: Drawing, draw: (x: number, y: number) => void): void {
  pdf.fontSize(11).text(prose, 72, 72);
  for (const { x, y, name, value, note } of places) {
    draw(x, y);
    pdf.fillColor('black').fontSize(8);
    pdf.text(name, x + 8, y + 8, { lineBreak: false });
    pdf.fontSize(14).text(value, x + 8, y + 22, { lineBreak: false });
    pdf.fontSize(8).text(note, x + 8, y + 44, { width: 90 });
  }
  pdf.fontSize(11).text(prose, 72, 350);
}

const cards = places.flatMap(({ name, value, note }) => [name, value, note]);

test('cards are read one by one, each with all its words, in any style', async () => {
  for (const draw of [
    (pdf: Drawing) => (x: number, y: number) => void pdf.rect(x, y, 106, 76).fill('#dde8ff'),
    (pdf: Drawing) => (x: number, y: number) => void rounded(pdf, x, y, 106, 76).fill('#dde8ff'),
    (pdf: Drawing) => (x: number, y: number) => void rounded(pdf, x, y, 106, 76).stroke(),
  ]) {
    const document = await readDrawn((pdf) => drawCards(pdf, draw(pdf)));
    expect(document.pictures).toEqual([]);
    expect(document.tables).toEqual([]);
    expect(document.texts.map(({ text }) => text)).toEqual([prose, ...cards, prose]);
  }
});

test('shaded rows and page headings stay text even with many shapes on the page', async () => {
  const heads = ['Payable to', 'Delivered to', 'Terms of payment'];
  const document = await readDrawn((pdf) => {
    heads.forEach((text, index) => {
      const y = 80 + index * 60;
      pdf.rect(72, y, 440, 20).fill('#224466');
      pdf.rect(72, y + 20, 440, 4).fill('#99aabb');
      pdf.rect(500, y + 4, 8, 8).fill('#ffffcc');
      pdf
        .fillColor('white')
        .fontSize(11)
        .text(text, 80, y + 5, { lineBreak: false });
      pdf.fillColor('black').text(`The ${index + 1}. line of the office`, 80, y + 30, { lineBreak: false });
    });
  });
  for (const text of heads) expect(toMarkdown(document)).toContain(text);
  expect(document.pictures).toEqual([]);
});

test('columns of figures in a bar chart are not cards', async () => {
  const document = await readDrawn((pdf) => {
    pdf.fontSize(11).text(prose, 72, 72);
    pdf.fontSize(7);
    for (let index = 0; index < 10; index += 1) {
      pdf.rect(100 + index * 30, 300 - index * 8, 20, 40 + index * 8).fill('#8888ff');
      pdf.fillColor('black').text(String(index * 10), 104 + index * 30, 345, { lineBreak: false });
    }
    pdf.fontSize(11).text(prose, 72, 380);
  });
  expect(document.pictures).toHaveLength(1);
  expect(labelled(document, 'text').filter((text) => text === prose)).toHaveLength(2);
  expect(toMarkdown(document)).toContain('0, 10, 20');
});
