import type { Rule } from './geometry/page';
import { findGrids } from './geometry/rulings';
import { type Drawing, grid, labelled, paragraphs, prose, readDrawn } from './pdf-test-support';

const put = (pdf: Drawing, text: string, x: number, y: number, font = 'Helvetica') =>
  pdf.font(font).fontSize(10).text(text, x, y, { lineBreak: false });

const labelsOf = ({ texts }: Awaited<ReturnType<typeof readDrawn>>, picture = 0) =>
  texts.filter(({ parent }) => parent?.$ref === `#/pictures/${picture}`).map(({ text }) => text);

/** Six circles in two columns, each with a letter inside. */
function drawNodes(pdf: Drawing, beside = ''): void {
  pdf.lineWidth(0.5);
  ['A', 'B', 'C', 'D', 'E', 'F'].forEach((letter, index) => {
    const [x, y] = [100 + (index % 2) * 30, 120 + Math.floor(index / 2) * 26];
    pdf.ellipse(x, y, 10, 10).stroke();
    put(pdf, letter, x - 3, y - 4);
    if (beside && index % 2 === 1) put(pdf, beside, x + 16, y - 4);
  });
  put(pdf, prose, 72, 220);
}

test('circles around letters, close to each other, are a graph, not a table', async () => {
  const document = await readDrawn((pdf) => drawNodes(pdf));
  expect(document.tables).toEqual([]);
  expect(labelsOf(document).toSorted()).toEqual(['A', 'B', 'C', 'D', 'E', 'F']);
});

test('letters in circles with text beside them are text', async () => {
  const document = await readDrawn((pdf) => drawNodes(pdf, 'the gauge of this pier'));
  expect(labelsOf(document)).not.toContain('B');
});

/** Bars above one axis with tick marks, numbers below, and a title above. */
function drawScale(pdf: Drawing, numbers: readonly string[]): void {
  pdf.lineWidth(0.5).moveTo(120, 160).lineTo(320, 160).stroke();
  numbers.forEach((text, index) => {
    const x = 120 + index * 50;
    pdf.moveTo(x, 160).lineTo(x, 163).stroke();
    pdf
      .font('Helvetica')
      .fontSize(7)
      .text(text, x - 10, 168, { lineBreak: false, width: 20, align: 'center' });
  });
  for (const x of [140, 190, 270]) pdf.rect(x, 148, 20, 9).fill('black');
  pdf.font('Helvetica-Bold').fontSize(8).text('hours at the pier', 120, 132, { width: 200, align: 'center' });
  pdf.font('Helvetica').fontSize(10).text(prose, 72, 230, { width: 450 });
}

test('an axis with tick marks and a number below each bounds a chart; its title is a label', async () => {
  const document = await readDrawn((pdf) => drawScale(pdf, ['0', '10', '20', '30', '40']));
  expect(document.pictures).toHaveLength(1);
  expect(labelsOf(document)).toEqual(expect.arrayContaining(['0', '10', '40', 'hours at the pier']));
  expect(paragraphs(document)).toContain(prose);
});

test('a ruling with strokes but words below them is no axis', async () => {
  const document = await readDrawn((pdf) => drawScale(pdf, ['gauge', 'pier', 'lock', 'quay', 'tide']));
  expect(document.pictures).toEqual([]);
});

test('the head above the first horizontal ruling belongs to the table if the vertical rulings enclose it', async () => {
  const rows = [
    ['Function', 'Description'],
    ['length', 'Returns the number of gauges.'],
    ['names', 'Returns the names of the piers.'],
    ['rev', 'Reverses the order.'],
  ];
  const document = await readDrawn((pdf) => {
    pdf.lineWidth(0.5);
    rows.forEach(([name, text], row) => {
      const y = 150 + 14 * row;
      put(pdf, name!, 76, y + 3, row === 0 ? 'Helvetica-Bold' : 'Courier');
      put(pdf, text!, 206, y + 3, row === 0 ? 'Helvetica-Bold' : 'Helvetica');
      pdf
        .moveTo(200, y)
        .lineTo(200, y + 14)
        .moveTo(72, y + 14)
        .lineTo(450, y + 14)
        .stroke();
    });
    put(pdf, prose, 72, 260);
  });
  expect(grid(document)).toEqual(rows);
  expect(labelled(document, 'section_header')).toEqual([]);
});

