import { type Drawing, grid, labelled, prose, readDrawn } from '../pdf-test-support';

const put = (pdf: Drawing, text: string, x: number, y: number) =>
  pdf.fontSize(10).text(text, x, y, { lineBreak: false });

/** Pairs below each other, `step` points apart, between two paragraphs. */
const readPairs = (pairs: readonly (readonly [string, string])[], step: number) =>
  readDrawn((pdf) => {
    pdf.fontSize(10).text(prose, 72, 72, { width: 450 });
    pairs.forEach(([label, value], index) => {
      put(pdf, label, 72, 160 + index * step);
      if (value !== '') put(pdf, value, 190, 160 + index * step);
    });
    pdf.fontSize(10).text(prose, 72, 160 + (pairs.length + 1) * step, { width: 450 });
  });

test('labels with a colon and the values beside them are a table, however far apart its rows are', async () => {
  const pairs = [
    ['First name:', 'Maren'],
    ['Harbour of registration:', 'Bergen'],
    ['Years at sea:', '6'],
  ] as const;
  for (const step of [16, 38]) {
    const document = await readPairs(pairs, step);
    expect(grid(document)).toEqual(pairs);
    expect(labelled(document, 'text')).toEqual([prose, prose]);
  }
});

test('a label of two lines and a title between pairs are part of the table; a title at its end is not', async () => {
  const document = await readPairs(
    [
      ['Draught:', '2.1 m'],
      ['Engines', ''],
      ['Power of the', '85 kW'],
      ['main engine:', ''],
      ['Fuel:', 'Diesel'],
      ['Remarks', ''],
    ],
    13,
  );
  expect(grid(document)).toEqual([
    ['Draught:', '2.1 m'],
    ['Engines', ''],
    ['Power of the main engine:', '85 kW'],
    ['Fuel:', 'Diesel'],
  ]);
});

test('labels without a colon need a figure or a date beside them; two addresses stay paragraphs', async () => {
  const invoice = [
    ['Invoice no.', '4711'],
    ['Date', '2 May 2024'],
    ['Customer', 'Fjord Lines'],
  ] as const;
  expect(grid(await readPairs(invoice, 14))).toEqual(invoice);
  const addresses = await readPairs(
    [
      ['Maren Dahl', 'Harbour Office'],
      ['Pier Road 7', 'Tide Street 12'],
      ['5003 Bergen', '0150 Oslo'],
    ],
    14,
  );
  expect(addresses.tables).toHaveLength(0);
});
