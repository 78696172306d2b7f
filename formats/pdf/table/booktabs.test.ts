import { type Drawing, grid, labelled, prose, readDrawn } from '../pdf-test-support';

const x = [80, 150, 186, 222, 258];

/**
 * Rows of a table starting at y = 110, with cells as close as in a book; `rules` are drawn above the rows with these numbers.
 */
function book(pdf: Drawing, rows: string[][], rules: number[], columns = x): void {
  pdf.fontSize(10);
  rows.forEach((cells, row) =>
    cells.forEach((text, column) => {
      if (text) pdf.text(text, columns[column]!, 110 + row * 16, { lineBreak: false });
    }),
  );
  for (const row of rules)
    pdf
      .moveTo(76, 106 + row * 16)
      .lineTo(290, 106 + row * 16)
      .stroke();
}

test('a table with rulings above, below and between is read by white space and baselines', async () => {
  const rows = [
    ['Model', 'Set', 'Easy', 'Hard', 'All'],
    ['Encoder', 'North', '91.10', '88.70', '89.9'],
    ['Decoder', 'North', '93.10', '90.20', '93.0'],
    ['Both', 'South', '98.50', '95.00', '96.7'],
  ];
  const document = await readDrawn((pdf) => {
    book(pdf, rows, [0, 1, 3, 4]);
    pdf.text(prose, 72, 220);
  });
  expect(grid(document)).toEqual(rows);
  expect(document.tables[0]!.data.table_cells.map((cell) => cell.column_header).filter(Boolean)).toHaveLength(5);
  expect(labelled(document, 'text')).toEqual([prose]);
});

test('a short ruling shows which columns a header spans', async () => {
  const document = await readDrawn((pdf) => {
    book(
      pdf,
      [
        ['', '', 'Trains', '', ''],
        ['Place', 'Kind', 'Early', 'Late', 'All'],
        ['North', 'old', '91.10', '88.70', '89.9'],
        ['South', 'new', '93.10', '90.20', '93.0'],
      ],
      [0, 2, 4],
    );
    pdf.moveTo(184, 122).lineTo(250, 122).stroke();
  });
  const head = document.tables[0]!.data.table_cells.find(({ text }) => text === 'Trains')!;
  expect([head.start_col_offset_idx, head.end_col_offset_idx, head.column_header]).toEqual([2, 4, true]);
  expect(grid(document)[1]).toEqual(['Place', 'Kind', 'Early', 'Late', 'All']);
});

test('a cell continues on the next line, and a cell between two rows belongs to both', async () => {
  const document = await readDrawn((pdf) => {
    book(
      pdf,
      [
        ['Name', 'Note on it', '', '', 'Value'],
        ['Pump', 'lifts the water out', '', '', '12.5'],
      ],
      [0, 1],
    );
    pdf.text('of the lower basin', 150, 137, { lineBreak: false });
    pdf.text('1.10', 222, 160, { lineBreak: false }).text('3.5', 258, 160, { lineBreak: false });
    pdf.text('Gate', 80, 166, { lineBreak: false });
    pdf.text('1.20', 222, 172, { lineBreak: false }).text('4.5', 258, 172, { lineBreak: false });
    pdf.moveTo(76, 190).lineTo(290, 190).stroke();
  });
  expect(document.tables[0]!.data.table_cells.find(({ text }) => text.startsWith('lifts'))!.text).toBe(
    'lifts the water out of the lower basin',
  );
  expect(document.tables[0]!.data.table_cells.find(({ text }) => text === 'Gate')).toMatchObject({ row_span: 2 });
});

test('totals below the last ruling are rows of the table', async () => {
  const document = await readDrawn((pdf) => {
    book(
      pdf,
      [
        ['Item', 'Name', '', 'Each', 'Sum'],
        ['1', 'Lamp', '', '49.90', '99.8'],
        ['2', 'Chair', '', '89.00', '89.0'],
        ['3', 'Desk', '', '9.90', '9.9'],
        ['', '', '', 'Net', '198.7'],
        ['', '', '', 'Tax', '12.3'],
      ],
      [0, 1, 4],
    );
    pdf.text('Please pay within two weeks of the day on which you have got this bill.', 72, 230);
  });
  expect(grid(document).slice(-2)).toEqual([
    ['', '', 'Net', '198.7'],
    ['', '', 'Tax', '12.3'],
  ]);
  expect(labelled(document, 'text')).toHaveLength(1);
});

