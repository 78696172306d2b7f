import type { Rule } from './geometry/page';
import { findGrids } from './geometry/rulings';
import { type Drawing, paragraphs, prose, readDrawn } from './pdf-test-support';
import { areOutlinedBars } from './table/axes';

/** Stacked bars, `gap` apart, each with a figure inside and a name below, above an axis of numbers. */
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

test('separate bars are a chart, and their words are its labels', async () => {
  const { tables, pictures, texts } = await readDrawn((pdf) => drawBars(pdf, 40));
  expect([tables.length, pictures.length]).toEqual([0, 1]);
  const labels = texts.filter(({ parent }) => parent?.$ref === '#/pictures/0').map(({ text }) => text);
  for (const label of ['22', '34', 'North', 'West', '80', '0']) expect(labels).toContain(label);
  expect(labels).not.toContain(prose);
});

test('axis names are labels: above the left axis, and centred below the bars', async () => {
  const { texts } = await readDrawn((pdf) => {
    drawBars(pdf, 40);
    pdf.fontSize(9).text('Tons', 92, 282, { lineBreak: false });
    pdf.text('Districts of the coast', 240, 419, { lineBreak: false });
  });
  const labels = texts.filter(({ parent }) => parent?.$ref === '#/pictures/0').map(({ text }) => text);
  for (const label of ['Tons', 'Districts of the coast']) expect(labels).toContain(label);
});

test('touching coloured cells are a table', async () => {
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

/** Two axes with tick marks and numbers, and the sideways name of the vertical axis. */
function drawAxes(pdf: Drawing, ticks: boolean): void {
  pdf.fontSize(8).lineWidth(0.5).moveTo(120, 100).lineTo(120, 220).lineTo(300, 220).stroke();
  for (let tick = 0; tick < 5; tick += 1) {
    const [x, y] = [130 + tick * 40, 110 + tick * 25];
    if (ticks) pdf.moveTo(117, y).lineTo(120, y).moveTo(x, 220).lineTo(x, 223).stroke();
    pdf.text(`0.${90 - tick}`, 98, y - 4, { lineBreak: false });
    pdf.text(String(1995 + tick * 5), x - 8, 226, { lineBreak: false });
  }
  pdf.moveTo(130, 200).lineTo(170, 130).lineTo(220, 180).lineTo(290, 130).stroke();
  pdf.text('Mean level of the water, all piers', 160, 140, { lineBreak: false });
  const turn = (angle: number) =>
    (pdf as unknown as { rotate(angle: number, options: object): void }).rotate(angle, { origin: [84, 210] });
  turn(-90);
  pdf.text('Level in metres', 84, 210, { lineBreak: false });
  turn(90);
  pdf.fontSize(11).text(prose, 72, 300, { width: 450 });
}

test('axes with tick marks bound a chart, and a sideways axis name next to it belongs to it', async () => {
  const document = await readDrawn((pdf) => drawAxes(pdf, true));
  const labels = document.texts.filter(({ parent }) => parent?.$ref === '#/pictures/0').map(({ text }) => text);
  for (const label of ['0.90', '2005', 'Mean level of the water, all piers', 'Level in metres'])
    expect(labels).toContain(label);
  const outside = document.texts.filter(({ parent }) => parent?.$ref === '#/body');
  expect(outside.map(({ text }) => text)).toEqual([prose]);
});

test('bars drawn as outlines from one baseline are a chart; boxes of a form are not', () => {
  const bar = (length: number, index: number): Rule[] => [
    { axis: 'h', at: 100 + index * 20, from: 100, to: 100 + length },
    { axis: 'h', at: 110 + index * 20, from: 100, to: 100 + length },
    { axis: 'v', at: 100 + length, from: 100 + index * 20, to: 110 + index * 20 },
    { axis: 'v', at: 100, from: 100 + index * 20, to: 110 + index * 20 },
  ];
  const bars = [40, 85, 130, 60, 150, 110, 20].flatMap(bar);
  const side: Rule = { axis: 'v', at: 100, from: 98, to: 234 };
  const [chart] = findGrids([...bars, side]);
  expect(chart && areOutlinedBars(chart, [...bars, side])).toBe(true);
  const rows = Array.from({ length: 8 }, (_, row): Rule => ({ axis: 'h', at: 100 + row * 20, from: 100, to: 400 }));
  const boxes = [150, 210, 260, 180, 330, 290, 120].map((at, row): Rule => ({
    axis: 'v',
    at,
    from: 100 + row * 20,
    to: 120 + row * 20,
  }));
  const sides = [100, 400].map((at): Rule => ({ axis: 'v', at, from: 100, to: 240 }));
  const [form] = findGrids([...rows, ...boxes, ...sides]);
  expect(form && areOutlinedBars(form, [...rows, ...boxes, ...sides])).toBe(false);
});
