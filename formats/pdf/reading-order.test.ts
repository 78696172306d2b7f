import { type Drawing, grid, labelled, prose, readDrawn, ruledTable } from './pdf-test-support';

test('text to the left of a table is read before it, and a heading above both first', async () => {
  const document = await readDrawn((pdf) => {
    pdf.fontSize(20).text('Revenue', 72, 80).fontSize(10);
    ruledTable(
      pdf,
      [
        ['Region', 'Sum'],
        ['North', '3'],
        ['South', '5'],
      ],
      { x: 330, y: 130, width: 80, height: 18 },
    );
    pdf.text('- The north grew a little', 72, 134).text('- The south did not', 72, 150);
  });
  const order = document.body.children.map(({ $ref }) => $ref.split('/')[1]);
  expect(order.indexOf('tables')).toBe(order.length - 1);
  expect(document.texts[0]!.text).toBe('Revenue');
});

test('text of a frame covered by a table is read before the table', async () => {
  const document = await readDrawn((pdf) => {
    pdf.fontSize(20).text('Results', 72, 80).fontSize(10);
    pdf.text('Click to add some text', 80, 190);
    ruledTable(
      pdf,
      [
        ['Region of the sales', 'Sum of the year'],
        ['North', '3'],
        ['', '5'],
        ['West', '4'],
      ],
      {
        x: 72,
        y: 130,
        width: 200,
        height: 18,
      },
    );
  });
  const kinds = document.body.children.map(({ $ref }) => $ref);
  expect(kinds.at(-1)).toBe('#/tables/0');
});

test('the paragraph below a caption is not part of it, though its type is nearly as large', async () => {
  const document = await readDrawn((pdf) => {
    pdf
      .fontSize(9)
      .text('Figure 2: The level of the water at the two gauges of the harbour', 72, 100, { lineBreak: false });
    pdf.fontSize(10).text(prose, 72, 111.5);
  });
  expect(labelled(document, 'caption')).toEqual(['Figure 2: The level of the water at the two gauges of the harbour']);
  expect(labelled(document, 'text')).toEqual([prose]);
});

test('labels with a colon and values beside them are a two-column table, even if there are few', async () => {
  const pairs = [
    ['Customer:', 'K-10023'],
    ['Ordered on:', '01.03.2024'],
    ['To be paid by:', '26.03.2024'],
  ];
  const document = await readDrawn((pdf) => {
    pdf.fontSize(10).text(prose, 72, 80);
    pairs.forEach(([label, value], row) => {
      pdf
        .text(label!, 72, 160 + 14 * row, { lineBreak: false })
        .text(value!, 180, 160 + 14 * row, { lineBreak: false });
    });
  });
  expect(grid(document)).toEqual(pairs);
});

test('a heading over three columns that ends before the last one still separates the columns above and below', async () => {
  const section = (pdf: Drawing, name: string, y: number) =>
    [0, 1, 2].forEach((column) =>
      pdf
        .font('Helvetica')
        .fontSize(9)
        .text(`${name}${column} ${prose}`, 50 + column * 175, y, { width: 150 }),
    );
  const document = await readDrawn((pdf) => {
    section(pdf, 'a', 80);
    pdf.font('Helvetica-Bold').fontSize(14).text('A heading that stands over all of the columns', 50, 240);
    section(pdf, 'b', 270);
  });
  const starts = document.texts.map(({ text }) => text.slice(0, 2));
  expect(starts).toEqual(['a0', 'a1', 'a2', 'A ', 'b0', 'b1', 'b2']);
});