test('text between two rulings, in one column or two, and a listing are not tables', async () => {
  const document = await readDrawn((pdf) => {
    pdf.fontSize(10);
    for (const y of [90, 110, 170, 300]) pdf.moveTo(72, y).lineTo(520, y).stroke();
    pdf.text('Algorithm 1 Reading of the gauge', 76, 95);
    ['1:', '2:', '3:'].forEach((number, row) => {
      pdf.text(number, 76, 115 + row * 14, { lineBreak: false });
      pdf.text('read the gauge at the pier', 100, 115 + row * 14, { lineBreak: false });
    });
    pdf.text(prose, 76, 180, { width: 200 });
    pdf.text(prose, 310, 180, { width: 200 });
  });
  expect(document.tables).toEqual([]);
});

test('numbers side by side are cells even with narrow gaps', async () => {
  const rows = [
    ['Revenue', '1,234.5', '1,180.2'],
    ['Sales', '(734.1)', '(701.9)'],
    ['Profit', '500.4', '478.3'],
    ['Taxes', '100.4', '178.3'],
  ];
  const document = await readDrawn((pdf) => {
    pdf.fontSize(10);
    rows.forEach((cells, row) =>
      cells.forEach((text, column) =>
        pdf.text(text, [72, 300, 344][column]! - (column ? 4 * text.length : 0), 100 + row * 14, {
          lineBreak: false,
        }),
      ),
    );
  });
  expect(grid(document)).toEqual(rows);
});

test('the rulings of two neighbouring headers stay separate though they nearly touch', async () => {
  const document = await readDrawn((pdf) => {
    book(
      pdf,
      [
        ['', 'Trains', '', 'Ships', ''],
        ['Place', 'Early', 'Late', 'Early', 'Late'],
        ['North', '91.10', '88.70', '89.9', '81.2'],
        ['South', '93.10', '90.20', '93.0', '80.1'],
      ],
      [0, 2, 4],
    );
    for (const [from, to] of [
      [148, 217],
      [221, 290],
    ])
      pdf.moveTo(from!, 122).lineTo(to!, 122).stroke();
  });
  const heads = document.tables[0]!.data.table_cells.filter(({ text }) => text === 'Trains' || text === 'Ships');
  expect(heads.map((cell) => [cell.start_col_offset_idx, cell.end_col_offset_idx])).toEqual([
    [1, 3],
    [3, 5],
  ]);
});

test('the second line of a label belongs to its row, and typewritten words are one cell', async () => {
  const rows = [
    ['Place', 'Early', 'Late'],
    ['Northern pier of', '91.10', '88.70'],
    ['Southern pier', '93.10', '90.20'],
    ['Lock', '93.10', '90.20'],
  ];
  const document = await readDrawn((pdf) => {
    pdf.font('Courier').fontSize(10);
    const tops = [110, 126, 150, 166];
    rows.forEach((cells, row) =>
      cells.forEach((text, column) => pdf.text(text, [80, 200, 250][column]!, tops[row]!, { lineBreak: false })),
    );
    pdf.text('Old Town', 86, 137, { lineBreak: false });
    for (const y of [106, 122, 180]) pdf.moveTo(76, y).lineTo(290, y).stroke();
    pdf.text(prose, 72, 220);
  });
  expect(grid(document).map(([label]) => label)).toEqual([
    'Place',
    'Northern pier of Old Town',
    'Southern pier',
    'Lock',
  ]);
});

test('the title of a section that continues on the next line is one row', async () => {
  const wide = [80, 240, 290, 340];
  const rows = [
    ['Station', 'Early', 'Late', 'All'],
    ['Level after the', '', '', ''],
    ['Northern pier', '3.4', '2.9', '6.3'],
    ['Southern pier', '2.9', '2.7', '5.6'],
    ['Ferry stage', '2.1', '2.2', '4.3'],
    ['Dry dock', '1.4', '1.9', '3.3'],
    ['Lock', '1.9', '1.7', '3.6'],
  ];
  const document = await readDrawn((pdf) => {
    book(pdf, rows, [0, 1, 7], wide);
    pdf.text('storm in spring', 80, 135, { lineBreak: false });
    pdf.text(prose, 72, 260);
  });
  expect(grid(document).map(([label]) => label)).toEqual([
    'Station',
    'Level after the storm in spring',
    'Northern pier',
    'Southern pier',
    'Ferry stage',
    'Dry dock',
    'Lock',
  ]);
});

test('dot leaders after labels do not make a table with several columns of figures a list of contents', async () => {
  const rows = [
    ['Share', '1.0', '1.1', '1.2'],
    ['0.99 ..............', '800', '880', '960'],
    ['0.95 ..............', '160', '176', '192'],
    ['0.90 ..............', '80', '88', '96'],
  ];
  const document = await readDrawn((pdf) => {
    book(pdf, rows, [0, 1, 4], [80, 190, 222, 258]);
    pdf.text(prose, 72, 220);
  });
  expect(grid(document)).toEqual(rows);
});