test('shades behind neighbouring words of running text are no table', async () => {
  const document = await readDrawn((pdf) => {
    pdf.font('Helvetica').fontSize(10);
    const words = ['The', 'commands', 'read', 'and', 'send', 'write', 'the', 'level', 'to', 'the', 'record'];
    for (const y of [120, 132]) {
      let x = 72;
      for (const word of words) {
        const width = pdf.widthOfString(word);
        if (['read', 'send', 'and'].includes(word))
          pdf
            .rect(x - 1.5, y - 1.5, width + 3, 11)
            .fill('#ddd')
            .fillColor('black');
        pdf.text(word, x, y, { lineBreak: false });
        x += width + 3;
      }
    }
  });
  expect(document.tables).toEqual([]);
  const line = 'The commands read and send write the level to the record';
  expect(paragraphs(document).join(' ')).toBe(`${line} ${line}`);
});

test('three monospaced names with wrapped descriptions beside them are a table, not two columns', async () => {
  const document = await readDrawn((pdf) => {
    put(pdf, prose.slice(0, 90), 72, 100);
    put(pdf, 'Viewport(xmin,ymin,xmax)', 72, 130, 'Courier');
    put(pdf, 'Shows a part of the window.', 230, 130);
    put(pdf, 'stylus(x,y,beam)', 72, 150, 'Courier');
    put(pdf, 'Draws a line from the current position if the beam is on,', 230, 150);
    put(pdf, 'otherwise moves the stylus.', 230, 162);
    put(pdf, 'markerNDC(xndc,yndc)', 72, 182, 'Courier');
    put(pdf, 'Draws a marker at this position.', 230, 182);
  });
  expect(grid(document)).toEqual([
    ['Viewport(xmin,ymin,xmax)', 'Shows a part of the window.'],
    ['stylus(x,y,beam)', 'Draws a line from the current position if the beam is on, otherwise moves the stylus.'],
    ['markerNDC(xndc,yndc)', 'Draws a marker at this position.'],
  ]);
});

test('only rulings as wide as the grid make the space above the first one a row', () => {
  const level = (at: number, from: number, to: number): Rule => ({ axis: 'h', at, from, to });
  const side: Rule = { axis: 'v', at: 200, from: 100, to: 214 };
  const heights = [200, 180, 160, 140, 120, 100];
  const findTop = (rules: Rule[]) => findGrids([side, ...rules])[0]?.ys[0];
  expect(findTop(heights.map((at) => level(at, 72, 400)))).toBe(214);
  // Squares in the cells of one column, below a wide ruling.
  expect(findTop([level(200, 72, 400), ...heights.slice(1).map((at) => level(at, 190, 210))])).toBe(200);
});

test('numbers beside the colour scale of a map are labels of it', async () => {
  const document = await readDrawn((pdf) => {
    for (let index = 0; index < 12; index += 1)
      pdf.ellipse(110 + (index % 4) * 30, 110 + Math.floor(index / 4) * 30, 9, 9).fill('green');
    for (let index = 0; index < 10; index += 1) pdf.rect(228, 100 + index * 8, 10, 8).fill(`#${index}0${index}0ff`);
    ['0.35', '0.30', '0.25'].forEach((text, index) => put(pdf, text, 242, 100 + index * 30));
    put(pdf, prose, 72, 260);
  });
  expect(document.pictures).toHaveLength(1);
  expect(labelsOf(document)).toEqual(['0.35', '0.30', '0.25']);
});
